import StateRecords
import Testing

@testable import SavedState

/// Tests of headers of every length.
@Suite struct ArchiveHeaderTests {
    private func header(identifierByteCount: Int) -> ArchiveHeader {
        ArchiveHeader(
            fileID: Array(1...16), publishedSequence: 7,
            bundleIdentifier: String(repeating: "x", count: identifierByteCount))
    }

    @Test func `a header of up to 4096 bytes is parsed as it was encoded, with or without padding`()
    {
        for count in Array(0...24) + Array(4030...4046) {
            let written = header(identifierByteCount: count)
            #expect(ArchiveHeader(written.encoded()) == written, "\(count) bytes")
        }
        #expect(header(identifierByteCount: 4046).encoded().count == 4096)
        let longer = header(identifierByteCount: 4047).encoded()
        guard case .invalid(let reason) = ArchiveHeader.parse(longer) else {
            Issue.record("a longer header was accepted")
            return
        }
        #expect(reason == "its header is truncated or has an invalid length")
    }

    @Test func `the header of a newer version may be 24 to 4096 bytes long`() {
        for (length, isWellFormed) in [(23, false), (24, true), (4096, true), (4097, false)] {
            var bytes = ArchiveFormat.magic
            bytes.appendLittleEndian(UInt32(2))
            bytes.appendLittleEndian(UInt32(length))
            bytes += [UInt8](repeating: 0, count: max(0, length - 24))
            bytes.appendLittleEndian(checksum(bytes))
            if case .newer(version: 2) = ArchiveHeader.parse(bytes) {
                #expect(isWellFormed, "\(length) bytes")
            } else {
                #expect(!isWellFormed, "\(length) bytes")
            }
        }
    }

    @Test func `a damaged header of the shortest length is reconstructed`() {
        var bytes = Sample.log([Sample.first], application: "a.b")
        #expect(bytes[12] == 56)
        bytes[16] ^= 1
        let inspection = ArchiveInspection(bytes)
        #expect(!inspection.isHeaderIntact)
        #expect(inspection.header?.bundleIdentifier == "a.b")
        #expect(inspection.contents?.numbers == [1, 2, 3, 4])
    }
}
