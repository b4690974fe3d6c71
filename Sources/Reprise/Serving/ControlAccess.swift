import Glibc
import RepriseControl
import Varlink
import VarlinkServing

/// Who may control a program: its own user, root, and members of the group of its folders' name; and who
/// may only look.
enum ControlAccess {
    /// The policy for this process. The groups are looked up for each connection of another user, so
    /// that one that was made or changed meanwhile counts.
    ///
    /// - Parameters:
    ///   - name: the group whose members may do everything.
    ///   - observers: the group whose members may look.
    static func policy(
        group name: String, observers: @escaping @Sendable () -> String?
    ) -> @Sendable (Peer) -> Access {
        let owner = geteuid()
        return { peer in
            if peer.isOwner(owner) || isMember(peer, of: name) { return .all }
            return observers().map { isMember(peer, of: $0) } == true ? .looking : .none
        }
    }

    private static func isMember(_ peer: Peer, of group: String) -> Bool {
        groupNumber(named: group).map(peer.isMember) == true
    }

    /// The number of a group; nil if there is none of that name (getgrnam_r(3)).
    static func groupNumber(named name: String) -> gid_t? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let result = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        return result == 0 && found != nil ? entry.gr_gid : nil
    }
}

extension ServerLimits {
    /// Takes what a configuration says of connections and requests.
    mutating func take(_ control: Configuration.Control) {
        connectionsPerUser = control.connectionsPerUser
        connections = DescriptorLimit.connections()
        requestBytes = control.requestBytes
        unsentBytes = control.unsentBytes
        trimsMemory = true
        requestTooLarge = { [requestBytes] in
            Self.reply(.requestTooLarge(maximumBytes: requestBytes))
        }
        tooManyConnections = { Self.reply(.tooManyConnections(most: $0)) }
    }

    private static func reply(_ error: ControlError) -> VarlinkError? {
        do {
            return try error.varlinkError()
        } catch {
            return nil  // Then the connection is closed without a reply.
        }
    }
}
