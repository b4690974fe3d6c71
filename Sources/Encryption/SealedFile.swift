import Glibc
package import LinuxIO
import Synchronization

/// An open file in a ``SealedDirectory``.
///
/// All offsets and lengths refer to the decrypted contents.
///
/// Any number of threads may read the file concurrently, but only one thread may write at a time.
package final class SealedFile<Base: FileProtocol>: FileProtocol {
    private let base: Base
    private let encoding: FileContentEncoding
    private let lengthCache: PlaintextLengthCache
    /// Maximum length of the decrypted contents, because a frame stores its offset as a 32-bit number.
    private static var maximumBytes: Int { Int(UInt32.max) }

    /// End offsets of the file before and after the last write.
    private let recentFileEnds = Mutex<[FileEnd]>([])

    init(_ base: Base, _ encoding: FileContentEncoding, _ lengthCache: PlaintextLengthCache) {
        self.base = base
        self.encoding = encoding
        self.lengthCache = lengthCache
    }

    package var path: String { base.path }

    package var descriptorBackedFile: File? {
        if case .plain = encoding { base.descriptorBackedFile } else { nil }
    }

    /// Whether the file is unencrypted and its underlying file can be overwritten.
    ///
    /// An encrypted file cannot be overwritten in place, because each frame is bound to its offset, and the last frame
    /// determines the length of the contents.
    package var canOverwrite: Bool {
        if case .plain = encoding { base.canOverwrite } else { false }
    }

    /// Returns whether a new file would be encrypted in the same way.
    func isCurrent(for keys: EncryptionKeys) -> Bool { encoding.isCurrent(for: keys.sealingKey) }

    // MARK: Reading

    package func status() throws(IOError) -> FileStatus {
        var status = try base.status()
        status.size = try plaintextLength(of: status)
        return status
    }

    package func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        if case .plain = encoding { return try base.read(from: offset, upTo: byteCount) }
        let requestedEnd = offset + byteCount
        let status = try base.status()
        let size = try Self.checkedSize(of: status, path: path)
        // Most callers read either the complete file or only its beginning.
        var sealedByteCount = SealedHeader.byteCount + requestedEnd + FileCipher.tailByteCount
        if let cachedLength = lengthCache.plaintextLength(of: status), requestedEnd >= cachedLength
        {
            sealedByteCount = size
        }
        while true {
            let isWhole = sealedByteCount >= size
            let sealedBytes = try base.read(upTo: min(sealedByteCount, size))
            let bytes = encoding.open(sealedBytes, isWhole: isWhole).bytes
            if isWhole || bytes.count >= requestedEnd {
                return Array(bytes.dropFirst(offset).prefix(byteCount))
            }
            sealedByteCount *= 2
        }
    }

    /// Reads and decrypts the whole file.
    ///
    /// - Throws: `EBADMSG` if the file is damaged, or `EFBIG` if the contents are longer than the limit.
    func readIntact(limit: Int) throws(IOError) -> [UInt8] {
        if case .plain = encoding { return try base.readAll(limit: limit) }
        let size = try Self.checkedSize(of: try base.status(), path: path)
        // Reprise never writes a file whose frames add more bytes than the contents themselves.
        if (size - FileCipher.tailByteCount) / 2 > limit {
            throw IOError(.read, path: path, code: EFBIG)
        }
        let decryptedContents = encoding.open(try base.read(upTo: size), isWhole: true)
        if decryptedContents.bytes.count > limit { throw IOError(.read, path: path, code: EFBIG) }
        guard decryptedContents.isIntact else { throw IOError(.decrypt, path: path, code: EBADMSG) }
        return decryptedContents.bytes
    }

    /// Returns the size of the file on disk.
    ///
    /// - Throws: `EFBIG` if the file is too large to be an encrypted file.
    private static func checkedSize(of status: FileStatus, path: String) throws(IOError) -> Int {
        guard status.size <= 2 * maximumBytes else { throw IOError(.read, path: path, code: EFBIG) }
        return status.size
    }

    /// Returns the length of the decrypted contents.
    ///
    /// - Parameter status: The status of the file on disk.
    private func plaintextLength(of status: FileStatus) throws(IOError) -> Int {
        if case .plain = encoding { return status.size }
        let size = try Self.checkedSize(of: status, path: path)
        if size == 0 { return 0 }
        if let cachedLength = lengthCache.plaintextLength(of: status) { return cachedLength }
        let start = max(0, size - FileCipher.tailByteCount)
        let tail = try base.read(from: start, upTo: size - start)
        guard let plaintextLength = encoding.lastFramePlaintextEnd(in: tail) else {
            // The length is not cached, because another program may have overwritten the file.
            return encoding.open(try base.read(upTo: size), isWhole: true).bytes.count
        }
        lengthCache.cache(plaintextLength, for: status)
        return plaintextLength
    }

    // MARK: Writing

    package func write(_ bytes: [UInt8]) throws(IOError) {
        switch encoding {
        case .plain: try base.write(bytes)
        case .unreadable: throw IOError(.write, path: path, code: EKEYEXPIRED)
        case .sealed(let cipher, _):
            var status = try base.status()
            let end = FileEnd(
                plaintextLength: try plaintextLength(of: status), sealedLength: status.size)
            guard end.plaintextLength + bytes.count <= Self.maximumBytes else {
                throw IOError(.write, path: path, code: EFBIG)
            }
            recentFileEnds.withLock { $0 = [end] }
            let headerBytes = end.sealedLength == 0 ? cipher.header.encoded() : []
            let sealedBytes = headerBytes + cipher.seal(bytes, at: end.plaintextLength)
            try base.write(sealedBytes)
            status.size += sealedBytes.count
            let newEnd = FileEnd(
                plaintextLength: end.plaintextLength + bytes.count, sealedLength: status.size)
            recentFileEnds.withLock { $0 = [end, newEnd] }
            lengthCache.cache(newEnd.plaintextLength, for: status)
        }
    }

    package func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        guard canOverwrite else { throw IOError(.write, path: path, code: EOPNOTSUPP) }
        try base.write(bytes, at: offset)
    }

    /// Truncates the file to a length, or extends it with zeros.
    ///
    /// If the new end is inside a frame, the preceding bytes of the frame are re-encrypted as a new frame. A crash or an
    /// error can lose these bytes, so state that must be retained is truncated only at the end of a write.
    package func truncate(to length: Int) throws(IOError) {
        guard case .sealed(let cipher, _) = encoding else {
            return try base.truncate(to: length)
        }
        let knownEnd = recentFileEnds.withLock { $0.last { $0.plaintextLength == length } }
        if let knownEnd { return try base.truncate(to: knownEnd.sealedLength) }
        let sealedBytes = try base.read(
            upTo: try Self.checkedSize(of: try base.status(), path: path))
        let end = cipher.lastFrameEnd(upTo: length, in: sealedBytes)
        var remainingBytes = Array(
            cipher.open(sealedBytes).bytes.dropFirst(end.plaintextLength).prefix(
                length - end.plaintextLength))
        remainingBytes.appendZeros(length - end.plaintextLength - remainingBytes.count)
        try base.truncate(to: end.sealedLength)
        if !remainingBytes.isEmpty { try write(remainingBytes) }
    }

    package func setModificationTime(_ time: Int64) throws(IOError) {
        try base.setModificationTime(time)
    }

    package func synchronize() throws(IOError) { try base.synchronize() }

    package func synchronizeData() throws(IOError) { try base.synchronizeData() }
}
