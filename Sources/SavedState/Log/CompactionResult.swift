package import LinuxIO

/// Result of a compaction step.
package enum CompactionResult: Sendable {
    /// The new file contains the live records.
    case copied(ArchiveFile)
    /// The names have been exchanged durably.
    ///
    /// If `isForeignFileRestored` is `false`, the new file now has the archive's name. If it is `true`, another
    /// program's file had the archive's name before the exchange and has been given the name again.
    case published(isForeignFileRestored: Bool)
    /// The step failed.
    case failed(CompactionFailure)
}

/// Reason why a compaction step failed.
package enum CompactionFailure: Sendable {
    /// The step failed, and the old file is unchanged.
    case aborted(reason: String)
    /// The file system cannot exchange names, and the old file is unchanged.
    case unsupported
    /// It is uncertain which of the two files has the archive's name.
    case unpublished(IOError)
    /// The old file no longer contains the records that were written to it.
    case unreadable
}
