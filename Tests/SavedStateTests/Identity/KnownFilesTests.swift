import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

@Suite struct KnownFilesTests {
    @Test func `L4: bytes that another program appended before a failed sync are quarantined`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        #expect(try archive.append(Sample.second) == .written)
        let job = try #require(archive.beginSync())
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        try #require(try directory.openForAppending("data.archive")).write([1, 2, 3])
        let changed = try #require(disk.file(Sample.file))
        let failure = IOError(.synchronize, path: archive.path, code: EIO)
        #expect(throws: SaveError.self) { try archive.endSync(job, .failure(failure)) }
        #expect(throws: SaveError.self) { try archive.append(TurnRecords()) }
        #expect(archive.isChangedExternally)
        #expect(disk.file(Sample.file) == changed)
        archive.quarantineOnNextWrite()
        try archive.append(TurnRecords())
        #expect(disk.kept(changed))
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 5, 6])
    }

    @Test(arguments: [(.rename, 1), (.synchronizeDirectory, 2)] as [(DiskOperation.Kind, Int)])
    func `L4: failed replacements of the archive leave no known files that were removed`(
        kind: DiskOperation.Kind, maximumCount: Int
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.requireNewFile()
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true, kinds: [kind]))
        for _ in 0..<5 { #expect(throws: SaveError.self) { try archive.append(TurnRecords()) } }
        #expect(disk.hasFaultOccurred)
        #expect(archive.log.knownFiles.files.count <= maximumCount)
        disk.inject(nil)
        try archive.append(Sample.second)
        #expect(!archive.isChangedExternally)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test(arguments: [false, true])
    func `L4: a compaction that failed or was cancelled leaves no known file`(isCancelled: Bool)
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        #expect(archive.log.knownFiles.files.count == 2)
        if isCancelled {
            try archive.log.cancelCompaction()
        } else {
            disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.exchange]))
        }
        #expect(archive.endCompaction(job, job.run()) == nil)
        #expect(archive.log.knownFiles.files.count == 1)
        try Sample.grow(archive, times: 1)
        #expect(try archive.check(readingContents: true) == .unchanged)
    }

    @Test func `L4: a compaction that is cancelled after its exchange knows only the new file`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        let result = job.run()
        try archive.log.cancelCompaction()
        #expect(archive.log.knownFiles.files.count == 1)
        #expect(archive.endCompaction(job, result) == nil)
        #expect(try archive.check(readingContents: true) == .unchanged)
    }

    @Test func `L4: archives that are accepted while no write succeeds are forgotten`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        for _ in 0..<4 {
            _ = try disk.root.remove(Sample.file)
            disk.put(
                Sample.log([Sample.first, Sample.third], published: 9), at: Sample.file)
            guard case .replaced(let replacement) = try archive.check(readingContents: true) else {
                Issue.record("the archive is not replaced")
                return
            }
            try archive.requireNewFile(accepting: replacement)
        }
        #expect(archive.log.knownFiles.files.count == 2)
    }
}
