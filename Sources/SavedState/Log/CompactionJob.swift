package import LinuxIO

/// A step of a compaction, to be run on any thread while appends go on.
package enum CompactionJob: Sendable {
    /// Writes what counts into a new file.
    case copy(ArchiveCopy)
    /// Gives that the archive's name.
    case exchange(ArchiveExchange)

    /// Does the step; the archive has to be told of the result.
    package func run() -> CompactionResult {
        switch self {
        case .copy(let copy): copy.run()
        case .exchange(let exchange): exchange.run()
        }
    }
}

/// What a step of a compaction came to.
package enum CompactionResult: Sendable {
    /// The new file holds what counts.
    case copied(ArchiveFile)
    /// The new file got the name, durably; `isForeignOut` if another program's file gave it up, and
    /// has it back.
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
