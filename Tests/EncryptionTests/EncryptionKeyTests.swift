import LinuxIO
import TestSupport
import Testing

@testable import Encryption

/// Format of keys, and sources of keys.
@Suite struct EncryptionKeyTests {
    private static let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"

    @Test func `a key is 32 bytes or 64 hexadecimal digits`() throws {
        let key = try EncryptionKey(Array(0..<32))
        #expect(key.id.count == 16)
        #expect(try EncryptionKey(Array(Self.digits.utf8)).id == key.id)
        #expect(try EncryptionKey(Array("\(Self.digits)\n".utf8)).id == key.id)
        #expect(try EncryptionKey(Array(1...32)).id != key.id)
    }

    @Test(arguments: [
        ([], InvalidEncryptionKey.wrongLength(0)), (Array(0..<31), .wrongLength(31)),
        (Array(0..<33), .wrongLength(33)),
        (Array("\(digits.dropLast())g\n".utf8), .invalidDigit(position: 64)),
        (Array("\(digits)\n\n".utf8), .wrongLength(66)),
        ([UInt8](repeating: 0, count: 32), .allBytesEqual),
        (Array(String(repeating: "0", count: 64).utf8), .allBytesEqual),
    ])
    func `an invalid key is refused with advice that does not reveal the key`(
        bytes: [UInt8], expected: InvalidEncryptionKey
    ) {
        let error = #expect(throws: InvalidEncryptionKey.self) { try EncryptionKey(bytes) }
        #expect(error == expected)
        // An operator who follows the advice must not create another key for encrypted files.
        #expect("\(expected)".contains("the key that they were encrypted with"))
        #expect("\(expected)".contains(digits: bytes) == false)
    }

    @Test
    func `a key that systemd encrypted is refused with a hint about LoadCredentialEncrypted=`() {
        let error = #expect(throws: InvalidEncryptionKey.self) {
            try EncryptionKey([UInt8](repeating: 7, count: 175))
        }
        #expect("\(error, default: "")".contains("LoadCredentialEncrypted="))
    }

    @Test func `credentials contain the key and the previous key`() throws {
        try withScratchDirectory { path in
            #expect(try CredentialKeys(in: nil).currentKey == nil)
            #expect(throws: EncryptionKeyError.noCredential) {
                try CredentialKeys(in: path).keys(encrypts: true)
            }
            let directory = try Directory.openOrCreate(path)
            try directory.writeNewFile("reprise.key", Array(0..<32))
            try directory.writeNewFile(
                "reprise.key.previous", Array(Self.digits.reversed().map { $0.asciiValue ?? 0 }))
            let credentials = try CredentialKeys(in: path)
            let new = try #require(credentials.currentKey?.id)
            let old = try #require(credentials.previousKey?.id)
            #expect(try credentials.keys(encrypts: true).ids == [new, old])
            #expect(try credentials.keys(encrypts: true).sealingKey?.id == new)
            #expect(try credentials.keys(encrypts: false).ids == [new, old])
            #expect(try credentials.keys(encrypts: false).sealingKey == nil)
            try directory.remove("reprise.key")
            try directory.writeNewFile("reprise.key", [1, 2, 3])
            let error = #expect(throws: EncryptionKeyError.self) { try CredentialKeys(in: path) }
            #expect("\(error, default: "")".contains("\(path)/reprise.key"))
        }
    }
}

extension String {
    /// Whether a text reveals bytes that were meant to be a key.
    fileprivate func contains(digits bytes: [UInt8]) -> Bool {
        bytes.count > 8 && utf8.contains(bytes: bytes)
    }
}

extension String.UTF8View {
    fileprivate func contains(bytes: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: bytes) }
    }
}
