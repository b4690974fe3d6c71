import LinuxIO
import Replication
import TestSupport
import Testing

@testable import Reprise

@Suite struct ClusterFilesTests {
    @Test func `the next process on a host reads the stored lease and cluster identity`() throws {
        let scratch = try ScratchDirectory()
        let files = ClusterFiles(in: try #require(try Directory.open(scratch.path)))
        let first = files.savedFacts(of: "a", in: "panels")
        #expect(first.lease == nil && first.identity == nil)
        first.saveLease(-7)
        first.saveIdentity("0f")
        let next = files.savedFacts(of: "a", in: "panels")
        #expect(next.lease == -7)
        #expect(next.identity == "0f")
        // A copy of the state on another host shares the cluster's identity, but not the lease.
        let copy = files.savedFacts(of: "b", in: "panels")
        #expect(copy.lease == nil)
        #expect(copy.identity == "0f")
        let other = files.savedFacts(of: "a", in: "other")
        #expect(other.lease == nil && other.identity == nil)
        #expect([first, next, copy].allSatisfy { $0.otherClusterName == nil })
        #expect(other.otherClusterName == "panels")
    }

    @Test func `a stored revision is valid only for the cluster identity that it was stored with`()
        throws
    {
        let scratch = try ScratchDirectory()
        let directory = try #require(try Directory.open(scratch.path))
        let files = ClusterFiles(in: directory)
        let first = files.savedFacts(of: "a", in: "panels")
        first.saveIdentity("0f")
        first.saveRevision(42, "0f")
        #expect(files.savedFacts(of: "a", in: "panels").revision == 42)
        // After an operator has replaced the data in etcd, the revisions are lower.
        first.saveIdentity("1e")
        #expect(files.savedFacts(of: "a", in: "panels").revision == nil)
    }

    @Test(arguments: ["", "7", "x a panels\n", "99999999999999999999 a panels\n"])
    func `an invalid lease file is ignored`(text: String) throws {
        let scratch = try ScratchDirectory()
        let directory = try #require(try Directory.open(scratch.path))
        _ = try directory.replace("lease", with: Array(text.utf8), temporaryName: "lease.new")
        #expect(ClusterFiles(in: directory).savedFacts(of: "a", in: "panels").lease == nil)
    }

    @Test func `the local host has the name that the kernel reports`() throws {
        let file = try #require(try Directory.open("/proc/sys/kernel"))
        let bytes = try #require(try file.read("hostname", limit: 1024))
        #expect(LocalHost.name == String(decoding: bytes.dropLast(), as: UTF8.self))
    }
}
