/// How the content of a file is to be understood.
enum FileContent {
    /// As it stands there.
    case plain
    /// Sealed; `isStartIntact` if the header is as it was written.
    case sealed(FileCipher, isStartIntact: Bool)
    /// It was sealed, and nothing tells by which key.
    case unreadable

    /// Whether the file is as one that is written now, which a key seals, or none if it is nil.
    func isCurrent(for key: EncryptionKey?) -> Bool {
        switch self {
        case .plain: key == nil
        case .sealed(let cipher, let isStartIntact):
            isStartIntact && cipher.header.key == key?.number
        case .unreadable: false
        }
    }

    /// What the bytes of a file hold, see ``FileCipher/open(_:isWhole:)``.
    func open(_ bytes: [UInt8], isWhole: Bool) -> FileCipher.Opened {
        switch self {
        case .plain: return FileCipher.Opened(bytes: bytes, isIntact: true)
        case .sealed(let cipher, _): return cipher.open(bytes, isWhole: isWhole)
        case .unreadable:
            var zeros: [UInt8] = []
            zeros.appendZeros(FileCipher.unreadable(bytes.count - SealedHeader.byteCount))
            return FileCipher.Opened(bytes: zeros, isIntact: false)
        }
    }

    /// How many bytes a file holds, going by its last ones; nil: they do not tell.
    func endOfLastFrame(in tail: [UInt8]) -> Int? {
        guard case .sealed(let cipher, _) = self, let frame = cipher.lastFrame(in: tail) else {
            return nil
        }
        return frame.offset + frame.bytes.count
    }
}
