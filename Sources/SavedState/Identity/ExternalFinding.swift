import ExactText
package import LinuxIO

/// Result of checking whether another program changed an archive's file. Reasons are parts of a sentence.
package enum ExternalFinding: Sendable, Equatable {
    /// The file is the one that this process wrote or read.
    case ours
    /// The file or a directory above it was removed.
    case removed
    /// The path leads to another device or another state directory.
    ///
    /// A file system was mounted or unmounted, or a directory was renamed (L4). This result also means that the
    /// state directory was removed while the archive did not exist.
    case elsewhere(reason: String)
    /// Another program left a whole archive of the application.
    case replaced(ReplacingArchive)
    /// The file cannot be used, at least not now. Another program may still be writing it.
    case unusable(reason: String, FileFingerprint)
}

/// Whole archive that another program left under the archive's name.
package struct ReplacingArchive: Sendable, Equatable {
    /// Contents of the archive.
    package let contents: ArchiveContents
    /// Bytes of the file.
    package let bytes: [UInt8]
    /// Status of the file when it was read.
    let status: FileStatus

    /// Whether both are the same file with the same bytes.
    package static func == (one: ReplacingArchive, other: ReplacingArchive) -> Bool {
        one.status.isSameFile(as: other.status) && one.bytes == other.bytes
    }
}

/// Fingerprint that distinguishes a file from other files, and from the same file after a change.
///
/// It does not depend on times.
package struct FileFingerprint: Sendable, Equatable {
    private let inode: UInt64
    private let device: UInt64
    private let size: Int
    private let digest: UInt64?

    /// Creates a fingerprint.
    ///
    /// - Parameter bytes: Whole contents of the file, or `nil` if it cannot be read.
    package init(_ status: FileStatus, _ bytes: [UInt8]? = nil) {
        inode = status.inode
        device = status.device
        size = status.size
        digest = bytes.map { checksum($0) }
    }
}
