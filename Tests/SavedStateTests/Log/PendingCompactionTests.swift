import Glibc
import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

/// Tests of compactions while there are other changes to the archive.
@Suite struct PendingCompactionTests {
    private let disk = SimulatedDisk()

    @Test func `a compaction does not begin while changes are pending`() throws {
        let archive = try Sample.grownArchive(on: disk)
        try archive.stage(Sample.second)
        #expect(archive.beginCompaction() == nil)
        try archive.append(TurnRecords())
        #expect(archive.beginCompaction() != nil)
    }

    @Test func `an archive without pending changes is closed without writing a new file`() throws {
        let archive = try Sample.grownArchive(on: disk)
        try Sample.grow(archive, times: 400)
        let copy = try #require(archive.beginCompaction())
        let exchange = try #require(archive.endCompaction(copy, copy.run()))
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EINVAL, kinds: [.exchange]))
        #expect(archive.endCompaction(exchange, exchange.run()) == nil)
        #expect(archive.consumeIncidents() == [.compactionUnsupported])
        disk.inject(nil)
        // The next append would write a new file, because the file is far longer than necessary.
        let before = try #require(disk.file(Sample.file))
        try archive.close()
        let after = try #require(disk.file(Sample.file))
        #expect(after.starts(with: before))
        #expect(try Sample.contents(on: disk)?.isClosed == true)
    }

    @Test func `during an exchange, records are appended although the old file has no name`()
        throws
    {
        let archive = try Sample.grownArchive(on: disk)
        let copy = try #require(archive.beginCompaction())
        _ = try #require(archive.endCompaction(copy, copy.run()))
        try #require(try disk.root.openSubdirectory(Sample.directory)).remove("data.archive")
        let writeNumber = archive.writeNumber
        try Sample.grow(archive, times: 1)
        #expect(archive.writeNumber == writeNumber + 1)
        #expect(!archive.isChangedExternally)
    }
}
