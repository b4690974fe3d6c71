/// Encoding of a file's contents on disk.
enum FileContentEncoding {
    /// The file is not encrypted.
    case plain
    /// The file is encrypted.
    ///
    /// `isHeaderIntact` states whether the file's header is undamaged.
    case sealed(FileCipher, isHeaderIntact: Bool)
    /// The file is encrypted, but so damaged that its key cannot be identified.
    case unreadable

    /// Returns whether a new file would be encrypted in the same way.
    ///
    /// - Parameter key: The key that encrypts new files, or `nil` if new files are not encrypted.
    func isCurrent(for key: EncryptionKey?) -> Bool {
        switch self {
        case .plain: key == nil
        case .sealed(let cipher, let isHeaderIntact):
            isHeaderIntact && cipher.header.keyIdentifier == key?.keyIdentifier
        case .unreadable: false
        }
    }

    /// Decrypts the contents of a file (see ``FileCipher/open(_:isWhole:)``).
    func open(_ bytes: [UInt8], isWhole: Bool) -> FileCipher.DecryptedContents {
        switch self {
        case .plain: return FileCipher.DecryptedContents(bytes: bytes, isIntact: true)
        case .sealed(let cipher, _): return cipher.open(bytes, isWhole: isWhole)
        case .unreadable:
            var zeros: [UInt8] = []
            zeros.appendZeros(
                FileCipher.unreadableContentLength(bytes.count - SealedHeader.byteCount))
            return FileCipher.DecryptedContents(bytes: zeros, isIntact: false)
        }
    }

    /// Returns the length of the decrypted contents, as recorded in the last bytes of the file.
    ///
    /// Returns `nil` if the file is not encrypted or does not end with a valid frame.
    func lastFramePlaintextEnd(in tail: [UInt8]) -> Int? {
        guard case .sealed(let cipher, _) = self, let frame = cipher.lastFrame(in: tail) else {
            return nil
        }
        return frame.plaintextOffset + frame.bytes.count
    }
}
