extension EncryptionKeys {
    /// Encrypts a value with a derived key. The value is not stored in a separate file.
    ///
    /// - Parameter location: The location where the bytes are stored. Decryption with ``open(_:keyID:at:)`` succeeds
    ///   only for the same location.
    /// - Returns: The encrypted bytes and the identifier of the key, or `nil` if new data is not encrypted.
    package func seal(
        _ bytes: ArraySlice<UInt8>, at location: String
    ) -> (bytes: [UInt8], keyID: String)? {
        sealingKey.map { key in
            (key.valueKey.seal(bytes, authenticating: Array(location.utf8)[...]), key.id)
        }
    }

    /// Returns whether the key with the given identifier is available.
    package func hasKey(withID id: String) -> Bool { decryptionKeys.contains { $0.id == id } }

    /// Decrypts the result of ``seal(_:at:)``.
    ///
    /// Returns `nil` if the key is not available, if the bytes have been changed, or if the location differs.
    package func open(
        _ sealedBytes: ArraySlice<UInt8>, keyID: String, at location: String
    ) -> [UInt8]? {
        decryptionKeys.first { $0.id == keyID }?.valueKey
            .open(sealedBytes, authenticating: Array(location.utf8)[...])
    }
}
