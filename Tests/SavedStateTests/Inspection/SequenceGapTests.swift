import StateRecords
import Testing

@testable import SavedState

/// Tests of records that do not continue the sequence numbers, and of bytes that cannot be records.
@Suite struct SequenceGapTests {
    @Test(
        arguments: [
            ([1, 2, 3], [true, true, true]), ([1, 3, 4], [true, false, true]),
            ([1, 2, 2, 3], [true, true, false, true]),
            ([1, .max, 3, 4], [true, false, false, true]),
        ] as [([UInt64], [Bool])])
    func `a record that does not continue the sequence numbers is malformed and hides no records`(
        sequences: [UInt64], areIntact: [Bool]
    ) throws {
        let end = RecordList([ArchiveEntry(.nothing, end: PassEnd())])
        var bytes = Sample.log(end)
        let fileMark = try #require(ArchiveHeader(bytes)).fileMark
        for sequence in sequences.dropFirst() {
            let chain = EncodedRecords.ChainEnd(
                sequence: sequence - 1, checksum: bytes.storedChecksum(endingAt: bytes.count),
                fileMark: fileMark)
            bytes += EncodedRecords(continuing: chain, end, syncedSequence: 0).bytes
        }
        let pieces = Array(ArchiveInspection(bytes).records)
        #expect(pieces.compactMap(\.prefix?.sequence) == sequences)
        #expect(pieces.count == areIntact.count)
        for (piece, isIntact) in zip(pieces, areIntact) {
            switch piece.finding {
            case .intact: #expect(isIntact)
            case .malformed(_, let reason):
                #expect(!isIntact)
                #expect(reason == "the sequence numbers of its records have a gap")
            default: Issue.record("it has no correct checksum")
            }
        }
    }

    /// Tests with the flags and the sequence number of bytes that look like long records.
    @Test(arguments: [(0xFE, 2), (0, 1 << 61 + 1), (0, .max)] as [(UInt8, UInt64)])
    func `bytes that cannot be a record do not use up the search for records`(
        flags: UInt8, sequence: UInt64
    ) {
        let count = 100
        let end = RecordList([ArchiveEntry(.nothing, end: PassEnd())])
        var bytes: [UInt8] = []
        for number in 0..<count {
            // The length reaches almost to the end of the record that follows all of them.
            bytes.appendLittleEndian(UInt32(24 * (count - number) + 51))
            bytes += [RecordType.nothing.rawValue, flags, 0, 0]
            bytes.appendLittleEndian(sequence)
            bytes.appendLittleEndian(UInt64.max)
        }
        let chain = EncodedRecords.ChainEnd(sequence: 0, checksum: .max, fileMark: 0)
        bytes += EncodedRecords(continuing: chain, end, syncedSequence: 0).bytes
        let pieces = Array(RecordScan(bytes, from: nil))
        #expect(pieces.map(\.byteCount) == [24 * count, 52])
        #expect(pieces.map(\.isChecksumValid) == [nil, true])
    }
}
