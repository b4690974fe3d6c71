import LinuxIO

/// A whole archive that another program left under the archive's name.
package struct ReplacingArchive: Sendable, Equatable {
    /// What it holds.
    package let contents: ArchiveContents
    /// Its bytes.
    package let bytes: [UInt8]
    /// The file as it was read.
    let status: FileStatus
}
