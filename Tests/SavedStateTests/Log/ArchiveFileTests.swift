import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of the file to which records are appended.
@Suite struct ArchiveFileTests {
    @Test func `even a single reserved byte is released`() throws {
        let disk = SimulatedDisk()
        let end = EncodedRecords.ChainEnd(sequence: 0, checksum: 1, fileMark: 1)
        var file = ArchiveFile(
            file: try disk.root.createFile("file"), path: "file", end: end, byteCount: 0,
            syncedSequence: 0)
        // The record consists of a frame of 24 bytes, a number of 4 bytes and the text.
        let text = String(repeating: "x", count: 4095 - 28)
        try file.append(
            RecordList([ArchiveEntry(.name(number: 1, text: text))]), reservingUpTo: 1 << 20)
        #expect(file.byteCount == 4095)
        #expect(disk.file("file")?.count == 4096)
        let isReleased = try file.releaseReservedSpace()
        #expect(isReleased)
        #expect(disk.file("file")?.count == 4095)
        #expect(file.fileByteCount == 4095)
    }

    @Test func `L4: the error reports the length of a file that another program has extended`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        let length = try #require(disk.file(Sample.file)).count
        try #require(try disk.root.openForAppending(Sample.file)).write([1])
        let reason = "it has \(length + 1) bytes, but should have \(length)"
        #expect(throws: SaveError.changedExternally(path: archive.path, reason: reason)) {
            try archive.append(Sample.second)
        }
    }
}
