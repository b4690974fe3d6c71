import CLinux
import Glibc

/// Error from a system call on a socket.
public struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Name of the system call, as in its man page.
    public let call: String

    /// Error number (errno) of the system call.
    public let errno: CInt

    /// Name of the system call and the system's description of the error.
    public var description: String { "\(call): \(String(cString: strerror(errno)))" }

    /// Creates an error from a system call and its errno.
    public init(call: String, errno: CInt) {
        self.call = call
        self.errno = errno
    }
}

/// Address of a Unix socket in the file system. Source: unix(7).
package enum UnixAddress {
    /// Maximum length of a path in bytes, without its NUL.
    package static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Returns whether a path can be the address of a socket. An empty path cannot, because the system would assign an
    /// abstract address.
    package static func isValidPath(_ path: String) -> Bool {
        (1...maximumPathLength).contains(path.utf8.count) && !path.utf8.contains(0)
    }

    /// Binds a socket to a path, which must satisfy ``isValidPath(_:)``.
    ///
    /// - Returns: The result of bind(2), which also sets errno.
    package static func bindSocket(_ descriptor: CInt, to path: String) -> CInt {
        withAddress(path) { bind(descriptor, $0, $1) }
    }

    /// Connects a socket to a path, which must satisfy ``isValidPath(_:)``.
    ///
    /// - Returns: The result of connect(2), which also sets errno.
    package static func connectSocket(_ descriptor: CInt, to path: String) -> CInt {
        withAddress(path) { connect(descriptor, $0, $1) }
    }

    /// Returns the path to which a socket is bound, or `nil` if it is not bound to a path (getsockname(2)).
    package static func path(of descriptor: CInt) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        guard result == 0, address.sun_family == AF_UNIX else { return nil }
        let path = withUnsafeBytes(of: &address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return path.isEmpty ? nil : path
    }

    private static func withAddress<Result>(
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

extension Peer {
    /// Creates the peer of a connected Unix socket from the credentials that the kernel reports.
    /// - Throws: ``SocketError`` if `getsockopt` fails.
    public init(connectedTo descriptor: CInt) throws(SocketError) {
        var credentials = linux_ucred()
        var size = socklen_t(MemoryLayout<linux_ucred>.size)
        guard getsockopt(descriptor, SOL_SOCKET, linux_so_peercred, &credentials, &size) == 0 else {
            throw SocketError(call: "getsockopt(SO_PEERCRED)", errno: errno)
        }
        self.init(
            pid: credentials.pid, uid: credentials.uid, gid: credentials.gid,
            groups: try Self.groups(of: descriptor))
    }

    private static func groups(of descriptor: CInt) throws(SocketError) -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 32)
        // If the array is too small, the kernel returns the required size. A process has at most 65,536 groups.
        for _ in 0..<2 {
            var size = socklen_t(groups.count * MemoryLayout<gid_t>.stride)
            if getsockopt(descriptor, SOL_SOCKET, linux_so_peergroups, &groups, &size) == 0 {
                return Array(groups.prefix(Int(size) / MemoryLayout<gid_t>.stride))
            }
            guard errno == ERANGE else { break }
            groups = [gid_t](repeating: 0, count: Int(size) / MemoryLayout<gid_t>.stride)
        }
        throw SocketError(call: "getsockopt(SO_PEERGROUPS)", errno: errno)
    }
}
