import Glibc

/// How many descriptors the process may have: `RLIMIT_NOFILE` of getrlimit(2), `LimitNOFILE=` of its
/// unit.
enum DescriptorLimit {
    /// What files, event loops and watches need at most; the others are for connections.
    private static let reserved = 256

    /// How many the process may have once the limit is raised.
    static var most: Int { Int(clamping: current.rlim_max) }

    /// The most connections that there is room for.
    ///
    /// - Parameter most: how many descriptors the process may have.
    static func connections(within most: Int = most) -> Int { max(most - reserved, most / 2) }

    /// What is to be written in the place of a number of connections; nil: there is room for it.
    static func refusal(of count: Int, within most: Int = most) -> String? {
        let connections = connections(within: most)
        return count <= connections
            ? nil
            : "write at most \(connections), for the process may have \(most) descriptors "
                + "(`ulimit -Hn`, in a unit LimitNOFILE=), or raise that limit"
    }

    /// Raises the limit as far as the process may: nothing here uses select(2), for which the usual
    /// low one is kept.
    static func raise() {
        var limit = current
        limit.rlim_cur = limit.rlim_max
        // Where it fails the lower one stays, and accepting pauses when it is reached.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Takes over what another process will have, as far as this one may.
    static func take(_ most: UInt64) {
        var limit = current
        limit.rlim_max = rlim_t(most)
        limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        if setrlimit(resource, &limit) == 0 { return }
        // Above its own hard limit only root gets.
        limit.rlim_max = min(current.rlim_max, limit.rlim_max)
        setrlimit(resource, &limit)
    }

    private static var current: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
