import Glibc
import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

/// Tests of archives at the maximum size, and of files whose length is unknown.
@Suite struct FileLimitTests {
    private let bytes = Sample.log([Sample.first], published: 6)

    @Test func `L5: an archive of the maximum size is loaded, and a longer archive is refused`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put(bytes, at: Sample.file)
        let archive = Sample.archive(on: disk, limit: bytes.count)
        #expect(try archive.load() == .loaded(isClosed: false, tornTail: nil))
        let limited = Sample.archive(on: disk, limit: bytes.count - 1)
        #expect(throws: LoadError.io(IOError(.read, path: archive.path, code: EFBIG))) {
            try limited.load()
        }
        #expect(disk.file(Sample.file) == bytes)
    }

    @Test func `L4: another program's archive can be used unless it exceeds the maximum size`()
        throws
    {
        let disk = SimulatedDisk()
        let archives = [0, 1].map { Sample.archive(on: disk, limit: bytes.count - $0) }
        for archive in archives { #expect(try archive.load() == LoadOutcome.none) }
        disk.put(bytes, at: Sample.file)
        guard case .replaced(let replacement) = try archives[0].check(readingContents: false),
            case .unusable(let reason, _) = try archives[1].check(readingContents: false)
        else {
            Issue.record("unexpected results")
            return
        }
        #expect(replacement.bytes == bytes)
        #expect(reason == "it has \(bytes.count) bytes, and the limit is \(bytes.count - 1)")
    }

    @Test func `if the status of an abandoned file is unknown, no length counts as a change`()
        throws
    {
        let end = EncodedRecords.ChainEnd(sequence: 0, checksum: 1, fileMark: 1)
        let file = ArchiveFile(
            file: try SimulatedDisk().root.createFile("x"), path: "x", end: end, byteCount: 0,
            syncedSequence: 0)
        let statuses = (1...3 as ClosedRange<UInt64>).map { FileStatus(size: 10, inode: $0) }
        var known = KnownFiles()
        for status in statuses { known.add(status) }
        func acceptedLengths() -> [Bool?] {
            statuses.map { status in
                var longer = status
                longer.size += 1
                return known.knownFile(matching: longer)?.hasLength(of: longer)
            }
        }
        #expect(acceptedLengths() == [false, false, false])
        known.markAbandoned(file, nil)
        #expect(acceptedLengths() == [true, true, true])
    }
}
