import Glibc

/// How many descriptors the process may have: `RLIMIT_NOFILE` of getrlimit(2), `LimitNOFILE=` of its
/// unit.
enum DescriptorLimit {
    /// What files, event loops and watches need at most; the others are for connections.
    private static let reserved = 256

    /// The most connections that there is room for, once the limit is raised.
    static var connections: Int {
        let most = Int(clamping: current.rlim_max)
        return max(most - reserved, most / 2)
    }

    /// Raises the limit as far as the process may: nothing here uses select(2), for which the usual
    /// low one is kept.
    static func raise() {
        var limit = current
        limit.rlim_cur = limit.rlim_max
        // Where it fails the lower one stays, and accepting pauses when it is reached.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static var current: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
