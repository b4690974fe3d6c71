import Testing

@testable import Encryption

/// Frames of encrypted contents, and the search for them in a damaged file.
@Suite struct FileCipherTests {
    /// A sync marker whose last four bytes are also the length of the longest frame.
    private static let syncMarker: [UInt8] = [1, 2, 3, 4, 0, 0x40, 0, 0]

    private let cipher: FileCipher
    private let header: [UInt8]

    init() throws {
        cipher = FileCipher(try EncryptionKey(Array(1...32)), syncMarker: Self.syncMarker)
        header = cipher.header.encoded()
    }

    /// Encrypts each part in a frame of its own, for a file that consists of these parts.
    private func frames(_ parts: [[UInt8]]) -> [[UInt8]] {
        var offset = 0
        return parts.map { part in
            defer { offset += part.count }
            return cipher.seal(part, at: offset)
        }
    }

    @Test(arguments: [(40_960, false), (40_961, true)])
    func `the search for a frame stops after apparent frames of eight times the file's length`(
        count: Int, isFound: Bool
    ) {
        var bytes = header
        // A frame of 16,384 bytes appears to start at each of the sync markers.
        for _ in 1...20 { bytes += Self.syncMarker }
        bytes += cipher.seal([7, 8], at: 0)
        bytes.appendZeros(count - bytes.count)
        #expect(cipher.open(bytes).bytes.starts(with: [7, 8]) == isFound)
    }

    @Test func `bytes between frames, and frames that appear again, are skipped`() {
        let parts = frames([[1, 1], [2, 2]])
        let (first, second) = (parts[0], parts[1])
        let cases: [(sealed: [[UInt8]], bytes: [UInt8], isIntact: Bool)] = [
            ([first, second], [1, 1, 2, 2], true), ([[9], first, second], [1, 1, 2, 2], false),
            ([first, [9, 9, 9], second], [1, 1, 2, 2], false),
            ([first, first, second], [1, 1, 2, 2], false),
            ([first, second, first], [1, 1, 2, 2, 0xFF, 0xFF], false),
        ]
        for (sealed, bytes, isIntact) in cases {
            let contents = cipher.open(header + sealed.joined())
            #expect(contents.bytes == bytes)
            #expect(contents.isIntact == isIntact)
        }
    }

    @Test(
        arguments: [
            (0, 0, 0), (1, 0, 40), (2, 0, 40), (3, 3, 91), (6, 3, 91), (7, 7, 143), (11, 7, 143),
            (12, 12, 196), (99, 12, 196),
        ])
    func `the last frame up to a length ends at or before this length`(
        length: Int, plaintextLength: Int, sealedLength: Int
    ) {
        let parts = frames([[1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3, 3]])
        let end = cipher.lastFrameEnd(upTo: length, in: header + parts.joined())
        #expect(end.plaintextLength == plaintextLength)
        #expect(end.sealedLength == sealedLength)
    }

    @Test func `a frame after a missing frame does not count as the last frame`() {
        let parts = frames([[1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3, 3]])
        let end = cipher.lastFrameEnd(upTo: 12, in: header + parts[0] + parts[2])
        #expect(end.plaintextLength == 3)
        #expect(end.sealedLength == 91)
    }
}
