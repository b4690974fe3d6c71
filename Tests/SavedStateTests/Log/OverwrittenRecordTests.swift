import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of a file with reserved space that changes while it is checked.
@Suite struct OverwrittenRecordTests {
    private let records = RecordList([ArchiveEntry(.nothing, end: PassEnd())])

    @Test func `a file that is shortened after its status was read counts as changed`() throws {
        let base = try SimulatedDisk().root.createFile("data.archive")
        let newFile = EncodedRecords.completeArchive(
            records, bundleIdentifier: Sample.application, after: 0)
        try base.write(newFile.bytes)
        var file = ArchiveFile(base, path: base.path, newFile)
        try file.append(records, reservingUpTo: 1 << 20)
        #expect(file.fileByteCount > file.byteCount)
        let status = try base.status()
        #expect(try file.isUnchanged(status))
        try base.truncate(to: file.byteCount - 4)
        #expect(try !file.isUnchanged(status))
        #expect(try !file.isUnchanged(base.status()))
    }
}
