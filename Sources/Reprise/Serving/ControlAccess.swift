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
    /// The policy looks up the groups for each new connection from another user, so changes to groups take effect
    /// without a restart.
    ///
    /// - Parameters:
    ///   - name: The group whose members may call every method.
    ///   - observers: The group whose members may call only read-only methods.
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
        do throws(Accounts.LookupError) {
            return try Accounts.groupID(named: group).map(peer.isMember) == true
        } catch {
            return false
        }
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
