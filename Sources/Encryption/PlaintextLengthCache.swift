import LinuxIO
import Synchronization

/// A cache of the plaintext lengths of encrypted files.
///
/// One cache serves a directory and its subdirectories. With the cache, the length of a file can be determined without
/// reading the file.
final class PlaintextLengthCache: Sendable {
    private struct FileID: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    /// Maximum number of entries. The cache is emptied before it would grow beyond this number.
    private static let maximumCount = 10_000
    private let fileEnds = Mutex<[FileID: FileEnd]>([:])

    /// Returns the cached length of a file's contents, or `nil` if it is unknown or the size on disk has
    /// changed.
    func plaintextLength(of status: FileStatus) -> Int? {
        fileEnds.withLock { fileEnds in
            guard let cachedEnd = fileEnds[FileID(device: status.device, inode: status.inode)],
                cachedEnd.sealedLength == status.size
            else { return nil }
            return cachedEnd.plaintextLength
        }
    }

    /// Caches the length of a file's contents.
    ///
    /// - Parameters:
    ///   - plaintextLength: The length of the decrypted contents.
    ///   - status: The status of the file on disk.
    func cache(_ plaintextLength: Int, for status: FileStatus) {
        fileEnds.withLock { fileEnds in
            if fileEnds.count >= Self.maximumCount { fileEnds = [:] }
            fileEnds[FileID(device: status.device, inode: status.inode)] = FileEnd(
                plaintextLength: plaintextLength, sealedLength: status.size)
        }
    }
}
