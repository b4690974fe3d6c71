package import LinuxIO

/// What a step of a compaction came to.
package enum CompactionResult: Sendable {
    /// The new file holds what counts.
    case copied(CopiedArchive)
    /// The new file has had the name, durably.
    ///
    /// `isForeignOut`: what had the name before was not the old file, and has got it back.
    case published(isForeignOut: Bool)
    /// It came to nothing.
    case failed(CompactionFailure)
}

/// Why a step of a compaction came to nothing.
package enum CompactionFailure: Sendable {
    /// The old file is as it was.
    case refused(reason: String)
    /// The file system cannot exchange names, and the old file is as it was.
    case unsupported
    /// It is not certain which file has the name.
    case unpublished(IOError)
    /// The old file is not what was written to it.
    case unreadable
}

/// The new file of a compaction.
package struct CopiedArchive: Sendable {
    let file: ArchiveFile
}
