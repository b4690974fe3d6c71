import LinuxIO
import Synchronization

/// A cache of the lengths of encrypted files' decrypted contents.
///
/// The cache covers a directory and its subdirectories. It avoids reading the files again to determine their lengths.
final class SealedLengths: Sendable {
    private struct Place: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    /// Maximum number of entries. The cache is emptied when it is full.
    private static let maximumCount = 10_000
    private let known = Mutex<[Place: FileEnd]>([:])

    /// Returns the cached length of a file's contents, or `nil` if it is unknown or the size on disk has
    /// changed.
    func inside(_ status: FileStatus) -> Int? {
        known.withLock { known in
            guard let end = known[Place(device: status.device, inode: status.inode)],
                end.onDisk == status.size
            else { return nil }
            return end.inside
        }
    }

    /// Caches the length of a file's contents.
    ///
    /// - Parameters:
    ///   - inside: The length of the decrypted contents.
    ///   - status: The status of the file on disk.
    func cache(_ inside: Int, _ status: FileStatus) {
        known.withLock { known in
            if known.count >= Self.maximumCount { known = [:] }
            known[Place(device: status.device, inode: status.inode)] = FileEnd(
                inside: inside, onDisk: status.size)
        }
    }
}
