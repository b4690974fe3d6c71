package import LinuxIO

/// A sync of an archive, to be run on any thread while appends go on.
package struct SyncJob: Sendable {
    /// The files, each as far as it goes.
    let files: [ArchiveFile]
    let epoch: UInt64
    /// The number of the last write that it covers, see ``ApplicationArchive/writeNumber``.
    package let covers: UInt64
    /// The names to make durable too; nil: they are.
    let names: ArchivePlace?

    /// Makes all durable that was written before the job was made. Files that fail must not be used
    /// any more.
    package func run() -> Result<Void, IOError> {
        Result { () throws(IOError) in
            for file in files { try file.synchronizeData() }
            try names?.synchronize()
        }
    }
}

/// Counts what was written to an archive, and up to where that is durable.
struct Durability {
    /// How many writes there were.
    private(set) var written: UInt64 = 0
    /// How many of them are durable.
    private(set) var durable: UInt64 = 0
    /// The write that a sync which is going on covers; nil: none is going on.
    private(set) var covering: UInt64?
    /// Counts the files: a sync of an earlier one says nothing of the present one.
    private(set) var epoch: UInt64 = 0

    /// Whether all that was written is durable.
    var isComplete: Bool { durable == written }

    /// Something was written, and is not durable yet.
    mutating func noteWritten() { written += 1 }

    /// A whole new file was made, durably.
    mutating func noteWhole() {
        written += 1
        durable = written
        covering = nil
        epoch += 1
    }

    /// The file takes the place of that of an earlier count, of which a sync may be going on.
    mutating func follow(_ earlier: Durability) { epoch = earlier.epoch + 1 }

    /// All that was written so far is durable.
    mutating func noteDurable() { durable = written }

    /// A sync begins.
    mutating func begin() { covering = written }

    /// The sync that is going on has ended.
    mutating func end(isDurable: Bool) {
        if isDurable, let covering { durable = max(durable, covering) }
        covering = nil
    }
}
