package import LinuxIO

/// Sync of an archive, which may run on any thread while appends continue.
package struct SyncJob: Sendable {
    /// Files to sync, in their state when the job was created.
    let files: [ArchiveFile]
    let epoch: UInt64
    /// Number of the last write that the job covers, see ``ApplicationArchive/writeNumber``.
    package let covers: UInt64
    /// Location whose directory entries must also be made durable, or `nil` if they are already durable.
    let names: ArchivePlace?

    /// Makes all writes durable that preceded the job's creation.
    ///
    /// After an error, the files must no longer be used.
    package func run() -> Result<Void, IOError> {
        Result { () throws(IOError) in
            for file in files { try file.synchronizeData() }
            try names?.synchronize()
        }
    }
}

/// Counters of all writes to an archive and of durable writes.
struct Durability {
    /// Number of writes.
    private(set) var written: UInt64 = 0
    /// Number of durable writes.
    private(set) var durable: UInt64 = 0
    /// Number of the last write that the sync in progress covers, or `nil` if no sync is in progress.
    private(set) var covering: UInt64?
    /// Number of the file. A sync of an earlier file does not apply to the current file.
    private(set) var epoch: UInt64 = 0

    /// Whether all writes are durable.
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

    /// Starts a new epoch after the epoch of an earlier counter, whose sync may still be in progress.
    mutating func follow(_ earlier: Durability) { epoch = earlier.epoch + 1 }

    /// Records that all writes so far are durable.
    mutating func markDurable() { durable = written }

    /// Records that a sync begins.
    mutating func begin() { covering = written }

    /// Records that the sync in progress has finished.
    mutating func end(isDurable: Bool) {
        if isDurable, let covering { durable = max(durable, covering) }
        covering = nil
    }
}
