internal import CLinux
import Glibc
internal import SystemPackage

/// What is under a path, without following a symbolic link at its end.
struct FoundFile: Equatable {
    enum Kind { case folder, link, regular, other }

    var kind: Kind
    var identity: FileIdentity
    var mount: MountIdentity

    /// Examines a path; nil if nothing is there.
    static func at(_ path: FilePath) throws(FileWatchError) -> FoundFile? {
        var status = statx()
        let wanted = STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID
        let result = path.withPlatformString {
            linux_statx($0, AT_SYMLINK_NOFOLLOW, UInt32(wanted), &status)
        }
        if result == 0 { return FoundFile(status) }
        let reason = Errno(rawValue: errno)
        if reason == .noSuchFileOrDirectory || reason == .notDirectory { return nil }
        throw FileWatchError(.examine, path, reason)
    }

    private init(_ status: statx) {
        kind =
            switch mode_t(status.stx_mode) & S_IFMT {
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFREG: .regular
            default: .other
            }
        let device = UInt64(status.stx_dev_major) << 32 | UInt64(status.stx_dev_minor)
        identity = FileIdentity(
            device: device, inode: status.stx_ino, bornSeconds: status.stx_btime.tv_sec,
            bornNanoseconds: status.stx_btime.tv_nsec)
        mount = MountIdentity(device: device, number: status.stx_mnt_id)
    }
}

/// Tells one file from another, also from a later one that was given its inode.
struct FileIdentity: Equatable {
    var device: UInt64
    var inode: UInt64
    /// When it was made; 0 where the file system does not keep that.
    var bornSeconds: Int64
    var bornNanoseconds: UInt32
}

/// Tells one mount from another; the kernel may give a number again after an unmount.
struct MountIdentity: Equatable {
    var device: UInt64
    /// The number of the mount; 0 before Linux 5.8.
    var number: UInt64
}
