package import LinuxIO

/// Result of a compaction step.
package enum CompactionResult: Sendable {
    /// The new file contains the live records.
    case copied(ArchiveFile)
    /// The new file got the archive's name durably.
    ///
    /// If `isForeignOut` is true, another program's file had the name before, and the name was given back to it.
    case published(isForeignOut: Bool)
    /// The step failed.
    case failed(CompactionFailure)
}

/// Reason why a compaction step failed.
package enum CompactionFailure: Sendable {
    /// The step failed, and the old file is unchanged.
    case refused(reason: String)
    /// The file system cannot exchange names, and the old file is unchanged.
    case unsupported
    /// It is uncertain which file has the name.
    case unpublished(IOError)
    /// The old file does not contain what was written to it.
    case unreadable
}
