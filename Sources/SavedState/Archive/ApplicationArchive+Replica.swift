import ExactText
import Glibc
package import LinuxIO
import StateRecords

// Replication of saved state, and restoration from a replica.

extension ApplicationArchive {
    /// Sequence number of the last saved record.
    ///
    /// Of two states saved by the same owner, the newer state has the higher number.
    package var lastSequenceNumber: UInt64 { log.lastSequenceNumber }

    /// Whether all saved state is replicated.
    package var isReplicated: Bool {
        guard let replica, !needsFullReplication else { return false }
        return replica.progress.isComplete
    }

    /// Returns whether nothing has been appended since a turn, except possibly a `closed` record.
    package func isUnchanged(since turn: UInt64) -> Bool {
        lastSequenceNumber == turn || log.isClosed && lastSequenceNumber == turn + 1
    }

    /// Sets the replica that receives all further writes.
    ///
    /// - Parameter replica: The replica, or `nil` to stop replication.
    package func setReplica(to replica: (any StateReplica)?) {
        self.replica = replica
        needsFullReplication = true
    }

    /// Sends appended records to the replica, or the complete state if the replica lacks earlier records.
    func replicateAppendedRecords(_ records: RecordList) {
        if needsFullReplication { return replicateFullState() }
        if records.isEmpty { return }
        replica?.append(records, turn: lastSequenceNumber)
    }

    /// Sends the complete state in memory to the replica.
    package func replicateFullState() {
        guard let replica, hasState else { return }
        needsFullReplication = false
        var records = store.allRecords()
        if log.isClosed { records.append(.closed, end: PassEnd()) }
        replica.replace(with: records, turn: lastSequenceNumber)
    }

    /// Replaces the file durably with an archive from a replica, and discards the state in memory.
    ///
    /// The application must not be running. The next load reads the new file. The replica checkpoint is removed first,
    /// because it does not describe the new file. Without a checkpoint, the host assumes that the cluster does not have
    /// its state.
    ///
    /// - Parameter bytes: Archive that a ``ReplicaEncoder`` produced.
    package func adoptReplica(_ bytes: [UInt8]) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            let directory = try openOrCreateDirectory()
            do throws(IOError) { try log.cancelCompaction() } catch {}
            if try directory.remove(StateDirectoryLayout.replicaCheckpointName) {
                try directory.synchronize()
            }
            _ = try directory.replace(
                StateDirectoryLayout.archiveFileName, with: bytes,
                temporaryName: StateDirectoryLayout.temporaryArchiveName
            )
        }
        markRemoved()
    }

    /// Copies a model data document to quarantine before the document is replaced.
    ///
    /// - Parameter reason: Reason for the quarantine, as a sentence.
    package func quarantineDocument(
        _ bytes: [UInt8], name: String, because reason: String
    ) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            _ = try NumberedFileDirectory(.quarantine, in: openOrCreateDirectory()).store(
                bytes, as: name, because: reason)
        }
    }

    /// Reads the replica checkpoint from the file next to the archive, or returns `nil` if the file is missing or
    /// invalid.
    package func replicaCheckpoint() throws(IOError) -> ReplicaCheckpoint? {
        try location.openDirectory()?.read(
            StateDirectoryLayout.replicaCheckpointName, limit: 2 * Lineage.maximumBytes
        ).flatMap(
            ReplicaCheckpoint.init)
    }

    /// Writes the replica checkpoint durably.
    package func writeReplicaCheckpoint(_ checkpoint: ReplicaCheckpoint) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            _ = try openOrCreateDirectory().replace(
                StateDirectoryLayout.replicaCheckpointName, with: checkpoint.bytes,
                temporaryName: "\(StateDirectoryLayout.replicaCheckpointName).new")
        }
    }
}

/// Checkpoint of a host's replication.
///
/// The checkpoint shows whether the host's archive continues the replica, or vice versa.
package struct ReplicaCheckpoint: Sendable, Equatable {
    /// Lineage of the archive.
    package var lineage: Lineage
    /// Sequence number up to which the archive had been replicated when the checkpoint was written, or `nil` if this
    /// number is unknown.
    package var replicatedTurn: UInt64?

    /// Creates a checkpoint.
    package init(lineage: Lineage, replicatedTurn: UInt64? = nil) {
        self.lineage = lineage
        self.replicatedTurn = replicatedTurn
    }

    /// Encoded checkpoint: a line that contains the turn or a hyphen, followed by the lineage in text form.
    var bytes: [UInt8] { Array("\(replicatedTurn.map(String.init) ?? "-")\n\(lineage.text)".utf8) }

    /// Parses a checkpoint, or returns `nil` if the bytes are not a valid checkpoint.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstIndex(of: "\n"),
            let lineage = Lineage(text[text.index(after: end)...])
        else { return nil }
        self.init(lineage: lineage, replicatedTurn: UInt64(text[..<end]))
    }
}
