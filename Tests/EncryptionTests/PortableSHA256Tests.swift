import Testing

@testable import Encryption

/// SHA-256 without libcrypto.
@Suite struct PortableSHA256Tests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }

    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func `digests match the test vectors of the standard`(text: String, digest: String) {
        #expect(hex(PortableSHA256.digest(Array(text.utf8))) == digest)
    }

    @Test func `digests of inputs of any length match those of libcrypto`() {
        var bytes: [UInt8] = []
        for length in 0...260 {
            #expect(hex(PortableSHA256.digest(bytes)) == SHA256.hexDigest(of: bytes))
            bytes.append(UInt8(truncatingIfNeeded: length * 37 + 11))
        }
    }
}
