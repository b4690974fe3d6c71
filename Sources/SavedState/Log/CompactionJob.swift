/// Compaction step. It may run on any thread while appends continue.
package enum CompactionJob: Sendable {
    /// Writes the live records to a new file.
    case copy(CompactionCopy)
    /// Exchanges the names of the new file and the archive.
    case exchange(CompactionExchange)

    /// Runs the step. The caller must pass the result to ``ApplicationArchive/endCompaction(_:_:)``.
    package func run() -> CompactionResult {
        switch self {
        case .copy(let copy): copy.run()
        case .exchange(let exchange): exchange.run()
        }
    }
}
