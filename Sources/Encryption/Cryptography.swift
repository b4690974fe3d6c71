#if Encryption
    import COpenSSL

    /// AES-256-GCM, HKDF and SHA-256 from the system's libcrypto.
    ///
    /// All algorithms are fetched once, in a separate library context, so that neither an `openssl.cnf` nor an
    /// environment variable can change them. See EVP_EncryptInit(3), EVP_KDF-HKDF(7) and EVP_DigestInit(3).
    enum Cryptography {
        /// Whether the package was built with its `Encryption` trait.
        static let isSupported = true
        private static let keyByteCount = 32

        // libcrypto does not modify these objects after it has fetched them, so any thread may use them.
        private nonisolated(unsafe) static let libraryContext = OSSL_LIB_CTX_new()
        private nonisolated(unsafe) static let cipher = EVP_CIPHER_fetch(
            libraryContext, "AES-256-GCM", nil)
        private nonisolated(unsafe) static let hkdf = EVP_KDF_fetch(libraryContext, "HKDF", nil)
        private nonisolated(unsafe) static let sha256 = EVP_MD_fetch(libraryContext, "SHA256", nil)

        /// Fills a buffer with bytes derived from a key.
        static func derive(
            _ derivedKey: UnsafeMutableRawBufferPointer, from key: UnsafeRawBufferPointer,
            salt: [UInt8],
            info: [UInt8]
        ) {
            require(
                reprise_hkdf_sha256(
                    hkdf, key.baseAddress, key.count, salt, salt.count, info, info.count,
                    derivedKey.baseAddress?.assumingMemoryBound(to: UInt8.self), derivedKey.count))
        }

        /// Encrypts bytes and appends the authentication tag.
        static func seal(
            _ bytes: ArraySlice<UInt8>, key: UnsafeRawBufferPointer, nonce: [UInt8],
            authenticating additionalData: ArraySlice<UInt8>
        ) -> [UInt8] {
            precondition(key.count == keyByteCount && nonce.count == SecretKey.nonceByteCount)
            return withCipherContext { context in
                require(
                    EVP_EncryptInit_ex2(
                        context, cipher, key.bindMemory(to: UInt8.self).baseAddress, nonce, nil))
                var outputLength: Int32 = 0
                require(
                    additionalData.withUnsafeBufferPointer {
                        EVP_EncryptUpdate(
                            context, nil, &outputLength, $0.baseAddress, Int32($0.count))
                    })
                let tagByteCount = SecretKey.tagByteCount
                return [UInt8](unsafeUninitializedCapacity: bytes.count + tagByteCount) {
                    sealedBytes, count in
                    let start = sealedBytes.baseAddress!
                    require(
                        bytes.withUnsafeBufferPointer {
                            EVP_EncryptUpdate(
                                context, start, &outputLength, $0.baseAddress, Int32($0.count))
                        })
                    require(EVP_EncryptFinal_ex(context, start + bytes.count, &outputLength))
                    require(
                        EVP_CIPHER_CTX_ctrl(
                            context, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), start + bytes.count
                        ))
                    count = bytes.count + tagByteCount
                }
            }
        }

        /// Decrypts bytes, or returns `nil` if the authentication tag does not match.
        static func open(
            _ sealedBytes: ArraySlice<UInt8>, key: UnsafeRawBufferPointer, nonce: ArraySlice<UInt8>,
            tag: ArraySlice<UInt8>, authenticating additionalData: ArraySlice<UInt8>
        ) -> [UInt8]? {
            precondition(key.count == keyByteCount && nonce.count == SecretKey.nonceByteCount)
            precondition(tag.count == SecretKey.tagByteCount)
            return withCipherContext { context in
                require(
                    EVP_DecryptInit_ex2(
                        context, cipher, key.bindMemory(to: UInt8.self).baseAddress, Array(nonce),
                        nil))
                var outputLength: Int32 = 0
                require(
                    additionalData.withUnsafeBufferPointer {
                        EVP_DecryptUpdate(
                            context, nil, &outputLength, $0.baseAddress, Int32($0.count))
                    })
                var tag = Array(tag)
                require(
                    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag))
                var isAuthentic = false
                let decryptedBytes = [UInt8](unsafeUninitializedCapacity: sealedBytes.count + 1) {
                    decryptedBytes, count in
                    let start = decryptedBytes.baseAddress!
                    require(
                        sealedBytes.withUnsafeBufferPointer {
                            EVP_DecryptUpdate(
                                context, start, &outputLength, $0.baseAddress, Int32($0.count))
                        })
                    isAuthentic =
                        EVP_DecryptFinal_ex(context, start + sealedBytes.count, &outputLength) == 1
                    count = sealedBytes.count
                }
                return isAuthentic ? decryptedBytes : nil
            }
        }

        /// Returns the 32-byte SHA-256 digest of the given bytes.
        static func digest(_ bytes: [UInt8]) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { digest, count in
                var outputLength: UInt32 = 0
                require(
                    EVP_Digest(bytes, bytes.count, digest.baseAddress, &outputLength, sha256, nil))
                count = Int(outputLength)
            }
        }

        /// Overwrites bytes with zeros, using a call that the compiler never optimizes away.
        static func erase(_ bytes: UnsafeMutableRawBufferPointer) {
            OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        }

        private static func withCipherContext<Result>(_ body: (OpaquePointer) -> Result) -> Result {
            guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
            defer { EVP_CIPHER_CTX_free(context) }
            return body(context)
        }

        /// Terminates the process if libcrypto fails.
        ///
        /// With arguments of the right length, libcrypto fails only if it is out of memory or was built without these
        /// algorithms.
        private static func require(_ result: Int32) {
            precondition(result == 1, "libcrypto failed, or has no AES-256-GCM, HKDF or SHA-256")
        }
    }
#else
    /// Replacement for libcrypto in builds without the `Encryption` trait.
    ///
    /// No key can be created in such a build, so nothing is ever encrypted or decrypted.
    enum Cryptography {
        static let isSupported = false

        static func derive(
            _ derivedKey: UnsafeMutableRawBufferPointer, from key: UnsafeRawBufferPointer,
            salt: [UInt8],
            info: [UInt8]
        ) {}

        static func seal(
            _ bytes: ArraySlice<UInt8>, key: UnsafeRawBufferPointer, nonce: [UInt8],
            authenticating additionalData: ArraySlice<UInt8>
        ) -> [UInt8] { [] }

        static func open(
            _ sealedBytes: ArraySlice<UInt8>, key: UnsafeRawBufferPointer, nonce: ArraySlice<UInt8>,
            tag: ArraySlice<UInt8>, authenticating additionalData: ArraySlice<UInt8>
        ) -> [UInt8]? { nil }

        static func digest(_ bytes: [UInt8]) -> [UInt8] { PortableSHA256.digest(bytes) }

        static func erase(_ bytes: UnsafeMutableRawBufferPointer) {}
    }
#endif
