import ExactText
import Glibc
package import LinuxIO
import StateRecords

// Replication of saved state, and its restoration from a replica.

extension ApplicationArchive {
    /// Sequence number of the last record in the log.
    ///
    /// Of two states saved by the same owner, the newer state has the higher number.
    package var turn: UInt64 { log.lastSequence }

    /// Whether all saved state is replicated.
    package var isReplicated: Bool {
        guard let replica, !lacksReplica else { return false }
        return replica.progress.isComplete
    }

    /// Returns whether nothing was appended after a turn except a record that the application quit.
    package func holdsNoMore(than turn: UInt64) -> Bool {
        self.turn == turn || log.isClosed && self.turn == turn + 1
    }

    /// Starts sending all further writes to a replica.
    ///
    /// - Parameter replica: The replica, or `nil` to stop replication.
    package func replicate(to replica: (any StateReplica)?) {
        self.replica = replica
        lacksReplica = true
    }

    /// Sends appended records to the replica, or the whole state if the replica lacks earlier records.
    func replicateAppended(_ records: RecordList) {
        if lacksReplica { return replicateWhole() }
        if records.isEmpty { return }
        replica?.append(records, turn: turn)
    }

    /// Sends the whole state in memory to the replica.
    package func replicateWhole() {
        guard let replica, hasState else { return }
        lacksReplica = false
        var records = store.wholeRecords()
        if log.isClosed { records.append(.closed, end: PassEnd()) }
        replica.replace(with: records, turn: turn)
    }

    /// Replaces the file durably with an archive from a replica, and discards the state in memory.
    ///
    /// The next load reads the new file. The application must not be running. The replica mark is removed first, because
    /// it does not describe the new file. Without a mark, this host's state counts as state that the cluster lacks.
    ///
    /// - Parameter bytes: Archive that a ``ReplicaChain`` produced.
    package func adopt(_ bytes: [UInt8]) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            let folder = try openOrMakeFolder()
            do throws(IOError) { try log.cancelCompaction() } catch {}
            if try folder.remove(Layout.replica) { try folder.synchronize() }
            _ = try folder.replace(Layout.archive, with: bytes, temporary: Layout.temporary)
        }
        markRemoved()
    }

    /// Copies a document of the model data to quarantine before it is replaced.
    ///
    /// - Parameter reason: Reason for the quarantine, as a sentence.
    package func quarantineDocument(
        _ bytes: [UInt8], name: String, because reason: String
    ) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            _ = try NumberedFolder(.quarantine, in: openOrMakeFolder()).store(
                bytes, as: name, because: reason)
        }
    }

    /// Reads the replica mark from the file next to the archive, or returns `nil` if the file is missing or
    /// invalid.
    package func replicaMark() throws(IOError) -> ReplicaMark? {
        try place.folder()?.read(Layout.replica, limit: 2 * Lineage.maximumBytes).flatMap(
            ReplicaMark.init)
    }

    /// Writes the replica mark durably.
    package func writeReplicaMark(_ mark: ReplicaMark) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            _ = try openOrMakeFolder().replace(
                Layout.replica, with: mark.bytes, temporary: "\(Layout.replica).new")
        }
    }
}

/// Mark that shows whether a host's archive continues its replica, or the replica continues the archive.
package struct ReplicaMark: Sendable, Equatable {
    /// Writers of the archive.
    package var lineage: Lineage
    /// Last turn that was replicated when the mark was written, or `nil` if it is unknown.
    package var replicated: UInt64?

    /// Creates a mark.
    package init(lineage: Lineage, replicated: UInt64? = nil) {
        self.lineage = lineage
        self.replicated = replicated
    }

    /// Line with the turn or a hyphen, followed by the text of the lineage.
    var bytes: [UInt8] { Array("\(replicated.map(String.init) ?? "-")\n\(lineage.text)".utf8) }

    /// Parses a mark, or returns `nil` if the bytes are not a valid mark.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstIndex(of: "\n"),
            let lineage = Lineage(text[text.index(after: end)...])
        else { return nil }
        self.init(lineage: lineage, replicated: UInt64(text[..<end]))
    }
}
