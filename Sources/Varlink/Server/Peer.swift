public import Glibc

/// Process at the other end of a socket, with the credentials that the kernel reports. Source: unix(7), `SO_PEERCRED`.
public struct Peer: Sendable, Equatable {
    /// Process ID at the time when the process connected.
    public let pid: pid_t

    /// Effective user ID.
    public let uid: uid_t

    /// Effective group ID.
    public let gid: gid_t

    /// Supplementary group IDs.
    public var groups: [gid_t] = []

    /// Creates a peer for tests. A server obtains its peers' credentials from the kernel.
    public init(pid: pid_t, uid: uid_t, gid: gid_t, groups: [gid_t] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Returns whether the peer runs as the service's own user or as root.
    /// - Parameter owner: The user that the service runs as.
    public func isOwnerOrRoot(_ owner: uid_t) -> Bool { uid == owner || uid == 0 }

    /// Returns whether the peer is a member of a group.
    public func isMember(of group: gid_t) -> Bool { gid == group || groups.contains(group) }
}

/// Access rights of a peer.
public enum Access: Sendable {
    /// The peer may call no methods.
    case none
    /// The peer may call read-only methods.
    case readOnly
    /// The peer may call all methods.
    case all
}
