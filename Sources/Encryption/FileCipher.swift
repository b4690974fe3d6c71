/// Seals and opens what one file holds, frame by frame.
///
/// A frame is some of the file's bytes, sealed by AES-256-GCM with the file's own key and bound to
/// the place that they have in it: it is valid nowhere else. Whatever is no valid frame reads as
/// zeros, so that everything behind it has the offset that it had.
struct FileCipher: Sendable {
    /// A frame that is as it was written.
    struct Frame {
        /// Where it begins in the sealed file.
        var start: Int
        /// Where its bytes stand among those that the file holds.
        var offset: Int
        var bytes: [UInt8]
        /// Where it ends in the sealed file.
        var end: Int
    }

    /// What a sealed file holds.
    struct Opened {
        var bytes: [UInt8]
        /// Whether every byte is as it was written.
        var isIntact: Bool
    }

    /// The most bytes of a frame that can be opened.
    private static let mostBytes = 1 << 14
    /// The most bytes of a frame that is written: one byte of the disk that changes makes all of its frame
    /// unreadable.
    private static let usualBytes = 1 << 10
    /// So many of a file's first bytes are in a frame of their own: what comes behind them, when it changes,
    /// does not take what tells what the file is.
    private static let firstBytes = 1 << 7
    /// Mark, offset, length and nonce.
    private static let prefix = 8 + 4 + 4 + SecretKey.nonceBytes
    /// Mark, offset and length, which are bound to the bytes.
    private static let bound = 8 + 4 + 4
    private static let tag = SecretKey.tagBytes
    /// What a frame takes beside its bytes: also its whole length, by which it is found from its
    /// end.
    static let overhead = prefix + tag + 4

    /// What the file begins with.
    let header: SealedHeader
    private let key: SecretKey

    /// For the file with this header; a new mark makes it a new file.
    init(_ key: EncryptionKey, mark: [UInt8]? = nil) {
        var numbers = SystemRandomNumberGenerator()
        let mark = mark ?? withUnsafeBytes(of: numbers.next() as UInt64) { Array($0) }
        header = SealedHeader(key: key.number, mark: mark)
        self.key = key.fileKey(mark: mark)
    }

    // MARK: Sealing

    /// Bytes as they are written behind those that the file holds, in one frame or more.
    func seal(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var sealed: [UInt8] = []
        let frames = bytes.count / Self.usualBytes + 2
        sealed.reserveCapacity(bytes.count + frames * Self.overhead)
        var start = 0
        while start < bytes.count {
            let most = offset + start == 0 ? Self.firstBytes : Self.usualBytes
            let end = min(start + most, bytes.count)
            appendFrame(bytes[start..<end], at: offset + start, to: &sealed)
            start = end
        }
        return sealed
    }

    private func appendFrame(
        _ bytes: ArraySlice<UInt8>, at offset: Int, to sealed: inout [UInt8]
    ) {
        let start = sealed.count
        sealed += header.mark
        sealed.appendLittleEndian(UInt32(offset))
        sealed.appendLittleEndian(UInt32(bytes.count))
        sealed += key.seal(bytes, authenticating: sealed[start..<start + Self.bound])
        sealed.appendLittleEndian(UInt32(bytes.count + Self.overhead))
    }

    // MARK: Opening

    /// The frame that begins at an offset of a sealed file; nil if none does that is valid.
    func frame(at start: Int, in sealed: [UInt8]) -> Frame? {
        guard let length = length(at: start, in: sealed) else { return nil }
        let bytes = start + Self.prefix
        let tag = bytes + length
        let end = tag + Self.tag + 4
        guard sealed.littleEndian(UInt32.self, at: end - 4) == UInt32(length + Self.overhead) else {
            return nil
        }
        guard
            let opened = key.open(
                sealed[start + Self.bound..<end - 4],
                authenticating: sealed[start..<start + Self.bound])
        else { return nil }
        let offset = Int(sealed.littleEndian(UInt32.self, at: start + 8))
        return Frame(start: start, offset: offset, bytes: opened, end: end)
    }

    /// How many bytes the frame has that begins at an offset, going by its start; nil if it cannot
    /// be whole.
    private func length(at start: Int, in sealed: [UInt8]) -> Int? {
        guard start + Self.overhead < sealed.count, sealed[start..<start + 8] == header.mark[...]
        else { return nil }
        let length = Int(sealed.littleEndian(UInt32.self, at: start + 12))
        guard (1...Self.mostBytes).contains(length),
            start + length + Self.overhead <= sealed.count
        else { return nil }
        return length
    }

    /// The frame that ends where a sealed file does, from the file's last bytes; nil if none does
    /// that is valid.
    func lastFrame(in sealed: [UInt8]) -> Frame? {
        guard let length = Self.lastLength(in: sealed), length <= sealed.count else { return nil }
        return frame(at: sealed.count - length, in: sealed)
    }

    /// How many of a file's last bytes its last frame is, going by the last of them.
    private static func lastLength(in sealed: [UInt8]) -> Int? {
        guard sealed.count >= 4 else { return nil }
        return Int(sealed.littleEndian(UInt32.self, at: sealed.count - 4))
    }

    /// The last bytes of a sealed file, as many as its last frame may have.
    static let tailBytes = mostBytes + overhead

    /// The mark of the last frame, going by a sealed file's last bytes; nil if they end in none.
    static func lastMark(in sealed: [UInt8]) -> [UInt8]? {
        guard let length = lastLength(in: sealed), length > overhead, length <= sealed.count else {
            return nil
        }
        return Array(sealed[(sealed.count - length)...].prefix(8))
    }

    /// What a sealed file holds.
    ///
    /// - Parameter isWhole: whether these are all its bytes; else what the last of them are a part
    ///   of is left out.
    func open(_ sealed: [UInt8], isWhole: Bool = true) -> Opened {
        var bytes: [UInt8] = []
        var isIntact = true
        bytes.reserveCapacity(sealed.count)
        // A forged file could make each of its bytes look like the start of a long frame.
        var budget = 8 * sealed.count
        var start = SealedHeader.byteCount
        while start < sealed.count {
            guard
                let frame = firstFrame(
                    from: start, in: sealed, notBefore: bytes.count, budget: &budget)
            else {
                if isWhole { bytes.appendZeros(Self.unreadable(sealed.count - start)) }
                isIntact = false
                break
            }
            if frame.start != start || frame.offset != bytes.count { isIntact = false }
            bytes.appendZeros(frame.offset - bytes.count)
            bytes += frame.bytes
            start = frame.end
        }
        return Opened(bytes: bytes, isIntact: isIntact)
    }

    /// Where the last of the valid frames from the start on ends that end at a place or before it.
    func lastEnd(upTo inside: Int, in sealed: [UInt8]) -> FileEnd {
        if inside == 0 { return FileEnd(inside: 0, onDisk: 0) }
        var end = FileEnd(inside: 0, onDisk: SealedHeader.byteCount)
        while let frame = frame(at: end.onDisk, in: sealed), frame.offset == end.inside,
            frame.offset + frame.bytes.count <= inside
        {
            end = FileEnd(inside: frame.offset + frame.bytes.count, onDisk: frame.end)
        }
        return end
    }

    /// How many bytes such an end of a sealed file stands for that has no valid frame: as many as
    /// could be in it, but at least one, because something is there.
    static func unreadable(_ byteCount: Int) -> Int { max(1, byteCount - overhead) }

    /// The first valid frame from a place on whose bytes stand behind those that are known.
    private func firstFrame(
        from start: Int, in sealed: [UInt8], notBefore offset: Int, budget: inout Int
    ) -> Frame? {
        var start = start
        while let next = firstMark(from: start, in: sealed), budget > 0 {
            budget -= length(at: next, in: sealed) ?? 0
            if let frame = frame(at: next, in: sealed), frame.offset >= offset { return frame }
            start = next + 1
        }
        return nil
    }

    /// The first place from one on where the file's mark stands.
    private func firstMark(from start: Int, in sealed: [UInt8]) -> Int? {
        let mark = header.mark.littleEndian(UInt64.self, at: 0).littleEndian
        let last = sealed.count - Self.overhead
        guard start < last else { return nil }
        return sealed.withUnsafeBytes { sealed in
            (start..<last).first {
                sealed.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == mark
            }
        }
    }
}

extension [UInt8] {
    mutating func appendZeros(_ count: Int) {
        if count > 0 { append(contentsOf: repeatElement(0, count: count)) }
    }
}

/// An end of a sealed file: of what it holds, and of the file as it lies on the disk, in bytes.
struct FileEnd: Sendable {
    var inside: Int
    var onDisk: Int
}
