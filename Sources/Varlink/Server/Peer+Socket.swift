import CLinux
import Glibc

extension Peer {
    /// Asks the kernel who is at the other end of a connected Unix socket.
    /// - Throws: The errno of `getsockopt`.
    init(connectedTo descriptor: CInt) throws(SocketError) {
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
        // The kernel tells the size that it needs; a process has at most 65,536 groups.
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

/// A system call on a socket that failed.
package struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The call, as its man page names it.
    package let call: String

    /// Its errno.
    package let errno: CInt

    /// The call and what the system says of its errno.
    package var description: String { "\(call): \(String(cString: strerror(errno)))" }
}
