import LinuxIO
import Synchronization

/// What the sealed files of a folder, and of those below it, hold by their lengths on the disk, so
/// that nothing is read to find it out again.
final class SealedLengths: Sendable {
    private struct Place: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    /// So many are known before all are forgotten.
    private static let most = 10_000
    private let known = Mutex<[Place: FileEnd]>([:])

    /// How many bytes a file holds that is as its status on the disk tells; nil: it is not known.
    func inside(_ status: FileStatus) -> Int? {
        known.withLock { known in
            guard let end = known[Place(device: status.device, inode: status.inode)],
                end.onDisk == status.size
            else { return nil }
            return end.inside
        }
    }

    /// A file that is as its status on the disk tells holds so many bytes.
    func note(_ inside: Int, _ status: FileStatus) {
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[Place(device: status.device, inode: status.inode)] = FileEnd(
                inside: inside, onDisk: status.size)
        }
    }
}
