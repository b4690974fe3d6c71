package import LinuxIO

/// Sync of an archive, which may run on any thread while appends continue.
package struct SyncJob: Sendable {
    /// Files to sync, in their state when the job was created.
    let files: [ArchiveFile]
    let epoch: UInt64
    /// Number of the last write that the job covers, see ``ApplicationArchive/writeNumber``.
    package let covers: UInt64
    /// Directories whose names must be made durable, too, or `nil` if the names are already durable.
    let names: ArchivePlace?

    /// Makes everything durable that was written before the job was created.
    ///
    /// After an error, the files must no longer be used.
    package func run() -> Result<Void, IOError> {
        Result { () throws(IOError) in
            for file in files { try file.synchronizeData() }
            try names?.synchronize()
        }
    }
}

/// Counter of the writes to an archive, and of the durable ones among them.
struct Durability {
    /// Number of writes.
    private(set) var written: UInt64 = 0
    /// Number of durable writes.
    private(set) var durable: UInt64 = 0
    /// Number of the last write that the sync in progress covers, or `nil` if no sync is in progress.
    private(set) var covering: UInt64?
    /// Number of the file. A sync of an earlier file says nothing about the current one.
    private(set) var epoch: UInt64 = 0

    /// Whether everything that was written is durable.
    var isComplete: Bool { durable == written }

    /// Records a write that is not durable yet.
    mutating func recordWrite() { written += 1 }

    /// Records that a whole new file was written durably.
    mutating func recordWholeFile() {
        written += 1
        durable = written
        covering = nil
        epoch += 1
    }

    /// Starts a new epoch after the one of an earlier counter, whose sync may still be in progress.
    mutating func follow(_ earlier: Durability) { epoch = earlier.epoch + 1 }

    /// Records that everything written so far is durable.
    mutating func markDurable() { durable = written }

    /// Records that a sync begins.
    mutating func begin() { covering = written }

    /// Records that the sync in progress has ended.
    mutating func end(isDurable: Bool) {
        if isDurable, let covering { durable = max(durable, covering) }
        covering = nil
    }
}
