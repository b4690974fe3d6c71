internal import CLinux
import Glibc
internal import SystemPackage

/// Route from the root directory to the end of a path, as found by a walk.
struct ResolvedRoute: Equatable {
    /// Name that was looked up in a directory. A change to the name can change the route.
    struct Step: Equatable {
        enum Kind {
            /// A directory on the route.
            case directory
            /// A symbolic link on the route.
            case link
            /// A name at which the route stops, because nothing exists there or because it is a file instead of a
            /// directory.
            case deadEnd
            /// The name of the file itself, whether or not the file exists.
            case end
        }

        var directory: FilePath
        var name: FilePath.Component
        var kind: Kind
    }

    /// Directory on the route, or the file at the end of the route.
    struct Node: Equatable {
        var path: FilePath
        var entry: PathEntry
    }

    /// Names, in the order in which they were looked up.
    var steps: [Step] = []
    /// Directories, in the order in which they were entered, followed by the file at the end.
    var nodes: [Node] = []
    /// File that the path leads to, or `nil` if it leads to no file.
    var endNode: Node?

    /// Returns the changes between this route and a newer route for the same path.
    ///
    /// - Parameter wasUnmounted: A closure that returns whether the file system at the end of a route has been
    ///   unmounted. It is called only if the result matters.
    func changes(to newRoute: ResolvedRoute, wasUnmounted: (ResolvedRoute) -> Bool) -> FileChanges {
        guard let oldIdentity = endNode?.entry.identity else {
            return newRoute.endNode == nil ? [] : .created
        }
        let newIdentity = newRoute.endNode?.entry.identity
        if newIdentity == oldIdentity { return [] }
        if wasUnmounted(self) || isRemounted(in: newRoute) {
            return newIdentity == nil ? .unmounted : [.unmounted, .created]
        }
        return newIdentity == nil ? .removed : .replaced
    }

    /// Returns whether the routes diverge at a path that now leads into a different mount.
    private func isRemounted(in newRoute: ResolvedRoute) -> Bool {
        let divergence = zip(nodes, newRoute.nodes).first { $0 != $1 }
        guard let (oldNode, newNode) = divergence else { return false }
        return oldNode.path == newNode.path
            && oldNode.entry.mountIdentity != newNode.entry.mountIdentity
    }
}

/// Kind and identity of the file at a path.
///
/// A symbolic link at the end of the path is not followed.
struct PathEntry: Equatable {
    enum Kind { case directory, link, regular, otherFile }

    var kind: Kind
    var identity: FileIdentity
    var mountIdentity: MountIdentity

    /// Returns the entry at a path, or `nil` if the path does not exist.
    static func lookUp(_ path: FilePath) throws(FileWatchError) -> PathEntry? {
        var status = statx()
        let requestedFields = STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID
        let result = path.withPlatformString {
            linux_statx($0, AT_SYMLINK_NOFOLLOW, UInt32(requestedFields), &status)
        }
        if result == 0 { return PathEntry(status) }
        let reason = Errno(rawValue: errno)
        if reason == .noSuchFileOrDirectory || reason == .notDirectory { return nil }
        throw FileWatchError(.examine, path, reason)
    }

    private init(_ status: statx) {
        kind =
            switch mode_t(status.stx_mode) & S_IFMT {
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFREG: .regular
            default: .otherFile
            }
        let device = UInt64(status.stx_dev_major) << 32 | UInt64(status.stx_dev_minor)
        identity = FileIdentity(
            device: device, inode: status.stx_ino, birthSeconds: status.stx_btime.tv_sec,
            birthNanoseconds: status.stx_btime.tv_nsec)
        mountIdentity = MountIdentity(device: device, mountID: status.stx_mnt_id)
    }
}

/// Identity of a file.
///
/// A later file with the same inode has a different identity, provided that the file system records creation times.
struct FileIdentity: Equatable {
    var device: UInt64
    var inode: UInt64
    /// Creation time, or 0 if the file system does not record it.
    var birthSeconds: Int64
    var birthNanoseconds: UInt32
}

/// Identity of a mount.
///
/// The kernel may reuse the mount ID after an unmount.
struct MountIdentity: Equatable {
    var device: UInt64
    /// Mount ID, or 0 before Linux 5.8.
    var mountID: UInt64
}
