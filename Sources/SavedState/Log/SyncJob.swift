package import LinuxIO

/// Job that makes an archive durable. It may run on any thread while appends continue.
package struct SyncJob: Sendable {
    /// Files to sync, as they were when the job was created.
    let files: [ArchiveFile]
    /// Epoch of the durability counters when the job was created.
    let epoch: UInt64
    /// Number of the last write that the job covers (see ``ApplicationArchive/writeNumber``).
    package let coveredWriteNumber: UInt64
    /// Location whose directory entries must also be made durable, or `nil` if they are already durable.
    let unsyncedLocation: ArchiveLocation?

    /// Makes all writes that preceded the job's creation durable.
    ///
    /// After an error, the files must no longer be used.
    package func run() -> Result<Void, IOError> {
        Result { () throws(IOError) in
            for file in files { try file.synchronizeData() }
            try unsyncedLocation?.synchronize()
        }
    }
}

/// Counters for all writes to an archive and for the durable writes.
struct DurabilityCounters {
    /// Number of writes.
    private(set) var writeCount: UInt64 = 0
    /// Number of the last write that is durable together with all earlier writes.
    private(set) var lastDurableWriteNumber: UInt64 = 0
    /// Number of the last write that the sync in progress covers, or `nil` if no sync is in progress.
    private(set) var syncingWriteNumber: UInt64?
    /// Number that distinguishes the current file from earlier files. The result of a sync with a different epoch is
    /// ignored.
    private(set) var epoch: UInt64 = 0

    /// Whether all writes are durable.
    var isComplete: Bool { lastDurableWriteNumber == writeCount }

    /// Counts a write that is not durable yet.
    mutating func recordWrite() { writeCount += 1 }

    /// Records that a complete new file has been written durably.
    mutating func recordNewFile() {
        writeCount += 1
        lastDurableWriteNumber = writeCount
        syncingWriteNumber = nil
        epoch += 1
    }

    /// Continues the numbers of earlier counters, because other state replaces the state that they count.
    ///
    /// The replacement counts as a durable write, so that no write number ever stands for two states. The new epoch
    /// ensures that the result of an earlier sync is ignored.
    mutating func supersede(_ earlierCounters: DurabilityCounters) {
        let replacementNumber = earlierCounters.writeCount + 1
        writeCount += replacementNumber
        lastDurableWriteNumber += replacementNumber
        epoch = earlierCounters.epoch + 1
    }

    /// Records that all writes so far have become durable.
    mutating func markDurable() { lastDurableWriteNumber = writeCount }

    /// Records that a sync of all writes so far has begun.
    mutating func beginSync() { syncingWriteNumber = writeCount }

    /// Records that the sync in progress has finished.
    mutating func endSync(isDurable: Bool) {
        if isDurable, let syncingWriteNumber {
            lastDurableWriteNumber = max(lastDurableWriteNumber, syncingWriteNumber)
        }
        syncingWriteNumber = nil
    }
}
