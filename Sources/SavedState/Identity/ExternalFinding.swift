import ExactText
package import LinuxIO

/// Result of checking whether another program changed an archive's file. Each reason is part of a sentence.
package enum ExternalFinding: Sendable, Equatable {
    /// The file is unchanged since this process wrote or read it.
    case ours
    /// The file or a directory above it was removed.
    case removed
    /// The path leads to another device or another state directory.
    ///
    /// A file system was mounted or unmounted, or a directory was renamed (L4). This case also covers a state directory
    /// that was removed while the archive did not exist.
    case elsewhere(reason: String)
    /// Another program left a complete archive of the application.
    case replaced(ReplacingArchive)
    /// The file cannot be used, at least for now. Another program may still be writing it.
    case unusable(reason: String, FileFingerprint)
}

/// Complete archive that another program left under the archive's name.
package struct ReplacingArchive: Sendable, Equatable {
    /// Contents of the archive.
    package let contents: ArchiveContents
    /// Bytes of the file.
    package let bytes: [UInt8]
    /// Status of the file when it was read.
    let status: FileStatus

    /// Returns whether two archives are the same file with the same bytes.
    package static func == (one: ReplacingArchive, other: ReplacingArchive) -> Bool {
        one.status.isSameFile(as: other.status) && one.bytes == other.bytes
    }
}

/// Fingerprint that distinguishes a file from other files, and from the same file after a change.
///
/// The fingerprint does not depend on timestamps.
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
