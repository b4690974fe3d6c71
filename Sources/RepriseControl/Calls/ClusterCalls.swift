import ExactText

/// Call to move an application to another host of the cluster.
package struct RelocateCall: ApplicationCall {
    package var application: String?
    package var host = ""

    package init() {}

    /// Host that runs the application now.
    package struct Reply: ControlMessage {
        package var host = ""

        package init() {}
    }
}

/// Call to move all applications to other hosts, for example before maintenance of this host.
package struct DrainCall: ControlCall {
    /// Whether to end the drain, so that this host takes over applications again.
    package var end: Bool?

    package init() {}

    /// Applications that were moved, with the hosts that run them now.
    package struct Reply: ControlMessage {
        package var moved: [MovedApplication] = []

        package init() {}
    }
}

/// Application, and the host that runs it now.
package struct MovedApplication: ControlMessage {
    package var application = ""
    package var host = ""

    package init() {}
}

/// Cluster that a daemon belongs to, as in the reply of `Status`.
package struct ClusterDescription: ControlMessage {
    package var name = ""
    package var host = ""
    package var hosts: [String] = []
    package var draining: [String] = []
    package var problem: String?

    package init() {}
}

/// Ownership of an application in a cluster, as in the reply of `Status`.
package struct OwnershipDescription: ControlMessage {
    package var host: String?
    package var term: Int?
    package var notReplicated: Int?
    package var problem: String?

    package init() {}
}
