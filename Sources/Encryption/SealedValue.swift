extension EncryptionKeys {
    /// Seals bytes that lie elsewhere than in a file, by a key that is made for that alone.
    ///
    /// - Parameter place: where they lie; they are valid nowhere else.
    /// - Returns: the sealed bytes, and what tells the key from others; nil: nothing is sealed.
    package func seal(
        _ bytes: ArraySlice<UInt8>, at place: String
    ) -> (bytes: [UInt8], key: String)? {
        sealing.map { key in
            (key.valueKey.seal(bytes, authenticating: Array(place.utf8)[...]), key.id)
        }
    }

    /// Whether there is a key.
    package func has(key id: String) -> Bool { all.contains { $0.id == id } }

    /// Opens what ``seal(_:at:)`` sealed; nil if the key is not here, or the bytes are not as they were, or
    /// not where they were.
    package func open(
        _ sealed: ArraySlice<UInt8>, key id: String, at place: String
    ) -> [UInt8]? {
        all.first { $0.id == id }?.valueKey
            .open(sealed, authenticating: Array(place.utf8)[...])
    }
}
