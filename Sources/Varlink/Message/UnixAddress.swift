import Glibc

/// The address of a Unix socket in the file system. Source: unix(7).
enum UnixAddress {
    /// The most bytes a path may have, so that its NUL fits too.
    static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Whether a path fits. The empty path does not: the system would invent an abstract address
    /// for it.
    static func fits(_ path: String) -> Bool {
        (1...maximumPathLength).contains(path.utf8.count) && !path.utf8.contains(0)
    }

    /// Calls `body` with the address of a path that ``fits(_:)``.
    static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8.prefix(maximumPathLength))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
