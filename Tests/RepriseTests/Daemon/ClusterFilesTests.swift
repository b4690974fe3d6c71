import LinuxIO
import Replication
import TestSupport
import Testing

@testable import Reprise

@Suite struct ClusterFilesTests {
    @Test func `the next process of a host finds the lease and the identity`() throws {
        let scratch = try ScratchFolder()
        let files = ClusterFiles(in: try #require(try Directory.open(scratch.path)))
        let first = files.memory(of: "a", in: "panels")
        #expect(first.lease == nil && first.identity == nil)
        first.storeLease(-7)
        first.storeIdentity("0f")
        let next = files.memory(of: "a", in: "panels")
        #expect(next.lease == -7)
        #expect(next.identity == "0f")
        // A copy of the state on another host shares the cluster's identity, but not the lease.
        let copy = files.memory(of: "b", in: "panels")
        #expect(copy.lease == nil)
        #expect(copy.identity == "0f")
        let other = files.memory(of: "a", in: "other")
        #expect(other.lease == nil && other.identity == nil)
        #expect([first, next, copy].allSatisfy { $0.otherCluster == nil })
        #expect(other.otherCluster == "panels")
    }

    @Test func `a revision belongs to the data of one cluster`() throws {
        let scratch = try ScratchFolder()
        let directory = try #require(try Directory.open(scratch.path))
        let files = ClusterFiles(in: directory)
        let first = files.memory(of: "a", in: "panels")
        first.storeIdentity("0f")
        first.storeRevision(42, "0f")
        #expect(files.memory(of: "a", in: "panels").revision == 42)
        // After an operator has replaced the data in etcd, the revisions are lower.
        first.storeIdentity("1e")
        #expect(files.memory(of: "a", in: "panels").revision == nil)
    }

    @Test(arguments: ["", "7", "x a panels\n", "99999999999999999999 a panels\n"])
    func `a file with other contents is ignored`(text: String) throws {
        let scratch = try ScratchFolder()
        let directory = try #require(try Directory.open(scratch.path))
        _ = try directory.replace("lease", with: Array(text.utf8), temporary: "lease.new")
        #expect(ClusterFiles(in: directory).memory(of: "a", in: "panels").lease == nil)
    }

    @Test func `the local host has the name that the kernel reports`() throws {
        let file = try #require(try Directory.open("/proc/sys/kernel"))
        let bytes = try #require(try file.read("hostname", limit: 1024))
        #expect(LocalHost.name == String(decoding: bytes.dropLast(), as: UTF8.self))
    }
}
