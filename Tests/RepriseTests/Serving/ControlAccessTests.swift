import Glibc
import RepriseControl
import Testing
import Varlink
import VarlinkServing

@testable import Reprise

@Suite struct ControlAccessTests {
    private static let stranger: uid_t = 4_000_000_000

    /// The group `root` has the number 0 on every system.
    @Test(
        arguments: [
            (0, [], "none such", nil, Access.all), (stranger, [], "root", "root", .none),
            (stranger, [0], "root", nil, .all), (stranger, [0], "root", "root", .all),
            (stranger, [0], "none such", nil, .none),
            (stranger, [0], "none such", "none such", .none),
            (stranger, [0], "none such", "root", .readOnly), (stranger, [7, 0], "root", nil, .all),
            (stranger, [7, 0], "none such", "root", .readOnly),
            (stranger, [7], "none such", "root", .none),
        ] as [(uid_t, [gid_t], String, String?, Access)])
    func `members of the program's group have full access, and observers have read access`(
        user: uid_t, groups: [gid_t], group: String, observers: String?, access: Access
    ) {
        let policy = ControlAccess.policy(group: group) { observers }
        #expect(
            policy(Peer(pid: 1, uid: user, gid: groups.first ?? Self.stranger, groups: groups))
                == access)
    }

    @Test func `the program's own user has full access`() {
        let policy = ControlAccess.policy(group: "none such") { nil }
        #expect(policy(Peer(pid: 1, uid: geteuid(), gid: Self.stranger)) == .all)
    }

    @Test func `the server uses the configured limits`() throws {
        var control = Configuration.Control()
        (
            control.maximumConnectionsPerUser, control.maximumRequestBytes,
            control.maximumUnreadBytesPerUser
        ) = (11, 12, 13)
        var limits = ServerLimits()
        limits.apply(control)
        #expect(limits.maximumConnectionsPerUser == 11)
        #expect(limits.maximumRequestBytes == 12)
        #expect(limits.maximumUnreadBytesPerUser == 13)
        #expect(limits.trimsMemory)
        let requestTooLarge = try #require(limits.makeRequestTooLargeError)
        #expect(
            requestTooLarge() == (ControlError.requestTooLarge(maximumBytes: 12).varlinkError)
        )
        let tooManyConnections = try #require(limits.makeTooManyConnectionsError)
        #expect(
            tooManyConnections(14) == (ControlError.tooManyConnections(most: 14).varlinkError)
        )
    }
}
