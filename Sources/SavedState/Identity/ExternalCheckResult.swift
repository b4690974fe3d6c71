import ExactText
package import LinuxIO

/// Result of checking whether another program has changed an archive's file.
///
/// In each case, `reason` is a phrase for use in a sentence.
package enum ExternalCheckResult: Sendable, Equatable {
    /// The file has not changed since this process read or last wrote it.
    case unchanged
    /// The file or a directory above it was removed.
    case removed
    /// The path leads to another device or another state directory.
    ///
    /// A file system was mounted or unmounted, or a directory was renamed (L4). This case also applies if the state
    /// directory was removed while the archive did not exist.
    case unreachable(reason: String)
    /// Another program replaced the file with a complete archive of the same application.
    case replaced(ReplacementArchive)
    /// The file cannot be used, at least for now. Another program may still be writing to it.
    case unusable(reason: String, FileFingerprint)
}

/// Complete archive that another program has put at the archive's path.
package struct ReplacementArchive: Sendable, Equatable {
    /// Contents of the archive.
    package let contents: ArchiveContents
    /// Bytes of the file.
    package let bytes: [UInt8]
    /// Status of the file when it was read.
    let status: FileStatus

    /// Returns whether two archives are the same file with the same bytes.
    package static func == (one: ReplacementArchive, other: ReplacementArchive) -> Bool {
        one.status.isSameFile(as: other.status) && one.bytes == other.bytes
    }
}

/// Fingerprint that changes if a file is replaced or its contents change.
///
/// The fingerprint does not depend on timestamps.
package struct FileFingerprint: Sendable, Equatable {
    private let inode: UInt64
    private let device: UInt64
    private let size: Int
    private let digest: UInt64?

    /// Creates a fingerprint.
    ///
    /// - Parameter bytes: Complete contents of the file, or `nil` if the file cannot be read.
    package init(_ status: FileStatus, _ bytes: [UInt8]? = nil) {
        inode = status.inode
        device = status.device
        size = status.size
        digest = bytes.map { checksum($0) }
    }
}
