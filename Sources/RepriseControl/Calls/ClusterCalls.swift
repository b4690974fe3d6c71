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
    package var problem: String?

    package init() {}
}

/// Ownership of an application in a cluster, as returned by `Status`.
package struct OwnershipDescription: ControlMessage {
    package var host: String?
    package var term: Int?
    package var notReplicated: Int?
    package var problem: String?

    package init() {}
}
