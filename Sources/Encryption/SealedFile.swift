import Glibc
package import LinuxIO
import Synchronization

/// A file of a ``SealedFolder``: its bytes as who uses it sees them, its length included.
///
/// Any thread may read it; one at a time may write.
package final class SealedFile<Base: FolderFile>: FolderFile {
    private let base: Base
    private let content: FileContent
    private let ends: Mutex<Ends>

    /// A length: of what the file holds, and of the file as it lies on the disk.
    private struct End {
        var inside: Int
        var onDisk: Int
    }

    /// Lengths that are known, so that nothing is read to find them out.
    private struct Ends {
        /// The present one.
        var last: End?
        /// The one before the last write.
        var before: End?
    }

    init(_ base: Base, _ content: FileContent) {
        self.base = base
        self.content = content
        ends = Mutex(Ends())
    }

    package var path: String { base.path }

    package var kernelFile: File? {
        if case .plain = content { base.kernelFile } else { nil }
    }

    /// Whether it is sealed as what is written now is.
    package func isSealed(by keys: EncryptionKeys) -> Bool { content.isSealed(by: keys.sealing) }

    // MARK: Reading

    package func status() throws(IOError) -> FileStatus {
        var status = try base.status()
        status.size = try byteCount(onDisk: status.size)
        return status
    }

    package func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        if case .plain = content { return try base.read(from: offset, upTo: byteCount) }
        let wanted = offset + byteCount
        let size = try base.status().size
        // Most often a file has few frames, and as many bytes as are wanted.
        var taken = SealedHeader.byteCount + wanted + wanted / 4 + FileCipher.tailBytes
        while true {
            let isWhole = taken >= size
            let sealed = try base.read(upTo: min(taken, size))
            let bytes = content.open(sealed, isWhole: isWhole)
            if isWhole || bytes.count >= wanted {
                return Array(bytes.dropFirst(offset).prefix(byteCount))
            }
            taken *= 2
        }
    }

    /// How many bytes the file holds when it has so many on the disk.
    private func byteCount(onDisk size: Int) throws(IOError) -> Int {
        if case .plain = content { return size }
        if let last = ends.withLock({ $0.last }), last.onDisk == size { return last.inside }
        if size == 0 { return 0 }
        let start = max(0, size - FileCipher.tailBytes)
        let tail = try base.read(from: start, upTo: size - start)
        if let count = content.endOfLastFrame(in: tail) { return count }
        return content.open(try base.read(upTo: size), isWhole: true).count
    }

    // MARK: Writing

    package func write(_ bytes: [UInt8]) throws(IOError) {
        switch content {
        case .plain: try base.write(bytes)
        case .unreadable: throw IOError(.write, path: path, code: EKEYEXPIRED)
        case .sealed(let cipher, _):
            let end = try end()
            let head = end.onDisk == 0 ? cipher.header.encoded() : []
            let sealed = head + cipher.seal(bytes, at: end.inside)
            try base.write(sealed)
            let next = End(
                inside: end.inside + bytes.count, onDisk: end.onDisk + sealed.count)
            ends.withLock { $0 = Ends(last: next, before: end) }
        }
    }

    private func end() throws(IOError) -> End {
        if let last = ends.withLock({ $0.last }) { return last }
        let size = try base.status().size
        return End(inside: try byteCount(onDisk: size), onDisk: size)
    }

    /// Cuts the file to a length; what is left of a frame is sealed anew.
    package func truncate(to length: Int) throws(IOError) {
        guard case .sealed(let cipher, _) = content else {
            return try base.truncate(to: length)
        }
        let known = ends.withLock { ends in
            [ends.last, ends.before].compactMap(\.self).first { $0.inside == length }
        }
        if let known {
            try base.truncate(to: known.onDisk)
            ends.withLock { $0 = Ends(last: known) }
            return
        }
        let bytes = try read(upTo: length)
        ends.withLock { $0 = Ends() }
        try base.truncate(to: 0)
        try base.write(cipher.header.encoded() + cipher.seal(bytes, at: 0))
    }

    package func setModified(_ time: Int64) throws(IOError) { try base.setModified(time) }

    package func synchronize() throws(IOError) { try base.synchronize() }

    package func synchronizeData() throws(IOError) { try base.synchronizeData() }
}

/// How the content of a file is to be understood.
enum FileContent {
    /// As it stands there.
    case plain
    /// Sealed; `isStartIntact` if the header is as it was written.
    case sealed(FileCipher, isStartIntact: Bool)
    /// It was sealed, and nothing tells by which key.
    case unreadable

    /// Whether the file is as one that is written now, which a key seals; nil: none does.
    func isSealed(by key: EncryptionKey?) -> Bool {
        switch self {
        case .plain: key == nil
        case .sealed(let cipher, let isStartIntact):
            isStartIntact && cipher.header.key == key?.number
        case .unreadable: false
        }
    }

    /// What the bytes of a file hold, see ``FileCipher/open(_:isWhole:)``.
    func open(_ bytes: [UInt8], isWhole: Bool) -> [UInt8] {
        switch self {
        case .plain: return bytes
        case .sealed(let cipher, _): return cipher.open(bytes, isWhole: isWhole)
        case .unreadable:
            var zeros: [UInt8] = []
            zeros.appendZeros(FileCipher.unreadable(bytes.count - SealedHeader.byteCount))
            return zeros
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
