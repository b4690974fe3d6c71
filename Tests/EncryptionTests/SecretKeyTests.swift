import Testing

@testable import Encryption

/// Derivation, encryption and decryption with the same results as other implementations of the standards.
@Suite struct SecretKeyTests {
    /// A key with the bytes 1 to 32.
    private static let key = Array(UInt8(1)...32)

    @Test func `keys are derived as in test case 3 of RFC 5869`() throws {
        let key = try SecretKey([UInt8](repeating: 0x0B, count: 22))
        let derived = key.derived(42, salt: [], for: "")
        #expect(
            derived.bytes
                == Self.bytes(
                    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
                ))
    }

    @Test func `key identifiers and file keys are the same as in earlier versions`() throws {
        let key = try EncryptionKey(Self.key)
        #expect(key.id == "446b44cf59f68950")
        #expect(
            key.fileKey(syncMarker: Array(0x10...0x17)).bytes
                == Self.bytes("f5d18b2b3d432b249bdb9261ddbb9caab389c5d5582f712f5a18397832418015"))
    }

    @Test func `bytes sealed by another implementation of AES-256-GCM can be opened`() throws {
        let key = try EncryptionKey(Self.key).fileKey(syncMarker: Array(0x10...0x17))
        let sealed = Self.bytes(
            "a0a1a2a3a4a5a6a7a8a9aaabd263cea98e1e50be08e991f295a0bf1d446fc560096f7fea1f76e12b815c779c"
        )
        let opened = key.open(sealed[...], authenticating: Array("bound".utf8)[...])
        #expect(opened.map { String(decoding: $0, as: UTF8.self) } == "what was written")
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1_000])
    func `sealed bytes can be opened, and changed bytes are refused`(count: Int) throws {
        let key = try SecretKey(Self.key)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let bound = Array("bound".utf8)
        let sealed = key.seal(bytes[...], authenticating: bound[...])
        #expect(sealed.count == SecretKey.nonceByteCount + count + SecretKey.tagByteCount)
        #expect(key.open(sealed[...], authenticating: bound[...]) == bytes)
        #expect(key.open(sealed[...], authenticating: bound.dropLast()) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(key.open(changed[...], authenticating: bound[...]) == nil)
        }
        for length in 0..<min(sealed.count, 64) {
            #expect(key.open(sealed.prefix(length), authenticating: bound[...]) == nil)
        }
    }

    @Test func `bytes can be sealed without authenticated data`() throws {
        let key = try SecretKey(Self.key)
        #expect(key.open(key.seal([7], authenticating: [])[...], authenticating: []) == [7])
    }

    @Test func `digests match FIPS 180-4`() {
        #expect(
            SecretKey.digest(Array("abc".utf8))
                == Self.bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            SecretKey.digest([])
                == Self.bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    /// Returns the bytes of hexadecimal digits.
    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)!
        }
    }
}
