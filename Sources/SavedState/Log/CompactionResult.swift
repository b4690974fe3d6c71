package import LinuxIO

/// Result of a compaction step.
package enum CompactionResult: Sendable {
    /// The new file contains the live records.
    case copied(ArchiveFile)
    /// The new file durably got the archive's name.
    ///
    /// If `isForeignOut` is `true`, another program's file had the name before, and has been given the name back.
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
    /// The old file no longer contains the written records.
    case unreadable
}
