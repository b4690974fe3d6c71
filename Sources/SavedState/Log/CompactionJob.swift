package import LinuxIO

/// Step of a compaction, which may run on any thread while appends continue.
package enum CompactionJob: Sendable {
    /// Writes the live records to a new file.
    case copy(ArchiveCopy)
    /// Gives the new file the archive's name.
    case exchange(ArchiveExchange)

    /// Runs the step. The result must be passed to ``ApplicationArchive/endCompaction(_:_:)``.
    package func run() -> CompactionResult {
        switch self {
        case .copy(let copy): copy.run()
        case .exchange(let exchange): exchange.run()
        }
    }
}

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
