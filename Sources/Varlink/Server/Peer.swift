package import Glibc

/// The process at the other end of a socket, as the kernel vouches for it. Source: unix(7),
/// `SO_PEERCRED`.
package struct Peer: Sendable, Equatable {
    /// Its process id at the time of the connection.
    package let pid: pid_t

    /// Its effective user.
    package let uid: uid_t

    /// Its effective group.
    package let gid: gid_t

    /// Its supplementary groups.
    package var groups: [gid_t] = []

    /// The standard policy of who may call a daemon: its own user, root, and the members of one
    /// group.
    /// - Parameters:
    ///   - owner: The user that the daemon runs as.
    ///   - group: The group whose members may call too; nil for none.
    package func isAllowed(owner: uid_t, group: gid_t? = nil) -> Bool {
        if uid == owner || uid == 0 { return true }
        guard let group else { return false }
        return gid == group || groups.contains(group)
    }
}
