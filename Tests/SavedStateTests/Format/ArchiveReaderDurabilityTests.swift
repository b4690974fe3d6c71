import StateRecords
import Testing

@testable import SavedState

/// Tests of what a file reveals about the records that were durable.
@Suite struct ArchiveReaderDurabilityTests {
    private func object(_ number: UInt32, below parent: UInt32) -> ArchiveEntry {
        let header = ObjectHeader(number: number, parent: parent, kind: 1, identifier: "x")
        return ArchiveEntry(.object(ObjectRecord(header: header, values: [])))
    }

    private let end = ArchiveEntry(.nothing, end: PassEnd(scene: 1))

    private func isDamaged(_ bytes: [UInt8]) -> Bool {
        if case .damaged = ArchiveReader.read(bytes, bundleIdentifier: nil) { true } else { false }
    }

    @Test(arguments: [(0, false), (1, true), (2, true)] as [(UInt64, Bool)])
    func `a file is damaged if it had a synced record of a pass that is not complete`(
        published: UInt64, isDamaged: Bool
    ) {
        var bytes = Sample.log(
            [object(1, below: 0), object(2, below: 1), end], published: published)
        bytes[bytes.count - 1] ^= 1
        #expect(self.isDamaged(bytes) == isDamaged)
    }

    @Test func `only a record that marks the file as closed ends a pass`() {
        let pass = [object(1, below: 0), end]
        let entries: [(ArchiveEntry, isLegal: Bool)] = [
            (ArchiveEntry(.closed, end: PassEnd()), true), (ArchiveEntry(.closed), false),
            (ArchiveEntry(.opened), true), (ArchiveEntry(.opened, end: PassEnd()), false),
        ]
        for (entry, isLegal) in entries {
            let outcome = ArchiveReader.read(Sample.log(pass + [entry]), bundleIdentifier: nil)
            switch outcome {
            case .whole: #expect(isLegal, "\(entry.record)")
            case .damaged(let reason, _, _):
                #expect(!isLegal, "\(entry.record)")
                #expect(reason == "a record that marks it as open or closed is inside a pass")
            default: Issue.record("\(entry.record) is neither legal nor damage")
            }
        }
    }

    /// Tests with a pass after unreadable bytes, for which record 7 is the first missing record.
    @Test(arguments: [(8, 7, true), (8, 6, false), (7, 7, false)] as [(UInt64, UInt64, Bool)])
    func `unreadable bytes are damage only if a later pass shows that a missing record was durable`(
        sequence: UInt64, synced: UInt64, isDamaged: Bool
    ) throws {
        var bytes = Sample.log([Sample.first], published: 6)
        let fileMark = try #require(ArchiveHeader(bytes)).fileMark
        bytes += [UInt8](repeating: 0xA5, count: 40)
        let chain = EncodedRecords.ChainEnd(
            sequence: sequence - 1, checksum: bytes.storedChecksum(endingAt: bytes.count),
            fileMark: fileMark)
        bytes += EncodedRecords(continuing: chain, RecordList([end]), syncedSequence: synced).bytes
        #expect(self.isDamaged(bytes) == isDamaged)
    }
}
