/// A step of a compaction, to be run on any thread while appends go on.
package struct CompactionJob: Sendable {
    let step: Step

    enum Step: Sendable {
        case copy(ArchiveCopy)
        case exchange(ArchiveExchange)
    }

    /// Does the step; the archive has to be told of the result.
    package func run() -> CompactionResult {
        switch step {
        case .copy(let copy): copy.run()
        case .exchange(let exchange): exchange.run()
        }
    }
}
