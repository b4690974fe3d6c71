/// A key for AES-256-GCM, from which other keys can be derived.
struct SecretKey: Sendable {
    /// Length in bytes of the authentication tag that follows the encrypted bytes.
    static let tagByteCount = 16
    /// Length of a nonce in bytes.
    static let nonceByteCount = 12

    private let storage: SecretBytes

    /// Creates a key from 32 bytes.
    ///
    /// - Throws: ``InvalidEncryptionKey/encryptionNotSupported`` if the package was built without the `Encryption`
    ///   trait.
    init(_ bytes: [UInt8]) throws(InvalidEncryptionKey) {
        guard Cryptography.isSupported else { throw .encryptionNotSupported }
        storage = SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    private init(_ storage: SecretBytes) { self.storage = storage }

    /// Derives another key, using HKDF with SHA-256 (RFC 5869).
    ///
    /// - Parameter purpose: A label. Each label results in a different key.
    func derived(_ byteCount: Int, salt: [UInt8], for purpose: String) -> SecretKey {
        SecretKey(
            SecretBytes(count: byteCount) { derivedBytes in
                storage.withUnsafeBytes {
                    Cryptography.derive(
                        derivedBytes, from: $0, salt: salt, info: Array(purpose.utf8))
                }
            })
    }

    /// Copy of the key's bytes.
    var bytes: [UInt8] { storage.withUnsafeBytes { Array($0) } }

    /// Encrypts bytes with a new random nonce.
    ///
    /// - Parameter additionalData: Bytes that are authenticated but are not part of the result.
    /// - Returns: The nonce, the encrypted bytes, and the authentication tag.
    func seal(_ bytes: ArraySlice<UInt8>, authenticating additionalData: ArraySlice<UInt8>)
        -> [UInt8]
    {
        var randomNumberGenerator = SystemRandomNumberGenerator()
        let nonce = withUnsafeBytes(
            of: (randomNumberGenerator.next() as UInt64, randomNumberGenerator.next() as UInt32)
        ) {
            Array($0)
        }
        return storage.withUnsafeBytes {
            nonce + Cryptography.seal(bytes, key: $0, nonce: nonce, authenticating: additionalData)
        }
    }

    /// Decrypts the result of ``seal(_:authenticating:)``, or returns `nil` if the encrypted or authenticated bytes
    /// have been changed.
    func open(_ sealedBytes: ArraySlice<UInt8>, authenticating additionalData: ArraySlice<UInt8>)
        -> [UInt8]?
    {
        guard sealedBytes.count >= Self.nonceByteCount + Self.tagByteCount else { return nil }
        return storage.withUnsafeBytes {
            Cryptography.open(
                sealedBytes.dropFirst(Self.nonceByteCount).dropLast(Self.tagByteCount), key: $0,
                nonce: sealedBytes.prefix(Self.nonceByteCount),
                tag: sealedBytes.suffix(Self.tagByteCount),
                authenticating: additionalData)
        }
    }

    /// Returns the SHA-256 digest of the bytes.
    static func digest(_ bytes: [UInt8]) -> [UInt8] { Cryptography.digest(bytes) }
}

/// Secret bytes, whose memory is overwritten before it is freed.
private final class SecretBytes: Sendable {
    // The buffer is written only in the initializer.
    private nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer

    init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        buffer = .allocate(byteCount: count, alignment: 1)
        fill(buffer)
    }

    deinit {
        Cryptography.erase(buffer)
        buffer.deallocate()
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(buffer))
    }
}
