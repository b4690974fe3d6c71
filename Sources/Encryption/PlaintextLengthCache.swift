import LinuxIO
import Synchronization

/// A cache for the plaintext lengths of encrypted files.
///
/// The cache covers a directory and its subdirectories. It avoids reading the files again to determine their lengths.
final class PlaintextLengthCache: Sendable {
    private struct FileID: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    /// Maximum number of entries. The cache is emptied when it is full.
    private static let maximumCount = 10_000
    private let entries = Mutex<[FileID: FileEnd]>([:])

    /// Returns the cached length of a file's contents, or `nil` if it is unknown or the size on disk has
    /// changed.
    func plaintextLength(_ status: FileStatus) -> Int? {
        entries.withLock { entries in
            guard let cachedEnd = entries[FileID(device: status.device, inode: status.inode)],
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
    func cache(_ plaintextLength: Int, _ status: FileStatus) {
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries = [:] }
            entries[FileID(device: status.device, inode: status.inode)] = FileEnd(
                plaintextLength: plaintextLength, sealedLength: status.size)
        }
    }
}
