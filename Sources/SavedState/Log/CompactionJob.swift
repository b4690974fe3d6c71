/// Step of a compaction, which may run on any thread while appends continue.
package enum CompactionJob: Sendable {
    /// Writes the live records to a new file.
    case copy(ArchiveCopy)
    /// Exchanges the names of the new file and the archive.
    case exchange(ArchiveExchange)

    /// Runs the step. The result must be passed to ``ApplicationArchive/endCompaction(_:_:)``.
    package func run() -> CompactionResult {
        switch self {
        case .copy(let copy): copy.run()
        case .exchange(let exchange): exchange.run()
        }
    }
}
