import Glibc
package import LinuxIO
import Synchronization

/// A file in a ``SealedFolder`` that reads and writes decrypted contents and reports their length.
///
/// Any number of threads may read the file at the same time. Only one thread at a time may write.
package final class SealedFile<Base: FolderFile>: FolderFile {
    private let base: Base
    private let content: FileContent
    private let lengths: SealedLengths
    /// Maximum length of the decrypted contents. A frame stores its offset as a 32-bit number.
    private static var maximumBytes: Int { Int(UInt32.max) }

    /// End of the file before and after the last write.
    private let ends = Mutex<[FileEnd]>([])

    init(_ base: Base, _ content: FileContent, _ lengths: SealedLengths) {
        self.base = base
        self.content = content
        self.lengths = lengths
    }

    package var path: String { base.path }

    package var kernelFile: File? {
        if case .plain = content { base.kernelFile } else { nil }
    }

    /// Whether the file is not encrypted, and the underlying file can be overwritten.
    ///
    /// A frame is bound to its offset, and the length of the contents is determined from the last frame of the file.
    package var canOverwrite: Bool {
        if case .plain = content { base.canOverwrite } else { false }
    }

    /// Returns whether a new file would be encrypted in the same way.
    func isCurrent(for keys: EncryptionKeys) -> Bool { content.isCurrent(for: keys.sealing) }

    // MARK: Reading

    package func status() throws(IOError) -> FileStatus {
        var status = try base.status()
        status.size = try inside(status)
        return status
    }

    package func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        if case .plain = content { return try base.read(from: offset, upTo: byteCount) }
        let wanted = offset + byteCount
        let status = try base.status()
        let size = try Self.length(status, of: path)
        // Most callers read either the whole file or only its start.
        var taken = SealedHeader.byteCount + wanted + FileCipher.tailBytes
        if let known = lengths.inside(status), wanted >= known { taken = size }
        while true {
            let isWhole = taken >= size
            let sealed = try base.read(upTo: min(taken, size))
            let bytes = content.open(sealed, isWhole: isWhole).bytes
            if isWhole || bytes.count >= wanted {
                return Array(bytes.dropFirst(offset).prefix(byteCount))
            }
            taken *= 2
        }
    }

    /// Reads the whole decrypted contents.
    ///
    /// - Throws: `EBADMSG` if the file is damaged, or `EFBIG` if the contents are longer than the limit.
    func readIntact(limit: Int) throws(IOError) -> [UInt8] {
        if case .plain = content { return try base.readWhole(limit: limit) }
        let size = try Self.length(try base.status(), of: path)
        // This code never writes files whose frames take more space than their contents.
        if (size - FileCipher.tailBytes) / 2 > limit {
            throw IOError(.read, path: path, code: EFBIG)
        }
        let opened = content.open(try base.read(upTo: size), isWhole: true)
        if opened.bytes.count > limit { throw IOError(.read, path: path, code: EFBIG) }
        guard opened.isIntact else { throw IOError(.decrypt, path: path, code: EBADMSG) }
        return opened.bytes
    }

    /// Returns the size of the file on disk.
    ///
    /// - Throws: `EFBIG` if it is larger than an encrypted file can be.
    private static func length(_ status: FileStatus, of path: String) throws(IOError) -> Int {
        guard status.size <= 2 * maximumBytes else { throw IOError(.read, path: path, code: EFBIG) }
        return status.size
    }

    /// Returns the length of the decrypted contents.
    ///
    /// - Parameter status: The status of the file on disk.
    private func inside(_ status: FileStatus) throws(IOError) -> Int {
        if case .plain = content { return status.size }
        let size = try Self.length(status, of: path)
        if size == 0 { return 0 }
        if let known = lengths.inside(status) { return known }
        let start = max(0, size - FileCipher.tailBytes)
        let tail = try base.read(from: start, upTo: size - start)
        guard let inside = content.endOfLastFrame(in: tail) else {
            // Another program may have overwritten the file with a different file, so the length is not cached.
            return content.open(try base.read(upTo: size), isWhole: true).bytes.count
        }
        lengths.cache(inside, status)
        return inside
    }

    // MARK: Writing

    package func write(_ bytes: [UInt8]) throws(IOError) {
        switch content {
        case .plain: try base.write(bytes)
        case .unreadable: throw IOError(.write, path: path, code: EKEYEXPIRED)
        case .sealed(let cipher, _):
            var status = try base.status()
            let end = FileEnd(inside: try inside(status), onDisk: status.size)
            guard end.inside + bytes.count <= Self.maximumBytes else {
                throw IOError(.write, path: path, code: EFBIG)
            }
            ends.withLock { $0 = [end] }
            let head = end.onDisk == 0 ? cipher.header.encoded() : []
            let sealed = head + cipher.seal(bytes, at: end.inside)
            try base.write(sealed)
            status.size += sealed.count
            let next = FileEnd(inside: end.inside + bytes.count, onDisk: status.size)
            ends.withLock { $0 = [end, next] }
            lengths.cache(next.inside, status)
        }
    }

    package func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        guard canOverwrite else { throw IOError(.write, path: path, code: EOPNOTSUPP) }
        try base.write(bytes, at: offset)
    }

    /// Truncates the file to a length, or extends it with zeros.
    ///
    /// If the new end is inside a frame, the rest of the frame is encrypted again.
    package func truncate(to length: Int) throws(IOError) {
        guard case .sealed(let cipher, _) = content else {
            return try base.truncate(to: length)
        }
        let known = ends.withLock { $0.last { $0.inside == length } }
        if let known { return try base.truncate(to: known.onDisk) }
        let sealed = try base.read(upTo: try Self.length(try base.status(), of: path))
        let end = cipher.lastEnd(upTo: length, in: sealed)
        var rest = Array(
            cipher.open(sealed).bytes.dropFirst(end.inside).prefix(length - end.inside))
        rest.appendZeros(length - end.inside - rest.count)
        try base.truncate(to: end.onDisk)
        if !rest.isEmpty { try write(rest) }
    }

    package func setModified(_ time: Int64) throws(IOError) { try base.setModified(time) }

    package func synchronize() throws(IOError) { try base.synchronize() }

    package func synchronizeData() throws(IOError) { try base.synchronizeData() }
}
