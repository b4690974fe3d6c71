import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Synchronization
import Testing

@testable import SavedState

/// Tests of the length of reserved space, and of writes and releases that fail.
@Suite struct ReservedSpaceLimitTests {
    /// Returns an archive with reserved space that contains ``Sample/first`` and ``Sample/second``.
    private func reserved(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = Sample.archive(on: disk)
        archive.reservesSpace = true
        _ = try archive.load()
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        return archive
    }

    @Test(
        arguments: [
            ([10], 1 << 20, 4096), ([10, 4086], 1 << 20, 4096), ([10, 4087], 1 << 20, 8192),
            ([5000], 1 << 20, 8192), ([5000, 3192], 1 << 20, 8192), ([10], 4096, 4096),
            ([10], 4095, 10),
        ] as [([Int], Int, Int)])
    func `space is reserved in whole blocks, up to the limit, and used completely`(
        parts: [Int], limit: Int, length: Int
    ) throws {
        let disk = SimulatedDisk()
        let file = try disk.root.createFile("file")
        var space = ReservedSpace(fileByteCount: 0)
        var written: [UInt8] = []
        for part in parts {
            let bytes = [UInt8](repeating: 7, count: part)
            try space.write(bytes, at: written.count, to: file, reservingUpTo: limit)
            written += bytes
        }
        #expect(space.fileByteCount == length)
        let reservedBytes = [UInt8](repeating: 0, count: length - written.count)
        #expect(disk.file("file") == written + reservedBytes)
    }

    @Test func `L4: changes to a file are detected even if its space could not be released`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.truncate]))
        #expect(throws: SaveError.self) { try archive.releaseReservedSpace() }
        disk.inject(nil)
        #expect(try archive.check(readingContents: true) == .unchanged)
        var bytes = try #require(disk.file(Sample.file))
        bytes[100] ^= 1
        disk.put(bytes, at: Sample.file)
        guard case .unusable = try archive.check(readingContents: true) else {
            Issue.record("the change was not detected")
            return
        }
    }

    @Test func `P16: nothing is written after an incomplete write that cannot be removed`() throws {
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk)
        archive.reservesSpace = true
        _ = try archive.load()
        try archive.append(Sample.first)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        let refusedKinds = Mutex<Set<DiskOperation.Kind>>([.truncate])
        disk.setGate { kind in refusedKinds.withLock { $0.remove(kind) == nil } }
        #expect(throws: SaveError.self) { try archive.append(Sample.second) }
        disk.setGate(nil)
        disk.inject(nil)
        try archive.append(TurnRecords())
        #expect(!archive.isChangedExternally)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `P16: a failed write that begins in reserved space is an error`() throws {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        archive.reservesSpace = false
        var turn = TurnRecords()
        turn.addObject(
            Sample.header(6, below: 5, "child"), values: [UInt8](repeating: 1, count: 5000))
        turn.endPass(PassEnd(scene: 5, timestamp: 4_000_000))
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.write]))
        #expect(throws: SaveError.self) { try archive.append(turn) }
        disk.inject(nil)
        #expect(archive.hasPendingChanges)
        try archive.append(TurnRecords())
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }
}
