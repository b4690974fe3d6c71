import StateRecords
import Testing

@testable import SavedState

/// Tests of the search for the next record after bytes that contain no record.
@Suite struct RecordScanTests {
    /// Appends the shortest record, which continues the chain from the last eight bytes.
    private func append(_ sequence: UInt64, to bytes: inout [UInt8]) {
        let end = EncodedRecords.ChainEnd(
            sequence: sequence - 1, checksum: bytes.storedChecksum(endingAt: bytes.count),
            fileMark: 0)
        bytes += EncodedRecords(continuing: end, .opened, syncedSequence: 0).bytes
    }

    /// Returns the sequence numbers in an archive with two records and a gap between them.
    ///
    /// The sequence number of the gap is `nil`.
    private func sequences(_ first: UInt64, gap: Int, _ second: UInt64) -> [UInt64?] {
        var bytes = ArchiveHeader(
            fileID: Array(1...16), publishedSequence: 0, bundleIdentifier: Sample.application
        ).encoded()
        append(first, to: &bytes)
        bytes += [UInt8](repeating: 0xA5, count: gap)
        append(second, to: &bytes)
        return ArchiveInspection(bytes).records.map(\.prefix?.sequence)
    }

    @Test(
        arguments: [
            (24, 5, false), (24, 6, true), (24, 7, true), (24, 8, false), (1, 6, true),
            (1, 7, false), (23, 6, true), (23, 7, false), (48, 8, true), (48, 9, false),
        ] as [(Int, UInt64, Bool)])
    func `L5: a record after a gap is found if the missing records fit into the gap`(
        gap: Int, sequence: UInt64, isFound: Bool
    ) {
        let found = sequences(5, gap: gap, sequence)
        #expect(found == (isFound ? [5, nil, sequence] : [5, nil]))
    }

    @Test func `L5: a record after a gap is found only if its sequence number is at most 2^61`() {
        let highest = UInt64(1) << 61
        let found = [highest, highest + 1].map { sequence in
            var bytes = [UInt8](repeating: 0xA5, count: 8)
            append(sequence, to: &bytes)
            return RecordScan(bytes, from: nil).map(\.prefix?.sequence)
        }
        #expect(found == [[nil, highest], [nil]])
        #expect(sequences(highest, gap: 24, 7) == [highest, nil])
    }
}
