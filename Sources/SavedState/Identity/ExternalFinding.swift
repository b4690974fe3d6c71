import ExactText
package import LinuxIO

/// What stands under an archive's name, as far as others may have changed it. Reasons are clauses.
package enum ExternalFinding: Sendable, Equatable {
    /// What this process wrote, or read.
    case ours
    /// Nothing: the file or a folder above it was removed.
    case removed
    /// Something on another device, or in another state directory: a file system was mounted or
    /// unmounted, or a folder renamed (L4), or the state directory removed without a file in it.
    case elsewhere(reason: String)
    /// A whole archive of the application.
    case replaced(ReplacingArchive)
    /// Something that cannot be used, at least as it is now: a program may still be writing it.
    case unusable(reason: String, FileFingerprint)
}

/// A whole archive that another program left under the archive's name.
package struct ReplacingArchive: Sendable, Equatable {
    /// What it holds.
    package let contents: ArchiveContents
    /// Its bytes.
    package let bytes: [UInt8]
    /// The file as it was read.
    let status: FileStatus

    /// Whether both are one file with the same bytes.
    package static func == (one: ReplacingArchive, other: ReplacingArchive) -> Bool {
        one.status.isSameFile(as: other.status) && one.bytes == other.bytes
    }
}

/// Tells a file as it was seen from others, and from itself after a change; never by time.
package struct FileFingerprint: Sendable, Equatable {
    private let inode: UInt64
    private let device: UInt64
    private let size: Int
    private let digest: UInt64?

    /// - Parameter bytes: all that it holds; nil: that cannot be read.
    package init(_ status: FileStatus, _ bytes: [UInt8]? = nil) {
        inode = status.inode
        device = status.device
        size = status.size
        digest = bytes.map { checksum($0) }
    }
}
