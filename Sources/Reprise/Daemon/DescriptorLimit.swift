import Glibc

/// Limit on the process's descriptors (`RLIMIT_NOFILE` in getrlimit(2), `LimitNOFILE=` in the unit).
enum DescriptorLimit {
    /// Number of descriptors reserved for purposes other than connections, such as files, event loops and watches.
    private static let reservedCount = 256

    /// Maximum number of descriptors after the soft limit has been raised.
    static var maximumCount: Int { Int(clamping: currentLimits.rlim_max) }

    /// Returns the maximum number of connections that leaves enough descriptors for other purposes.
    ///
    /// - Parameter maximumCount: The maximum number of descriptors that the process may have.
    static func maximumConnections(within maximumCount: Int = maximumCount) -> Int {
        max(maximumCount - reservedCount, maximumCount / 2)
    }

    /// Returns advice for a configured number of connections that exceeds the limit, or `nil` if the number is
    /// allowed.
    static func excessAdvice(of count: Int, within maximumCount: Int = maximumCount) -> String? {
        let maximumConnections = maximumConnections(within: maximumCount)
        return count <= maximumConnections
            ? nil
            : "write at most \(maximumConnections), because the process can open only \(maximumCount) files "
                + "(`ulimit -Hn`, in a unit LimitNOFILE=), or raise that limit"
    }

    /// Raises the soft limit to the hard limit.
    ///
    /// The soft limit is usually low for the sake of select(2), which the process never uses.
    static func raise() {
        var limit = currentLimits
        limit.rlim_cur = limit.rlim_max
        // If the call fails, the lower limit remains, and the server does not accept connections while the limit is
        // reached.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Adopts a hard limit, such as the limit of a service, if the system permits it.
    static func adopt(_ hardLimit: UInt64) {
        var limit = currentLimits
        limit.rlim_max = rlim_t(hardLimit)
        limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
        // Only root may raise the hard limit. For other users, the current limits remain unchanged.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static var currentLimits: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
