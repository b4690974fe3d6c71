internal import CLinux
import Glibc
internal import SystemPackage

/// The way from the root to what a path leads to, as it was found.
struct Route: Equatable {
    /// A name that was looked up in a folder; if it changes, the way may.
    struct Step: Equatable {
        enum Kind {
            /// A folder on the way.
            case folder
            /// A symbolic link on the way.
            case link
            /// Nothing to go on with: it is missing, or a file where a folder is needed.
            case block
            /// The name of the file itself, whether it is there or not.
            case end
        }

        var folder: FilePath
        var name: FilePath.Component
        var kind: Kind
    }

    /// A folder on the way, or what is at its end.
    struct Place: Equatable {
        var path: FilePath
        var found: FoundFile
    }

    /// The names that were looked up, in order.
    var steps: [Step] = []
    /// The folders that were entered, in order, and then what was found at the end.
    var places: [Place] = []
    /// What the path leads to; nil if it leads to nothing.
    var end: Place?

    /// Tells what the difference between two looks at a path means for who watches it.
    ///
    /// - Parameter wasUnmounted: whether the file system is gone that this way ended in; asked only
    ///   if it matters.
    func changes(to new: Route, wasUnmounted: (Route) -> Bool) -> FileChanges {
        guard let old = end?.found.identity else { return new.end == nil ? [] : .created }
        let now = new.end?.found.identity
        if now == old { return [] }
        if wasUnmounted(self) || isRemounted(in: new) {
            return now == nil ? .unmounted : [.unmounted, .created]
        }
        return now == nil ? .removed : .replaced
    }

    /// Whether the ways part where the same path leads into another mount.
    private func isRemounted(in new: Route) -> Bool {
        let parting = zip(places, new.places).first { $0 != $1 }
        guard let (old, now) = parting else { return false }
        return old.path == now.path && old.found.mount != now.found.mount
    }
}

/// The entry under a path, without following a symbolic link at its end.
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
