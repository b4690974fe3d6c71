import ExactText

/// Call to move an application to another host of the cluster.
package struct RelocateCall: ApplicationCall {
    package var application: String?
    package var host = ""

    package init() {}

    /// Host that now runs the application.
    package struct Reply: ControlMessage {
        package var host = ""

        package init() {}
    }
}

/// Call to move all applications to other hosts, for example before maintenance of this host.
package struct DrainCall: ControlCall {
    /// Whether to end the drain, so that this host may take over applications again.
    package var end: Bool?

    package init() {}

    /// Applications that were moved, with the hosts that now run them.
    package struct Reply: ControlMessage {
        package var moved: [MovedApplication] = []

        package init() {}
    }
}

/// Call that returns the hosts, servers and applications of the cluster.
package struct ClusterCall: ControlCall {
    package static var isLooking: Bool { true }

    package init() {}

    /// State of the cluster, as far as this host knows it.
    package struct Reply: ControlMessage {
        package var cluster = ClusterDescription()
        /// Duration of a lease, in seconds.
        package var leaseSeconds = 0.0
        package var clusterHosts: [ClusterHostDescription] = []
        package var servers: [ClusterServerDescription] = []
        package var applications: [ClusterApplicationDescription] = []

        package init() {}
    }
}

/// Call that returns the latest owners of one application, or of all applications of the cluster.
package struct ClusterHistoryCall: ApplicationCall {
    package static var isLooking: Bool { true }

    package var application: String?

    package init() {}

    /// Changes of owners, from the oldest to the newest.
    package struct Reply: ControlMessage {
        package var changes: [OwnerChangeDescription] = []

        package init() {}
    }
}

/// Call to pause automatic takeovers on all hosts of the cluster.
package struct ClusterPauseCall: ControlCall {
    package var reason: String?

    package init() {}

    /// Earlier pause that the pause replaces, or `nil` if takeovers were not paused.
    package struct Reply: ControlMessage {
        package var replaced: TakeoverPauseDescription?

        package init() {}
    }
}

/// Call to end the pause of automatic takeovers.
package struct ClusterResumeCall: ControlCall {
    package typealias Reply = EmptyReply

    package init() {}
}

/// Call to make this host the owner of an application.
package struct ClusterTakeCall: ControlCall {
    package typealias Reply = EmptyReply

    package var application = ""
    /// Whether to take over the application even if another host owns it.
    package var force: Bool?

    package init() {}
}

/// Application and the host that now runs it.
package struct MovedApplication: ControlMessage {
    package var application = ""
    package var host = ""

    package init() {}
}

/// Cluster to which a daemon belongs, as returned by `Status`.
package struct ClusterDescription: ControlMessage {
    package var name = ""
    package var host = ""
    package var hosts: [String] = []
    package var draining: [String] = []
    package var pause: TakeoverPauseDescription?
    package var problem: String?
    /// Sentences about problems that do not prevent this host from being part of the cluster.
    package var warnings: [String] = []

    package init() {}
}

/// Pause of automatic takeovers, as returned by `Status` and `Cluster`.
package struct TakeoverPauseDescription: ControlMessage {
    package var host = ""
    /// Begin of the pause, in RFC 3339 format.
    package var time = ""
    package var reason: String?
    /// Operator, in words such as `user 1000`.
    package var user: String?

    package init() {}
}

/// Host of a cluster, as returned by `Cluster`.
package struct ClusterHostDescription: ControlMessage {
    package var name = ""
    package var draining = false
    /// Number of applications that the host owns.
    package var applications = 0
    /// Phrase that says since when the host has not renewed its lease.
    package var problem: String?

    package init() {}
}

/// Server of the cluster's etcd, as returned by `Cluster`.
package struct ClusterServerDescription: ControlMessage {
    package var endpoint = ""
    package var version: String?
    package var leader = false
    package var databaseBytes: Int?
    /// Time that the server took to answer, in milliseconds.
    package var milliseconds: Double?
    package var problem: String?

    package init() {}
}

/// Application of a cluster, as returned by `Cluster`.
package struct ClusterApplicationDescription: ControlMessage {
    package var application = ""
    /// Whether the owner has launched the application.
    package var running = false
    package var ownership = OwnershipDescription()

    package init() {}
}

/// Change of the owner of an application, as returned by `ClusterHistory`.
package struct OwnerChangeDescription: ControlMessage {
    package var application = ""
    /// Time when the application ran on the host, in RFC 3339 format.
    package var time = ""
    package var host = ""
    package var from: String?
    package var epoch = 0
    package var reason = TakeoverReason.started

    package init() {}
}

/// Reason why a host became the owner of an application.
package enum TakeoverReason: String, Codable, Sendable, CaseIterable {
    case started, returned, moved, released, expired, taken, forced
}

/// Ownership of an application in a cluster, as returned by `Status` and `Cluster`.
package struct OwnershipDescription: ControlMessage {
    package var host: String?
    package var term: Int?
    package var notReplicated: Int?
    package var problem: String?

    package init() {}
}
