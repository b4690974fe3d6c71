import ExactText

/// Has an application go to another host of the cluster.
package struct RelocateCall: ApplicationCall {
    package var application: String?
    package var host = ""

    package init() {}

    /// Where it runs now.
    package struct Reply: ControlMessage {
        package var host = ""

        package init() {}
    }
}

/// Has all applications go to other hosts, before this one is looked after.
package struct DrainCall: ControlCall {
    /// Ends it: the host takes applications over again.
    package var end: Bool?

    package init() {}

    /// Where they run now.
    package struct Reply: ControlMessage {
        package var moved: [MovedApplication] = []

        package init() {}
    }
}

/// An application that runs on another host now.
package struct MovedApplication: ControlMessage {
    package var application = ""
    package var host = ""

    package init() {}
}

/// The cluster that a daemon belongs to, as `Status` tells it.
package struct ClusterDescription: ControlMessage {
    package var name = ""
    package var host = ""
    package var hosts: [String] = []
    package var draining: [String] = []
    package var problem: String?

    package init() {}
}

/// Who runs an application of a cluster, as `Status` tells it.
package struct OwnershipDescription: ControlMessage {
    package var host: String?
    package var term: Int?
    package var notReplicated: Int?
    package var problem: String?

    package init() {}
}
