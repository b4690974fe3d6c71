import Glibc
import RepriseControl
import Varlink
import VarlinkServing

/// Rules for access to a program's control socket.
///
/// The program's own user, root, and the members of the program's group may call every method. The members of a second
/// group, the observers, may call only read-only methods.
enum ControlAccess {
    /// Returns the access policy for this process.
    ///
    /// The policy looks up the groups for each new connection of another user, so changes to groups take effect without
    /// a restart.
    ///
    /// - Parameters:
    ///   - name: The group whose members may call every method.
    ///   - observers: The group whose members may call only methods that read.
    static func policy(
        group name: String, observers: @escaping @Sendable () -> String?
    ) -> @Sendable (Peer) -> Access {
        let ownerUserID = geteuid()
        return { peer in
            if peer.isOwnerOrRoot(ownerUserID) || isMember(peer, of: name) { return .all }
            return observers().map { isMember(peer, of: $0) } == true ? .readOnly : .none
        }
    }

    private static func isMember(_ peer: Peer, of group: String) -> Bool {
        groupNumber(named: group).map(peer.isMember) == true
    }

    /// Returns the numeric identifier of a group, or `nil` if no group has this name (see getgrnam_r(3)).
    static func groupNumber(named name: String) -> gid_t? {
        var entry = group()
        var matchingEntry: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let result = getgrnam_r(name, &entry, &buffer, buffer.count, &matchingEntry)
        return result == 0 && matchingEntry != nil ? entry.gr_gid : nil
    }
}

extension ServerLimits {
    /// Applies the limits on connections and requests from a configuration.
    mutating func apply(_ control: Configuration.Control) {
        maximumConnectionsPerUser = control.maximumConnectionsPerUser
        maximumConnections = DescriptorLimit.maximumConnections()
        maximumRequestBytes = control.maximumRequestBytes
        maximumUnreadBytesPerUser = control.maximumUnreadBytesPerUser
        trimsMemory = true
        makeRequestTooLargeError = { [maximumRequestBytes] in
            ControlError.requestTooLarge(maximumBytes: maximumRequestBytes).varlinkError
        }
        makeTooManyConnectionsError = { ControlError.tooManyConnections(most: $0).varlinkError }
    }
}
