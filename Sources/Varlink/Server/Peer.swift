public import Glibc

/// The process at the other end of a socket, as the kernel vouches for it. Source: unix(7),
/// `SO_PEERCRED`.
public struct Peer: Sendable, Equatable {
    /// Its process id at the time of the connection.
    public let pid: pid_t

    /// Its effective user.
    public let uid: uid_t

    /// Its effective group.
    public let gid: gid_t

    /// Its supplementary groups.
    public var groups: [gid_t] = []

    /// A peer as a test of a function makes it; a server asks the kernel.
    public init(pid: pid_t, uid: uid_t, gid: gid_t, groups: [gid_t] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Whether it is the service's own user, or root.
    /// - Parameter owner: The user that the service runs as.
    public func isOwner(_ owner: uid_t) -> Bool { uid == owner || uid == 0 }

    /// Whether it is a member of a group.
    public func isMember(of group: gid_t) -> Bool { gid == group || groups.contains(group) }
}

/// What a peer may call.
public enum Access: Sendable {
    /// Nothing.
    case none
    /// The methods that only look.
    case looking
    /// Every method.
    case all
}
