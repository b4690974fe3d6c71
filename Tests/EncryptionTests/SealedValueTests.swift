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
            #expect(sealed.keyID == key.id)
            #expect(all.hasKey(withID: sealed.keyID))
            #expect(all.open(sealed.bytes[...], keyID: sealed.keyID, at: "here") == value)
            #expect(all.open(sealed.bytes[...], keyID: sealed.keyID, at: "elsewhere") == nil)
            #expect(
                EncryptionKeys.none.open(sealed.bytes[...], keyID: sealed.keyID, at: "here") == nil)
        }
        #expect(EncryptionKeys(sealing: nil, reading: keys).seal(value[...], at: "here") == nil)
    }
}
