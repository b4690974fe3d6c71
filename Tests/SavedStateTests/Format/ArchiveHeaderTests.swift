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

    @Test(arguments: 0..<24 as Range<UInt8>)
    func `a header that claims to be shorter than 24 bytes is invalid`(length: UInt8) {
        var bytes = header(identifierByteCount: 20).encoded()
        bytes[12] = length
        guard case .invalid(let reason) = ArchiveHeader.parse(bytes) else {
            Issue.record("it was accepted")
            return
        }
        #expect(reason == "its header is truncated or has an invalid length")
    }

    @Test(
        arguments: [
            ([], true), ([0], true), ([0, 0, 0, 0, 0, 0, 0], true),
            ([0, 0, 0, 0, 0, 0, 0, 0], false),
            ([1], false), ([0, 0, 0, 1], false),
        ] as [([UInt8], Bool)])
    func `the padding of a header consists of at most seven zeros`(
        padding: [UInt8], isWellFormed: Bool
    ) {
        // Without padding, the header ends with the bundle identifier.
        var bytes = Array(header(identifierByteCount: 6).encoded().dropLast(8)) + padding
        bytes[12] = UInt8(bytes.count + 8)
        bytes.appendLittleEndian(checksum(bytes))
        switch ArchiveHeader.parse(bytes) {
        case .header(let start):
            #expect(isWellFormed)
            #expect(start.header == header(identifierByteCount: 6))
        case .invalid(let reason):
            #expect(!isWellFormed)
            #expect(reason == "the padding of its header is invalid")
        case .newer: Issue.record("the version has not changed")
        }
    }

    @Test func `a wrong header length of more than 4096 bytes is not used for reconstruction`()
        throws
    {
        var turn = TurnRecords()
        turn.addObject(Sample.header(1, below: 0, "main"), values: [])
        turn.addName("Token", number: 1)
        for number in 2...4 as ClosedRange<UInt32> {
            turn.addObject(
                Sample.header(number, below: 1, "x"), values: [UInt8](repeating: 7, count: 3_000))
        }
        turn.endPass(PassEnd(scene: 1))
        var bytes = Sample.log([turn])
        let far = try #require(ArchiveInspection(bytes).records.first { $0.offset > 4_096 })
        var length: [UInt8] = []
        length.appendLittleEndian(UInt32(far.offset))
        bytes.replaceSubrange(12..<16, with: length)
        let start = try #require(ArchiveStart(reconstructing: bytes))
        #expect(start.headerByteCount == 72)
        #expect(ArchiveInspection(bytes).contents?.numbers == [1, 2, 3, 4])
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
