import Glibc
import RepriseControl
import Varlink
import VarlinkServing

/// Who may control the daemon: its own user, root, and members of the group `reprise`.
enum ControlAccess {
    static let groupName = "reprise"

    /// The policy for this process. The group is looked up for each connection of another user, so
    /// that a group that was made or changed meanwhile counts.
    static func policy() -> @Sendable (Peer) -> Bool {
        let owner = geteuid()
        return { peer in
            peer.isAllowed(owner: owner)
                || peer.isAllowed(owner: owner, group: groupNumber(named: groupName))
        }
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
        connections = DescriptorLimit.connections
        requestBytes = control.requestBytes
        unsentBytes = control.unsentBytes
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
