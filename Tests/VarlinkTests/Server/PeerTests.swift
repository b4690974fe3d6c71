import Glibc
import TestSupport
import Testing

@testable import Varlink

struct PeerTests {
    @Test(
        arguments: [
            (Peer(pid: 1, uid: 500, gid: 9), true), (Peer(pid: 1, uid: 0, gid: 0), true),
            (Peer(pid: 1, uid: 7, gid: 42), true),
            (Peer(pid: 1, uid: 7, gid: 9, groups: [1, 42]), true),
            (Peer(pid: 1, uid: 7, gid: 9, groups: [1, 500]), false),
        ])
    func `only the owner, root and members of the group may call`(peer: Peer, isAllowed: Bool) {
        #expect((peer.isOwnerOrRoot(500) || peer.isMember(of: 42)) == isAllowed)
    }

    @Test func `a member of root's group is not root`() {
        #expect(!Peer(pid: 1, uid: 7, gid: 0, groups: [0]).isOwnerOrRoot(500))
    }

    @Test(.needsRoot) func `all groups of a process are known, even if it has many`() async {
        await #expect(processExitsWith: .success) {
            let groups = (1000..<1100).map { gid_t($0) }
            try #require(setgroups(groups.count, groups) == 0)
            var ends: [CInt] = [-1, -1]
            try #require(
                socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
                    == 0)
            #expect(try Peer(connectedTo: ends[0]).groups == groups)
        }
    }
}
