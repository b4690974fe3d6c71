#if Encryption
    import Crypto
    import FoundationEssentials

    /// A key of AES-256-GCM, and the way from one to others.
    struct SecretKey: Sendable {
        /// The bytes that follow those that are sealed.
        static let tagBytes = 16
        /// The bytes of a nonce.
        static let nonceBytes = 12

        private let key: SymmetricKey

        /// The key of these 32 bytes.
        ///
        /// - Throws: ``InvalidEncryptionKey`` where nothing can be encrypted.
        init(_ bytes: [UInt8]) throws(InvalidEncryptionKey) { key = SymmetricKey(data: bytes) }

        private init(_ key: SymmetricKey) { self.key = key }

        /// A key that is made from this one, by HKDF with SHA-256, see RFC 5869.
        func derived(_ byteCount: Int, salt: [UInt8], for purpose: String) -> SecretKey {
            SecretKey(
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: key, salt: salt, info: Array(purpose.utf8),
                    outputByteCount: byteCount))
        }

        /// The key's bytes.
        var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }

        /// A new nonce, the sealed bytes, and their tag.
        func seal(_ bytes: ArraySlice<UInt8>, authenticating bound: ArraySlice<UInt8>) -> Data {
            do {
                let box = try AES.GCM.seal(bytes, using: key, authenticating: bound)
                return box.nonce + box.ciphertext + box.tag
            } catch {
                preconditionFailure("a key of 256 bits seals everything: \(error)")
            }
        }

        /// What ``seal(_:authenticating:)`` sealed; nil if it is not as it was, or was bound to others.
        func open(_ sealed: ArraySlice<UInt8>, authenticating bound: ArraySlice<UInt8>) -> Data? {
            do {
                return try AES.GCM.open(
                    AES.GCM.SealedBox(combined: sealed), using: key, authenticating: bound)
            } catch {
                return nil
            }
        }

        /// The SHA-256 of bytes.
        static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
    }
#else
    import FoundationEssentials

    /// There are no keys: the program was built without the package's trait `Encryption`.
    struct SecretKey: Sendable {
        static let tagBytes = 16
        static let nonceBytes = 12

        init(_ bytes: [UInt8]) throws(InvalidEncryptionKey) { throw .notBuilt }

        var bytes: [UInt8] { [] }

        func derived(_ byteCount: Int, salt: [UInt8], for purpose: String) -> SecretKey { self }

        func seal(_ bytes: ArraySlice<UInt8>, authenticating bound: ArraySlice<UInt8>) -> Data {
            Data()
        }

        func open(_ sealed: ArraySlice<UInt8>, authenticating bound: ArraySlice<UInt8>) -> Data? {
            nil
        }

        static func digest(_ bytes: [UInt8]) -> [UInt8] { [] }
    }
#endif
