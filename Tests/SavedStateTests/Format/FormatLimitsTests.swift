import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of the limits of headers, records and payloads.
@Suite struct FormatLimitsTests {
    private let end = ArchiveEntry(.nothing, end: PassEnd())

    private func read(_ bytes: [UInt8]) -> ArchiveReader.Outcome {
        ArchiveReader.read(bytes, bundleIdentifier: Sample.application)
    }

    // MARK: Payloads

    private func isWellFormed(_ type: RecordType, _ payload: [UInt8]) -> Bool {
        payload.withUnsafeBytes { ArchiveFormat.isWellFormed(type, $0) }
    }

    /// Returns the payload of an object without the bytes after its fixed fields.
    private func fields(
        reserved: UInt8 = 0, identifierByteCount: UInt8 = 0, keyCount: UInt8 = 0
    ) -> [UInt8] {
        [UInt8](repeating: 0, count: 25) + [reserved, identifierByteCount, 0, keyCount, 0]
    }

    @Test func `a name and an identifier are accepted only if they are valid UTF-8`() {
        let texts: [(bytes: [UInt8], isValid: Bool)] = [
            (Array("a".utf8), true), (Array("é".utf8), true), ([0x7F], true), ([0x80], false),
            ([0xFF], false),
        ]
        for (bytes, isValid) in texts {
            let object = fields(identifierByteCount: UInt8(bytes.count)) + bytes
            #expect(isWellFormed(.name, [1, 0, 0, 0] + bytes) == isValid, "\(bytes)")
            #expect(isWellFormed(.object, object) == isValid, "\(bytes)")
            #expect(isWellFormed(.placement, object) == isValid, "\(bytes)")
        }
    }

    @Test func `an object is accepted only if it contains its identifier and its keys`() {
        for type in [.object, .placement] as [RecordType] {
            #expect(isWellFormed(type, fields()))
            #expect(!isWellFormed(type, Array(fields().dropLast())))
            #expect(!isWellFormed(type, fields(reserved: 1)))
            #expect(!isWellFormed(type, fields(identifierByteCount: 1)))
            #expect(!isWellFormed(type, fields(keyCount: 1)))
        }
        #expect(!isWellFormed(.object, fields(keyCount: 1) + [1, 0, 0]))
        #expect(isWellFormed(.object, fields(keyCount: 1) + [1, 0, 0, 0]))
        #expect(!isWellFormed(.placement, fields(keyCount: 1) + [1, 0, 0, 0]))
    }

    // MARK: Headers

    @Test func `the published sequence number of a header is at most 2^61`() {
        var header = ArchiveHeader(
            fileID: Array(1...16), publishedSequence: 1 << 61, bundleIdentifier: "a.b")
        #expect(ArchiveHeader(header.encoded()) == header)
        header.publishedSequence += 1
        guard case .invalid(let reason) = ArchiveHeader.parse(header.encoded()) else {
            Issue.record("it was accepted")
            return
        }
        #expect(reason == "a sequence number in its header is too high")
    }

    @Test func `a file that begins with eight zeros counts as changed, not as a different file`() {
        let bytes = [UInt8](repeating: 0, count: 8) + [1]
        guard case .invalid(let reason) = ArchiveHeader.parse(bytes) else {
            Issue.record("it was accepted")
            return
        }
        #expect(reason == "its first bytes are zeros")
        #expect(Damage.Cause(bytes, bundleIdentifier: Sample.application) == .changedBytes)
        let other = Array(bytes.dropFirst())
        #expect(Damage.Cause(other, bundleIdentifier: Sample.application) == .notAnArchive)
    }

    @Test(arguments: [(4096, true), (4097, false)])
    func `a damaged header is reconstructed if it is at most 4096 bytes long`(
        length: Int, isReconstructed: Bool
    ) {
        var bytes = ArchiveFormat.magic
        bytes.appendLittleEndian(ArchiveFormat.version)
        bytes.appendLittleEndian(UInt32(length))
        bytes += [UInt8](repeating: 0, count: length - 24)
        // The checksum is wrong, but a record that continues from it follows.
        bytes.appendLittleEndian(UInt64(5))
        let chain = EncodedRecords.ChainEnd(sequence: 0, checksum: 5, fileMark: 0)
        bytes += EncodedRecords(continuing: chain, RecordList([end]), syncedSequence: 0).bytes
        #expect(
            ArchiveStart(reconstructing: bytes)?.headerByteCount == (isReconstructed ? length : nil)
        )
    }

    // MARK: The end of a file

    @Test func `L5: an archive is not closed if an incomplete pass follows the closed record`() {
        let closed = [end, ArchiveEntry(.closed, end: PassEnd())]
        guard case .whole(let whole) = read(Sample.log(closed)), whole.isClosed else {
            Issue.record("it is not closed")
            return
        }
        let name = ArchiveEntry(.name(number: 1, text: "x"))
        guard case .torn(let prefix, let tail) = read(Sample.log(closed + [name], published: 2))
        else {
            Issue.record("it is not torn")
            return
        }
        #expect(!prefix.isClosed)
        #expect(tail.reason == "its last pass is incomplete")
    }

    @Test func `L5: the last record of a file can show that broken bytes were durable`() {
        var bytes = Sample.log([ArchiveEntry(.nothing), end], published: 0)
        let first = ArchiveBytes(bytes).records[0]
        bytes[first.lowerBound + 8] ^= 0x10
        guard case .damaged = read(bytes) else {
            Issue.record("it is not damaged")
            return
        }
    }
}
