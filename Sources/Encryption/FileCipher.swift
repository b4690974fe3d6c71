/// A cipher that encrypts and decrypts the contents of one file, frame by frame.
///
/// A frame contains a part of the contents, encrypted by AES-256-GCM with the file's own key. A frame is authenticated
/// together with the offset of its bytes, so it is not valid at any other offset. Bytes whose frame is damaged are read
/// as zeros, so that all bytes after them keep their offsets. If no valid frame follows them, but at least one precedes
/// them, they are read as `0xFF` instead.
struct FileCipher: Sendable {
    /// A frame that has passed authentication.
    struct Frame {
        /// Offset of the frame in the encrypted file.
        var start: Int
        /// Offset of the frame's bytes in the decrypted contents.
        var offset: Int
        var bytes: [UInt8]
        /// Offset of the end of the frame in the encrypted file.
        var end: Int
    }

    /// Decrypted contents of a file.
    struct DecryptedContents {
        var bytes: [UInt8]
        /// Whether all bytes have passed authentication.
        var isIntact: Bool
    }

    /// Maximum number of bytes in a frame that can be decrypted.
    private static let maximumBytes = 1 << 14
    /// Maximum number of bytes in a new frame.
    ///
    /// If one byte changes on disk, the whole frame becomes unreadable, so frames are short.
    private static let defaultFrameBytes = 1 << 10
    /// Length of the first frame.
    ///
    /// The first bytes identify the file. Because the frame is short, damage to later bytes does not make them
    /// unreadable.
    private static let firstFrameBytes = 1 << 7
    /// Total length of the sync marker, offset, length and nonce, which precede the encrypted bytes.
    private static let prefixBytes = 8 + 4 + 4 + SecretKey.nonceBytes
    /// Total length of the sync marker, offset and length, which are authenticated together with the bytes.
    private static let authenticatedBytes = 8 + 4 + 4
    private static let tag = SecretKey.tagBytes
    /// Number of bytes that a frame adds to its contents.
    ///
    /// The last four bytes contain the length of the whole frame, so that the frame can be found from its end.
    static let overheadBytes = prefixBytes + tag + 4

    /// Header of the file.
    let header: SealedHeader
    private let key: SecretKey

    /// Creates a cipher for a file.
    ///
    /// - Parameter syncMarker: The sync marker from the header of an existing file, or `nil` for a new file, which gets
    ///   a random sync marker.
    init(_ key: EncryptionKey, syncMarker: [UInt8]? = nil) {
        var numbers = SystemRandomNumberGenerator()
        let syncMarker = syncMarker ?? withUnsafeBytes(of: numbers.next() as UInt64) { Array($0) }
        header = SealedHeader(key: key.number, syncMarker: syncMarker)
        self.key = key.fileKey(syncMarker: syncMarker)
    }

    // MARK: Sealing

    /// Encrypts bytes to be appended to a file, in one or more frames.
    ///
    /// - Parameter offset: The length of the decrypted contents that precede the bytes.
    func seal(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var sealed: [UInt8] = []
        let frames = bytes.count / Self.defaultFrameBytes + 2
        sealed.reserveCapacity(bytes.count + frames * Self.overheadBytes)
        var start = 0
        while start < bytes.count {
            let maximum = offset + start == 0 ? Self.firstFrameBytes : Self.defaultFrameBytes
            let end = min(start + maximum, bytes.count)
            appendFrame(bytes[start..<end], at: offset + start, to: &sealed)
            start = end
        }
        return sealed
    }

    private func appendFrame(
        _ bytes: ArraySlice<UInt8>, at offset: Int, to sealed: inout [UInt8]
    ) {
        let start = sealed.count
        sealed += header.syncMarker
        sealed.appendLittleEndian(UInt32(offset))
        sealed.appendLittleEndian(UInt32(bytes.count))
        sealed += key.seal(bytes, authenticating: sealed[start..<start + Self.authenticatedBytes])
        sealed.appendLittleEndian(UInt32(bytes.count + Self.overheadBytes))
    }

    // MARK: Opening

    /// Returns the frame that starts at an offset in an encrypted file, or `nil` if no valid frame starts there.
    func frame(at start: Int, in sealed: [UInt8]) -> Frame? {
        guard let length = length(at: start, in: sealed) else { return nil }
        let bytes = start + Self.prefixBytes
        let tag = bytes + length
        let end = tag + Self.tag + 4
        guard sealed.littleEndian(UInt32.self, at: end - 4) == UInt32(length + Self.overheadBytes)
        else {
            return nil
        }
        guard
            let opened = key.open(
                sealed[start + Self.authenticatedBytes..<end - 4],
                authenticating: sealed[start..<start + Self.authenticatedBytes])
        else { return nil }
        let offset = Int(sealed.littleEndian(UInt32.self, at: start + 8))
        return Frame(start: start, offset: offset, bytes: opened, end: end)
    }

    /// Returns the number of bytes in the frame that starts at an offset, according to the frame's first
    /// fields.
    ///
    /// Returns `nil` if no complete frame can start there.
    private func length(at start: Int, in sealed: [UInt8]) -> Int? {
        guard start + Self.overheadBytes < sealed.count,
            sealed[start..<start + 8] == header.syncMarker[...]
        else { return nil }
        let length = Int(sealed.littleEndian(UInt32.self, at: start + 12))
        guard (1...Self.maximumBytes).contains(length),
            start + length + Self.overheadBytes <= sealed.count
        else { return nil }
        return length
    }

    /// Returns the frame at the end of an encrypted file, or `nil` if the file does not end with a valid frame.
    ///
    /// - Parameter sealed: The last bytes of the file.
    func lastFrame(in sealed: [UInt8]) -> Frame? {
        guard let length = Self.lastLength(in: sealed), length <= sealed.count else { return nil }
        return frame(at: sealed.count - length, in: sealed)
    }

    /// Returns the length of the last frame, according to the last four bytes of the file.
    private static func lastLength(in sealed: [UInt8]) -> Int? {
        guard sealed.count >= 4 else { return nil }
        return Int(sealed.littleEndian(UInt32.self, at: sealed.count - 4))
    }

    /// Number of bytes at the end of an encrypted file that always include the complete last frame.
    static let tailBytes = maximumBytes + overheadBytes

    /// Returns the sync marker of the last frame, or `nil` if the bytes do not end with a frame.
    ///
    /// - Parameter sealed: The last bytes of the file.
    static func lastSyncMarker(in sealed: [UInt8]) -> [UInt8]? {
        guard let length = lastLength(in: sealed), length > overheadBytes, length <= sealed.count
        else {
            return nil
        }
        return Array(sealed[(sealed.count - length)...].prefix(8))
    }

    /// Decrypts the contents of a file.
    ///
    /// - Parameter isWhole: Whether the bytes are the whole file. Otherwise, an incomplete frame at the end is omitted.
    func open(_ sealed: [UInt8], isWhole: Bool = true) -> DecryptedContents {
        var bytes: [UInt8] = []
        var isIntact = true
        bytes.reserveCapacity(sealed.count)
        // The budget limits the cost, because each byte in a forged file could look like the start of a long frame.
        var budget = 8 * sealed.count
        var start = SealedHeader.byteCount
        while start < sealed.count {
            guard
                let frame = firstFrame(
                    from: start, in: sealed, notBefore: bytes.count, budget: &budget)
            else {
                // Zeros at the end of a file can be valid contents, such as the reserved space of an
                // archive.
                let filler: UInt8 = bytes.isEmpty ? 0 : 0xFF
                let count = isWhole ? Self.unreadableContentLength(sealed.count - start) : 0
                bytes.append(contentsOf: repeatElement(filler, count: count))
                isIntact = false
                break
            }
            if frame.start != start || frame.offset != bytes.count { isIntact = false }
            bytes.appendZeros(frame.offset - bytes.count)
            bytes += frame.bytes
            start = frame.end
        }
        return DecryptedContents(bytes: bytes, isIntact: isIntact)
    }

    /// Returns the end of the last frame that ends at or before an offset.
    ///
    /// Frames after the first damaged frame are ignored.
    ///
    /// - Parameter plaintextLength: The offset in the decrypted contents.
    func lastEnd(upTo plaintextLength: Int, in sealed: [UInt8]) -> FileEnd {
        if plaintextLength == 0 { return FileEnd(plaintextLength: 0, sealedLength: 0) }
        var end = FileEnd(plaintextLength: 0, sealedLength: SealedHeader.byteCount)
        while let frame = frame(at: end.sealedLength, in: sealed),
            frame.offset == end.plaintextLength,
            frame.offset + frame.bytes.count <= plaintextLength
        {
            end = FileEnd(
                plaintextLength: frame.offset + frame.bytes.count, sealedLength: frame.end)
        }
        return end
    }

    /// Returns the length to assume for the contents of an unreadable part at the end of a file.
    ///
    /// The result is the maximum length of contents that fits into the part, but at least 1, because the part is not
    /// empty.
    static func unreadableContentLength(_ byteCount: Int) -> Int {
        max(1, byteCount - overheadBytes)
    }

    /// Returns the first valid frame at or after a position, skipping frames that overlap the contents decrypted so
    /// far.
    private func firstFrame(
        from start: Int, in sealed: [UInt8], notBefore offset: Int, budget: inout Int
    ) -> Frame? {
        var start = start
        while let next = firstSyncMarker(from: start, in: sealed), budget > 0 {
            budget -= length(at: next, in: sealed) ?? 0
            if let frame = frame(at: next, in: sealed), frame.offset >= offset { return frame }
            start = next + 1
        }
        return nil
    }

    /// Returns the first offset, at or after the given offset, at which the file's sync marker is stored.
    private func firstSyncMarker(from start: Int, in sealed: [UInt8]) -> Int? {
        let syncMarker = header.syncMarker.littleEndian(UInt64.self, at: 0).littleEndian
        let last = sealed.count - Self.overheadBytes
        guard start < last else { return nil }
        return sealed.withUnsafeBytes { sealed in
            (start..<last).first {
                sealed.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == syncMarker
            }
        }
    }
}

extension [UInt8] {
    mutating func appendZeros(_ count: Int) {
        if count > 0 { append(contentsOf: repeatElement(0, count: count)) }
    }
}

/// End of an encrypted file or of a frame, as an offset in the decrypted contents and an offset on disk.
struct FileEnd: Sendable {
    var plaintextLength: Int
    var sealedLength: Int
}
