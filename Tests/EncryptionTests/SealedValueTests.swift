import Testing

@testable import Encryption

/// Encryption of values that are not stored in separate files.
@Suite struct SealedValueTests {
    @Test func `every key opens the values that it sealed, but only at their own location`() throws
    {
        let keys = try (1...3).map { byte in
            try EncryptionKey((0..<32).map { UInt8(byte + $0) })
        }
        let all = EncryptionKeys(sealing: keys[0], reading: [keys[1], keys[2]])
        let value = Array("a value".utf8)
        for key in keys {
            let sealed = try #require(
                EncryptionKeys(sealing: key).seal(value[...], at: "here"))
            #expect(sealed.key == key.id)
            #expect(all.has(key: sealed.key))
            #expect(all.open(sealed.bytes[...], key: sealed.key, at: "here") == value)
            #expect(all.open(sealed.bytes[...], key: sealed.key, at: "elsewhere") == nil)
            #expect(EncryptionKeys.none.open(sealed.bytes[...], key: sealed.key, at: "here") == nil)
        }
        #expect(EncryptionKeys(sealing: nil, reading: keys).seal(value[...], at: "here") == nil)
    }
}
