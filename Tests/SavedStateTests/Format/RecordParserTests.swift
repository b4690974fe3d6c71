import StateRecords
import Testing

@testable import SavedState

/// Tests of records that have a correct checksum, but fields that the program never writes.
@Suite struct RecordParserTests {
    /// Fields of a record that ends a pass and has no payload.
    private struct Fields {
        var flags = ArchiveFormat.passEndFlag
        var reserved: UInt16 = 0
        var sequence: UInt64 = 7
        var synced: UInt64 = 6

        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.appendLittleEndian(UInt32(52))
            bytes += [RecordType.nothing.rawValue, flags]
            bytes.appendLittleEndian(reserved)
            bytes.appendLittleEndian(sequence)
            bytes.appendLittleEndian(UInt64(5))
            bytes.appendLittleEndian(synced)
            bytes.appendLittleEndian(UInt32(1))
            bytes.appendLittleEndian(Int64(2))
            bytes.appendLittleEndian(checksum(bytes))
            return bytes
        }
    }

    /// Parses a record, and returns the reason why it is illegal, or `nil` if it is intact.
    private func problem(
        _ fields: Fields, fileMark: UInt64? = 5, expectedSequence: UInt64? = nil
    ) -> String? {
        let parser = RecordParser(bytes: fields.bytes, fileMark: fileMark)
        switch parser.parse(at: 0, seed: 0, sequence: expectedSequence) {
        case .intact: return nil
        case .illegal(let reason), .broken(let reason): return reason
        }
    }

    @Test func `a record that ends a pass contains the scene, the time and the synced number`()
        throws
    {
        let parser = RecordParser(bytes: Fields().bytes, fileMark: 5)
        guard case .intact(let intact) = parser.parse(at: 0, seed: 0, sequence: 7) else {
            Issue.record("it is not intact")
            return
        }
        #expect(intact.type == .nothing)
        #expect(intact.sequence == 7)
        #expect(intact.syncedSequence == 6)
        #expect(intact.passEnd == PassEnd(scene: 1, timestamp: 2))
        #expect(intact.payloadRange.isEmpty)
        #expect(intact.endOffset == 52)
    }

    @Test func `flags and reserved bytes without a meaning are illegal`() {
        let reason = "a record has an unknown type or flags"
        #expect(problem(Fields()) == nil)
        for flags: UInt8 in [2, 3, 0x80, 0x81] { #expect(problem(Fields(flags: flags)) == reason) }
        for reserved: UInt16 in [1, 0x100, 0xFFFF] {
            #expect(problem(Fields(reserved: reserved)) == reason)
        }
    }

    @Test(
        arguments: [
            (1, nil, true), (0, nil, false), (1 << 61, nil, true), (1 << 61 + 1, nil, false),
            (.max, nil, false), (7, 7, true), (7, 6, false), (7, 8, false), (0, 0, false),
        ] as [(UInt64, UInt64?, Bool)])
    func `a sequence number is between 1 and 2^61, and equal to the expected number`(
        sequence: UInt64, expectedSequence: UInt64?, isLegal: Bool
    ) {
        let problem = problem(
            Fields(sequence: sequence, synced: 0), expectedSequence: expectedSequence)
        #expect(
            problem == (isLegal ? nil : "the sequence numbers of its records have a gap"))
    }

    @Test(
        arguments: [
            (5, 6, true), (5, 7, true), (5, 8, false), (6, 6, false), (nil, 7, true),
            (nil, 8, false),
        ] as [(UInt64?, UInt64, Bool)])
    func `the end of a pass has the file's mark, and does not claim that later records are synced`(
        fileMark: UInt64?, synced: UInt64, isLegal: Bool
    ) {
        let problem = problem(Fields(synced: synced), fileMark: fileMark)
        #expect(problem == (isLegal ? nil : "the end of a pass is invalid"))
    }
}
