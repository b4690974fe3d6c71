/// A cipher that encrypts and decrypts the contents of one file, frame by frame.
///
/// A frame contains part of the contents, encrypted with AES-256-GCM and the file's own key. The offset of its bytes is
/// authenticated as well, so a frame is not valid at any other offset. Bytes in a damaged frame are read as zeros, so
/// that all later bytes keep their offsets. If no valid frame follows the damage, but at least one precedes it, the
/// bytes are read as `0xFF` instead.
struct FileCipher: Sendable {
    /// A frame that has passed authentication.
    struct Frame {
        /// Offset of the frame in the encrypted file.
        var sealedStart: Int
        /// Offset of the frame's contents in the decrypted contents of the file.
        var plaintextOffset: Int
        var bytes: [UInt8]
        /// Offset of the end of the frame in the encrypted file.
        var sealedEnd: Int
    }

    /// Decrypted contents of a file.
    struct DecryptedContents {
        var bytes: [UInt8]
        /// Whether all bytes have passed authentication.
        var isIntact: Bool
    }

    /// Maximum length of a frame's contents, in bytes. A longer frame is not decrypted.
    private static let maximumReadableFrameByteCount = 1 << 14
    /// Maximum length of a new frame's contents, in bytes.
    ///
    /// Frames are short, because a single changed byte on disk makes the whole frame unreadable.
    private static let maximumNewFrameByteCount = 1 << 10
    /// Maximum length of the first frame's contents, in bytes.
    ///
    /// The first bytes of the contents identify the file. Because the first frame is short, these bytes remain readable
    /// if later bytes are damaged.
    private static let firstFrameByteCount = 1 << 7
    /// Total length of the sync marker, offset, length and nonce, which precede the encrypted bytes.
    private static let prefixByteCount = 8 + 4 + 4 + SecretKey.nonceByteCount
    /// Total length of the sync marker, offset and length, which are authenticated together with the bytes.
    private static let authenticatedByteCount = 8 + 4 + 4
    private static let tagByteCount = SecretKey.tagByteCount
    /// Number of bytes that a frame occupies in addition to its contents.
    ///
    /// The last four bytes of a frame contain its total length, so that a frame can be found from its end.
    static let frameOverheadByteCount = prefixByteCount + tagByteCount + 4

    /// Header of the file.
    let header: SealedHeader
    private let key: SecretKey

    /// Creates a cipher for a file.
    ///
    /// - Parameter syncMarker: The sync marker from the header of an existing file, or `nil` for a new file, which gets
    ///   a random sync marker.
    init(_ key: EncryptionKey, syncMarker: [UInt8]? = nil) {
        var randomNumberGenerator = SystemRandomNumberGenerator()
        let syncMarker =
            syncMarker ?? withUnsafeBytes(of: randomNumberGenerator.next() as UInt64) { Array($0) }
        header = SealedHeader(keyIdentifier: key.keyIdentifier, syncMarker: syncMarker)
        self.key = key.fileKey(syncMarker: syncMarker)
    }

    // MARK: Sealing

    /// Encrypts bytes for appending to a file, in one or more frames.
    ///
    /// - Parameter offset: The length of the decrypted contents before these bytes.
    func seal(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var sealedBytes: [UInt8] = []
        let frameCount = bytes.count / Self.maximumNewFrameByteCount + 2
        sealedBytes.reserveCapacity(bytes.count + frameCount * Self.frameOverheadByteCount)
        var start = 0
        while start < bytes.count {
            let maximumFrameByteCount =
                offset + start == 0 ? Self.firstFrameByteCount : Self.maximumNewFrameByteCount
            let end = min(start + maximumFrameByteCount, bytes.count)
            appendFrame(bytes[start..<end], at: offset + start, to: &sealedBytes)
            start = end
        }
        return sealedBytes
    }

    private func appendFrame(
        _ bytes: ArraySlice<UInt8>, at offset: Int, to sealedBytes: inout [UInt8]
    ) {
        let start = sealedBytes.count
        sealedBytes += header.syncMarker
        sealedBytes.appendLittleEndian(UInt32(offset))
        sealedBytes.appendLittleEndian(UInt32(bytes.count))
        sealedBytes += key.seal(
            bytes, authenticating: sealedBytes[start..<start + Self.authenticatedByteCount])
        sealedBytes.appendLittleEndian(UInt32(bytes.count + Self.frameOverheadByteCount))
    }

    // MARK: Opening

    /// Returns the frame that starts at an offset in an encrypted file, or `nil` if no valid frame starts there.
    func frame(at start: Int, in sealedBytes: [UInt8]) -> Frame? {
        guard let length = length(at: start, in: sealedBytes) else { return nil }
        let bytesOffset = start + Self.prefixByteCount
        let tagOffset = bytesOffset + length
        let end = tagOffset + Self.tagByteCount + 4
        guard
            sealedBytes.littleEndian(UInt32.self, at: end - 4)
                == UInt32(length + Self.frameOverheadByteCount)
        else {
            return nil
        }
        guard
            let decryptedBytes = key.open(
                sealedBytes[start + Self.authenticatedByteCount..<end - 4],
                authenticating: sealedBytes[start..<start + Self.authenticatedByteCount])
        else { return nil }
        let offset = Int(sealedBytes.littleEndian(UInt32.self, at: start + 8))
        return Frame(
            sealedStart: start, plaintextOffset: offset, bytes: decryptedBytes, sealedEnd: end)
    }

    /// Returns the length of a frame's contents, as declared by its first fields.
    ///
    /// Returns `nil` if no complete frame can start at this offset.
    private func length(at start: Int, in sealedBytes: [UInt8]) -> Int? {
        guard start + Self.frameOverheadByteCount < sealedBytes.count,
            sealedBytes[start..<start + 8] == header.syncMarker[...]
        else { return nil }
        let length = Int(sealedBytes.littleEndian(UInt32.self, at: start + 12))
        guard (1...Self.maximumReadableFrameByteCount).contains(length),
            start + length + Self.frameOverheadByteCount <= sealedBytes.count
        else { return nil }
        return length
    }

    /// Returns the frame at the end of an encrypted file, or `nil` if the file does not end with a valid frame.
    ///
    /// - Parameter sealedBytes: The last bytes of the file.
    func lastFrame(in sealedBytes: [UInt8]) -> Frame? {
        guard let length = Self.lastFrameLength(in: sealedBytes), length <= sealedBytes.count else {
            return nil
        }
        return frame(at: sealedBytes.count - length, in: sealedBytes)
    }

    /// Returns the length of the last frame, according to the last four bytes of the file.
    private static func lastFrameLength(in sealedBytes: [UInt8]) -> Int? {
        guard sealedBytes.count >= 4 else { return nil }
        return Int(sealedBytes.littleEndian(UInt32.self, at: sealedBytes.count - 4))
    }

    /// Number of bytes to read from the end of an encrypted file. They always include the complete last frame.
    static let tailByteCount = maximumReadableFrameByteCount + frameOverheadByteCount

    /// Returns the sync marker of the last frame, or `nil` if the bytes do not end with a frame.
    ///
    /// - Parameter sealedBytes: The last bytes of the file.
    static func lastSyncMarker(in sealedBytes: [UInt8]) -> [UInt8]? {
        guard let length = lastFrameLength(in: sealedBytes), length > frameOverheadByteCount,
            length <= sealedBytes.count
        else {
            return nil
        }
        return Array(sealedBytes[(sealedBytes.count - length)...].prefix(8))
    }

    /// Decrypts the contents of a file.
    ///
    /// - Parameter isWhole: Whether the bytes are the whole file. If not, an incomplete frame at the end is ignored.
    func open(_ sealedBytes: [UInt8], isWhole: Bool = true) -> DecryptedContents {
        var bytes: [UInt8] = []
        var isIntact = true
        bytes.reserveCapacity(sealedBytes.count)
        // The search is limited, because every byte of a forged file could look like the start of a long frame.
        var remainingSearchBytes = 8 * sealedBytes.count
        var start = SealedHeader.byteCount
        while start < sealedBytes.count {
            guard
                let frame = nextFrame(
                    from: start, in: sealedBytes, notBefore: bytes.count,
                    remainingSearchBytes: &remainingSearchBytes)
            else {
                // The filler is not zero, because zeros at the end of a file can be valid contents, such as the
                // reserved space of an archive.
                let fillerByte: UInt8 = bytes.isEmpty ? 0 : 0xFF
                let unreadableByteCount =
                    isWhole ? Self.unreadableContentLength(sealedBytes.count - start) : 0
                bytes.append(contentsOf: repeatElement(fillerByte, count: unreadableByteCount))
                isIntact = false
                break
            }
            if frame.sealedStart != start || frame.plaintextOffset != bytes.count {
                isIntact = false
            }
            bytes.appendZeros(frame.plaintextOffset - bytes.count)
            bytes += frame.bytes
            start = frame.sealedEnd
        }
        return DecryptedContents(bytes: bytes, isIntact: isIntact)
    }

    /// Returns the end of the last frame that ends at or before an offset.
    ///
    /// Frames after the first damaged frame are ignored.
    ///
    /// - Parameter plaintextLength: The offset in the decrypted contents.
    func lastFrameEnd(upTo plaintextLength: Int, in sealedBytes: [UInt8]) -> FileEnd {
        if plaintextLength == 0 { return FileEnd(plaintextLength: 0, sealedLength: 0) }
        var end = FileEnd(plaintextLength: 0, sealedLength: SealedHeader.byteCount)
        while let frame = frame(at: end.sealedLength, in: sealedBytes),
            frame.plaintextOffset == end.plaintextLength,
            frame.plaintextOffset + frame.bytes.count <= plaintextLength
        {
            end = FileEnd(
                plaintextLength: frame.plaintextOffset + frame.bytes.count,
                sealedLength: frame.sealedEnd)
        }
        return end
    }

    /// Returns the assumed length of the contents in an unreadable part at the end of a file.
    ///
    /// The result is the maximum length of contents that would fit into the part. It is at least 1, because the part is
    /// not empty.
    static func unreadableContentLength(_ byteCount: Int) -> Int {
        max(1, byteCount - frameOverheadByteCount)
    }

    /// Returns the first valid frame at or after a position, skipping frames that overlap the contents decrypted so
    /// far.
    private func nextFrame(
        from start: Int, in sealedBytes: [UInt8], notBefore offset: Int,
        remainingSearchBytes: inout Int
    ) -> Frame? {
        var start = start
        while let markerOffset = nextSyncMarker(from: start, in: sealedBytes),
            remainingSearchBytes > 0
        {
            remainingSearchBytes -= length(at: markerOffset, in: sealedBytes) ?? 0
            if let frame = frame(at: markerOffset, in: sealedBytes), frame.plaintextOffset >= offset
            {
                return frame
            }
            start = markerOffset + 1
        }
        return nil
    }

    /// Returns the offset of the next sync marker at or after an offset, or `nil` if there is none.
    private func nextSyncMarker(from start: Int, in sealedBytes: [UInt8]) -> Int? {
        let syncMarker = header.syncMarker.littleEndian(UInt64.self, at: 0).littleEndian
        let endOffset = sealedBytes.count - Self.frameOverheadByteCount
        guard start < endOffset else { return nil }
        return sealedBytes.withUnsafeBytes { sealedBytes in
            (start..<endOffset).first {
                sealedBytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == syncMarker
            }
        }
    }
}

extension [UInt8] {
    mutating func appendZeros(_ count: Int) {
        if count > 0 { append(contentsOf: repeatElement(0, count: count)) }
    }
}

/// End of an encrypted file or frame, as an offset in the decrypted contents and an offset on disk.
struct FileEnd: Sendable {
    var plaintextLength: Int
    var sealedLength: Int
}
