import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of appends that leave a part of their records in a compaction's new file.
@Suite struct PartialAppendTests {
    @Test func `L4: a new file with a part of an append does not count as another program's file`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        let result = job.run()
        guard case .published(isForeignFileRestored: false) = result else {
            Issue.record("the names were not exchanged")
            return
        }
        let byteCount = try #require(disk.file(Sample.file)).count
        // The write to the new file fails halfway, and then the file cannot be shortened.
        disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write, .truncate]))
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        #expect(disk.hasFaultOccurred)
        disk.inject(nil)
        let partialByteCount = try #require(disk.file(Sample.file)).count
        #expect(partialByteCount > byteCount)
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(!archive.isChangedExternally)
        #expect(archive.endCompaction(job, result) == nil)
        #expect(disk.names(in: "\(Sample.directory)/quarantine") == [])
        let found = try Sample.contents(on: disk)?.state
        #expect(found == archive.contents?.state)
    }
}
