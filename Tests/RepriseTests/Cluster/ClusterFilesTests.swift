import LinuxIO
import Replication
import Synchronization
import TestSupport
import Testing

@testable import Reprise

@Suite struct ClusterFilesTests {
    @Test func `the next process on a host reads the stored lease and cluster identity`()
        async throws
    {
        let scratch = try ScratchDirectory()
        let files = ClusterFiles(in: try #require(try Directory.open(scratch.path)))
        let first = files.savedFacts(of: "a", in: "panels")
        #expect(first.lease == nil && first.identity == nil)
        await first.saveLease(-7)
        await first.saveIdentity("0f")
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
        async throws
    {
        let scratch = try ScratchDirectory()
        let directory = try #require(try Directory.open(scratch.path))
        let files = ClusterFiles(in: directory)
        let first = files.savedFacts(of: "a", in: "panels")
        await first.saveIdentity("0f")
        await first.saveRevision(42, "0f")
        #expect(files.savedFacts(of: "a", in: "panels").revision == 42)
        // After an operator has replaced the data in etcd, the revisions are lower.
        await first.saveIdentity("1e")
        #expect(files.savedFacts(of: "a", in: "panels").revision == nil)
    }

    @Test func `values are written outside the caller's task, so that the disk cannot block it`()
        async throws
    {
        let scratch = try ScratchDirectory()
        let directory = RecordingDirectory(base: try #require(try Directory.open(scratch.path)))
        let facts = ClusterFiles(in: directory).savedFacts(of: "a", in: "panels")
        await facts.saveLease(1)
        await facts.saveIdentity("0f")
        await facts.saveRevision(42, "0f")
        #expect(directory.isWritingInTask.withLock(\.self) == [false, false, false])
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

/// Directory that records whether its files are created by code in a task.
private final class RecordingDirectory: DirectoryProtocol {
    let base: Directory
    let isWritingInTask = Mutex<[Bool]>([])

    init(base: Directory) { self.base = base }

    var path: String { base.path }

    func createFile(_ name: String) throws(IOError) -> LinuxIO.File {
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        isWritingInTask.withLock { $0.append(isInTask) }
        return try base.createFile(name)
    }

    func pathStatus() throws(IOError) -> DirectoryPathStatus { try base.pathStatus() }
    func openSubdirectory(_ name: String) throws(IOError) -> Self? { nil }
    func openOrCreateSubdirectory(_ name: String) throws(IOError) -> Self { self }
    func names() throws(IOError) -> [String] { try base.names() }
    func openForReading(_ name: String) throws(IOError) -> LinuxIO.File? {
        try base.openForReading(name)
    }
    func openForAppending(_ name: String) throws(IOError) -> LinuxIO.File? {
        try base.openForAppending(name)
    }
    func rename(_ name: String, to newName: String) throws(IOError) {
        try base.rename(name, to: newName)
    }
    func exchange(_ name: String, with otherName: String) throws(IOError) {
        try base.exchange(name, with: otherName)
    }
    func status(of name: String) throws(IOError) -> FileStatus? { try base.status(of: name) }
    func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try base.entryStatus(of: name)
    }
    func remove(_ name: String) throws(IOError) -> Bool { try base.remove(name) }
    func synchronize() throws(IOError) { try base.synchronize() }
}
