import Encryption
import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Synchronization
import TestSupport
import Testing

@testable import SavedState

/// Tests of the zeros after the last record, which later records overwrite.
@Suite struct ReservedSpaceTests {
    /// Returns an archive with reserved space that contains ``Sample/first`` and ``Sample/second`` durably.
    private func reserved(
        on disk: SimulatedDisk, maximumUncompactedBytes: Int = 1 << 20
    ) throws -> ApplicationArchive {
        let archive = ApplicationArchive(
            bundleIdentifier: Sample.application, below: disk.root,
            maximumUncompactedBytes: maximumUncompactedBytes)
        archive.reservesSpace = true
        _ = try archive.load()
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        try Sample.synchronize(archive)
        return archive
    }

    private func bytes(on disk: SimulatedDisk) throws -> [UInt8] {
        try #require(disk.file(Sample.file))
    }

    private func zeroCount(_ bytes: [UInt8]) -> Int {
        bytes.count - RecordParser.usedByteCount(bytes)
    }

    /// File as left by a killed process.
    private static let left =
        Sample.log([Sample.first, Sample.second], published: 6)
        + [UInt8](repeating: 0, count: 3000)

    // MARK: Files that only grow

    /// File whose bytes cannot be overwritten, like the bytes of an encrypted file.
    private final class GrowingFile: FileProtocol {
        let written = Mutex<[UInt8]>([])
        let path = "/growing"

        func write(_ bytes: [UInt8]) { written.withLock { $0 += bytes } }
        func read(from offset: Int, upTo byteCount: Int) -> [UInt8] { [] }
        func status() -> FileStatus {
            FileStatus(size: written.withLock(\.count), linkCount: 1, inode: 1)
        }
        func truncate(to length: Int) { written.withLock { $0.removeLast($0.count - length) } }
        func synchronize() {}
        func synchronizeData() {}
    }

    @Test func `a file that can only grow gets no reserved space and accepts an empty write`()
        throws
    {
        let file = GrowingFile()
        var space = ReservedSpace(fileByteCount: 0)
        try space.write([1, 2], at: 0, to: file, reservingUpTo: 1 << 20)
        try space.write([], at: 2, to: file, reservingUpTo: 1 << 20)
        try space.write([3], at: 2, to: file, reservingUpTo: 1 << 20)
        #expect(file.written.withLock { $0 } == [1, 2, 3])
        #expect(space.fileByteCount == 3)
    }

    // MARK: Reserving

    @Test
    func `records overwrite reserved space, and the file grows only when the space is used up`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        var lengths: Set = [try bytes(on: disk).count]
        #expect(lengths == [4096])
        for _ in 0..<100 {
            try Sample.grow(archive, times: 3)
            lengths.insert(try bytes(on: disk).count)
        }
        // The reserved space grows with the file, in steps of up to 16 KiB.
        #expect(lengths == [4096, 8192, 16_384, 32_768, 49_152])
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `space is reserved only on request, and a whole new file has no reserved space`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        #expect(zeroCount(try bytes(on: disk)) == 0)
        archive.reservesSpace = true
        try archive.append(Sample.late)
        #expect(zeroCount(try bytes(on: disk)) > 0)
        try archive.requireNewFile()
        try archive.append(TurnRecords())
        #expect(zeroCount(try bytes(on: disk)) == 0)
    }

    @Test func `a turn that does not fit overwrites the rest of the reserved space`() throws {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        archive.reservesSpace = false
        var turn = TurnRecords()
        turn.addObject(
            Sample.header(6, below: 5, "child"), values: [UInt8](repeating: 1, count: 5000))
        turn.endPass(PassEnd(scene: 5, timestamp: 4_000_000))
        try archive.append(turn)
        #expect(try bytes(on: disk).count > 5000)
        #expect(zeroCount(try bytes(on: disk)) == 0)
        try Sample.grow(archive, times: 1)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `a file with reserved space does not exceed the maximum length`() throws {
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk, limit: 6000)
        archive.reservesSpace = true
        _ = try archive.load()
        try archive.append(Sample.first)
        for _ in 0..<50 {
            try Sample.grow(archive, times: 3)
            #expect(try bytes(on: disk).count <= 6000)
        }
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    // MARK: Reading

    @Test func `L5: zeros after the last record mark the end of the archive`() throws {
        guard
            case .whole(let prefix) = ArchiveReader.read(
                Self.left, bundleIdentifier: Sample.application)
        else {
            Issue.record("not whole")
            return
        }
        #expect(prefix.contents.numbers == [1, 2, 3, 5, 6])
        #expect(prefix.byteCount == Self.left.count - 3000)
    }

    @Test
    func `after a kill, a file with reserved space is not torn, and the next turn rewrites it`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put(Self.left, at: Sample.file)
        let archive = Sample.archive(on: disk)
        #expect(try archive.load() == .loaded(isClosed: false, tornTail: nil))
        try archive.append(Sample.late)
        #expect(archive.consumeIncidents().isEmpty)
        #expect(disk.names(in: "\(Sample.directory)/quarantine").isEmpty)
        #expect(zeroCount(try bytes(on: disk)) == 0)
        #expect(try Sample.contents(on: disk)?.values(6) == [8, 8])
    }

    @Test func `a file with a zero byte after its closed record is not closed`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.close()
        let closed = try bytes(on: disk)
        disk.put(closed + [0], at: Sample.file)
        let next = Sample.archive(on: disk)
        #expect(try next.load() == .loaded(isClosed: false, tornTail: nil))
        try next.append(Sample.second)
        #expect(try bytes(on: disk).prefix(24) != closed.prefix(24))
    }

    @Test func `L5: zeros in place of records that the header marks as synced count as damage`() {
        let bytes =
            Sample.log([Sample.first], published: 7, synced: 0) + [UInt8](repeating: 0, count: 100)
        guard case .damaged(let reason, _, _) = ArchiveReader.read(bytes, bundleIdentifier: nil)
        else {
            Issue.record("not damaged")
            return
        }
        #expect(reason == "its end is missing")
    }

    @Test(arguments: [false, true])
    func `L5: no records count after a torn record or a record of zeros`(isZero: Bool) {
        let kept = Sample.log([Sample.first], published: 6).count
        var bytes = Sample.log([Sample.first, Sample.second, Sample.late], published: 6, synced: 6)
        let torn = kept + (isZero ? 0 : 30)
        bytes.replaceSubrange(torn..<kept + 40, with: repeatElement(0, count: kept + 40 - torn))
        bytes += [UInt8](repeating: 0, count: 500)
        guard case .torn(let prefix, let tail) = ArchiveReader.read(bytes, bundleIdentifier: nil)
        else {
            Issue.record("not torn")
            return
        }
        #expect(tail.offset == kept)
        #expect(prefix.contents.numbers == [1, 2, 3, 4])
    }

    @Test func `an incomplete pass before reserved space is torn`() throws {
        let records = Sample.log(
            [ArchiveEntry(.name(number: 1, text: "Token"))], published: 0)
        let bytes = records + [UInt8](repeating: 0, count: 100)
        guard case .torn(let prefix, let tail) = ArchiveReader.read(bytes, bundleIdentifier: nil)
        else {
            Issue.record("not torn")
            return
        }
        #expect(tail.reason == "its last pass is incomplete")
        #expect(!prefix.hasCompletePass)
    }

    @Test func `an inspection describes the file without its reserved space`() {
        let inspection = ArchiveInspection(Self.left)
        let exact = ArchiveInspection(Array(Self.left.dropLast(3000)))
        #expect(inspection.condition == .whole)
        #expect(inspection.byteCount == Self.left.count - 3000)
        #expect(inspection.totals() == exact.totals())
        #expect(inspection.totals().faultCount == 0)
        #expect(Array(inspection.records) == Array(exact.records))
    }

    @Test func `L5: a salvage finds the same objects with and without reserved space`() throws {
        var bytes = Sample.log([Sample.first], published: 6)
        bytes[bytes.count - 10] ^= 1
        let exact = try #require(
            ArchiveSalvage(bytes, bundleIdentifier: Sample.application) { _ in [] })
        bytes += [UInt8](repeating: 0, count: 3000)
        let salvage = try #require(
            ArchiveSalvage(bytes, bundleIdentifier: Sample.application) { _ in [] })
        #expect(salvage.damage == exact.damage)
        #expect(salvage.contents.state == exact.contents.state)
    }

    // MARK: Failing writes

    @Test(arguments: [ENOSPC, EDQUOT, EFBIG])
    func `if reserved space does not fit on the disk, the records are written without it`(
        code: CInt
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        archive.reservesSpace = true
        try archive.append(Sample.first)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: code, kinds: [.write], writtenPercent: 90))
        #expect(try archive.append(Sample.second) == .written)
        #expect(disk.hasFaultOccurred)
        #expect(!archive.hasPendingChanges)
        #expect(zeroCount(try bytes(on: disk)) == 0)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test(arguments: [0, 30, 60, 99])
    func `P16: a failed write leaves no bytes in reserved space`(percent: Int) throws {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        let before = try bytes(on: disk)
        disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: EIO, kinds: [.write], writtenPercent: percent))
        #expect(throws: SaveError.self) { try archive.append(Sample.late) }
        #expect(try bytes(on: disk) == Array(before.prefix(RecordParser.usedByteCount(before))))
        #expect(archive.hasPendingChanges)
        #expect(try archive.append(TurnRecords()) == .written)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `P16: after a failed write that cannot be undone, a whole new file is written`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        let before = try bytes(on: disk)
        disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: EIO, isPermanent: true, kinds: [.write, .truncate]))
        #expect(throws: SaveError.self) { try archive.append(Sample.late) }
        disk.inject(nil)
        try archive.append(TurnRecords())
        #expect(try bytes(on: disk).prefix(24) != before.prefix(24))
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    // MARK: Power cuts

    @Test func `P14: a power cut leaves the synced state and a prefix of the later turns`() throws {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        let synced = try #require(archive.contents).state
        try archive.append(Sample.late)
        let first = try #require(archive.contents).state
        try Sample.grow(archive, times: 1)
        let second = try #require(archive.contents).state
        let snapshot = disk.snapshot
        var found: Set<Int> = []
        for seed in 0..<2000 as Range<UInt64> {
            let state = try Sample.contents(on: snapshot.afterPowerCut(seed: seed))?.state
            found.insert(try #require([synced, first, second].firstIndex { $0 == state }))
        }
        #expect(found == [0, 1, 2])
        try Sample.synchronize(archive)
        #expect(try Sample.contents(on: disk.copy(afterPowerCut: true))?.state == second)
    }

    // MARK: Files of an exact length

    @Test func `an orderly stop leaves a file of exact length, and later turns are appended to it`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        try archive.close()
        let cut = disk.copy(afterPowerCut: true)
        let closed = try bytes(on: cut)
        #expect(zeroCount(closed) == 0)
        let next = Sample.archive(on: cut)
        #expect(try next.load() == .loaded(isClosed: true, tornTail: nil))
        try next.markOpened()
        try next.append(Sample.late)
        #expect(try bytes(on: cut).starts(with: closed))
    }

    @Test func `a stop that cannot release the reserved space writes a whole new file`() throws {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.truncate]))
        try archive.close()
        #expect(disk.hasFaultOccurred)
        #expect(zeroCount(try bytes(on: disk)) == 0)
        #expect(
            try Sample.archive(on: disk.copy(afterPowerCut: true)).load()
                == .loaded(isClosed: true, tornTail: nil))
    }

    @Test func `released space does not count as a change and is reserved again by the next turn`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        try archive.releaseReservedSpace()
        #expect(zeroCount(try bytes(on: disk)) == 0)
        #expect(try archive.check(readingContents: true) == .unchanged)
        try archive.append(Sample.late)
        #expect(try bytes(on: disk).count == 4096)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `L1: a generation contains no reserved space`() throws {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        try archive.requireGeneration(because: "of a test")
        try archive.append(Sample.late)
        try Sample.synchronize(archive)
        try archive.remove(because: "of a test")
        for (name, values) in [("000001", [6]), ("000002", [8, 8])] as [(String, [UInt8])] {
            let bytes = try #require(disk.file("\(Sample.directory)/history/\(name).archive"))
            #expect(zeroCount(bytes) == 0)
            guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
                Issue.record("not whole")
                return
            }
            #expect(prefix.contents.values(6) == values)
        }
    }

    // MARK: Other programs

    @Test
    func `L4: reserved space does not count as another program's change, but its removal does`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        for readingContents in [false, true] {
            #expect(try archive.check(readingContents: readingContents) == .unchanged)
        }
        let used = RecordParser.usedByteCount(try bytes(on: disk))
        try #require(try directory.openForAppending("data.archive")).truncate(to: used)
        #expect(throws: SaveError.self) { try archive.append(Sample.late) }
        #expect(archive.isChangedExternally)
    }

    @Test func `L4: bytes that another program appends or writes to reserved space are detected`()
        throws
    {
        for appends in [true, false] {
            let disk = SimulatedDisk()
            let archive = try reserved(on: disk)
            let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
            let file = try #require(try directory.openForAppending("data.archive"))
            if appends {
                try file.write([1])
                // The space is released only if no other program has changed the file.
                let before = try bytes(on: disk)
                try archive.releaseReservedSpace()
                #expect(try bytes(on: disk) == before)
            } else {
                try file.write([1], at: 4000)
            }
            guard case .unusable = try archive.check(readingContents: true) else {
                Issue.record("it is taken for the file that was written")
                return
            }
            #expect(throws: SaveError.self) { try archive.append(Sample.late) }
        }
    }

    @Test func `L4: an earlier state of equal length that is copied over the file is detected`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        let earlier = try bytes(on: disk)
        try archive.append(Sample.late)
        #expect(try bytes(on: disk).count == earlier.count)
        disk.put(earlier, at: Sample.file)
        try archive.releaseReservedSpace()
        #expect(try bytes(on: disk) == earlier)
        guard case .replaced = try archive.check(readingContents: false) else {
            Issue.record("it is taken for the file that was written")
            return
        }
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        #expect(try bytes(on: disk) == earlier)
    }

    @Test func `L4: no turn overwrites an earlier state that was copied over the file`() throws {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk)
        let earlier = try bytes(on: disk)
        try archive.append(Sample.late)
        disk.put(earlier, at: Sample.file)
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        #expect(archive.isChangedExternally)
        #expect(try bytes(on: disk) == earlier)
    }

    @Test func `L9: a hard link to a file with reserved space keeps its bytes`() throws {
        for releases in [false, true] {
            try withScratchDirectory { path in
                let directory = try #require(try Directory.open(path))
                let archive = ApplicationArchive(
                    bundleIdentifier: Sample.application, below: directory)
                archive.reservesSpace = true
                _ = try archive.load()
                try archive.append(Sample.first)
                try archive.append(Sample.second)
                #expect(link("\(path)/\(Sample.file)", "\(path)/other") == 0)
                let before = try #require(try directory.read("other", limit: 1 << 20))
                #expect(zeroCount(before) > 0)
                if releases { try archive.releaseReservedSpace() }
                try archive.append(Sample.late)
                try archive.close()
                #expect(try directory.read("other", limit: 1 << 20) == before)
                let next = ApplicationArchive(
                    bundleIdentifier: Sample.application, below: directory)
                #expect(try next.load() == .loaded(isClosed: true, tornTail: nil))
                #expect(next.contents?.values(6) == [8, 8])
            }
        }
    }

    // MARK: Compaction

    @Test func `a compaction omits reserved space, and later turns are appended to both files`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk, maximumUncompactedBytes: 0)
        try Sample.grow(archive, times: 40)
        let copy = try #require(archive.beginCompaction())
        let result = copy.run()
        try Sample.grow(archive, times: 2)
        let exchange = try #require(archive.endCompaction(copy, result))
        try Sample.grow(archive, times: 3)
        #expect(archive.endCompaction(exchange, exchange.run()) == nil)
        #expect(zeroCount(try bytes(on: disk)) == 0)
        #expect(try archive.check(readingContents: true) == .unchanged)
        try Sample.grow(archive, times: 4)
        #expect(zeroCount(try bytes(on: disk)) > 0)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `P16: during an exchange of names, records are written to both files or to neither`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try reserved(on: disk, maximumUncompactedBytes: 0)
        try Sample.grow(archive, times: 40)
        let copy = try #require(archive.beginCompaction())
        let exchange = try #require(archive.endCompaction(copy, copy.run()))
        let before = try bytes(on: disk)
        #expect(zeroCount(before) > 0)
        // The first write overwrites reserved space in the old file, and the second write fails.
        disk.inject(SimulatedDisk.Fault(operation: 2, code: EIO, kinds: [.write]))
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        #expect(disk.hasFaultOccurred)
        #expect(try bytes(on: disk) == Array(before.prefix(RecordParser.usedByteCount(before))))
        try archive.append(TurnRecords())
        #expect(archive.endCompaction(exchange, exchange.run()) == nil)
        try Sample.grow(archive, times: 2)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    // MARK: Encryption

    @Test func `an encrypted archive has no reserved space, and a truncated one is torn`() throws {
        let keys = EncryptionKeys(sealing: try EncryptionKey(Array(1...32)))
        let disk = SimulatedDisk()
        func archive() -> ApplicationArchive {
            ApplicationArchive(
                bundleIdentifier: Sample.application, below: SealedDirectory(disk.root, keys: keys))
        }
        let written = archive()
        written.reservesSpace = true
        _ = try written.load()
        try written.append(Sample.first)
        let intact = try bytes(on: disk)
        try written.append(Sample.second)
        let appended = try bytes(on: disk)
        #expect(appended.starts(with: intact))
        #expect(appended.count < 4096)
        for cut in [intact.count + 1, intact.count + 60, appended.count - 1] {
            disk.put(Array(appended.prefix(cut)), at: Sample.file)
            guard case .loaded(isClosed: false, tornTail: .some) = try archive().load() else {
                Issue.record("not torn at \(cut)")
                return
            }
        }
    }
}
