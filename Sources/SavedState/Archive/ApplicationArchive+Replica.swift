import ExactText
import Glibc
package import LinuxIO
import StateRecords

// What is saved, brought elsewhere and back.

extension ApplicationArchive {
    /// The number of the log's last record: of two states that one owner saved, the newer has the higher
    /// one.
    package var turn: UInt64 { log.sequence }

    /// Whether everything that was saved is replicated.
    package var isReplicated: Bool {
        guard let replica, !lacksReplica else { return false }
        return replica.progress.isComplete
    }

    /// Whether nothing was appended since a turn but that the application ended.
    package func holdsNoMore(than turn: UInt64) -> Bool {
        self.turn == turn || log.isClosed && self.turn == turn + 1
    }

    /// From now on everything that is written goes to a replica, too; nil: to none any more.
    package func replicate(to replica: (any StateReplica)?) {
        self.replica = replica
        lacksReplica = true
    }

    /// Hands on what was appended to the log, or, if the replica does not know what stands before it, all.
    func noteAppended(_ records: RecordList) {
        if lacksReplica { return replicateWhole() }
        if records.isEmpty { return }
        replica?.append(records, turn: turn)
    }

    /// Hands everything on that is in memory.
    package func replicateWhole() {
        guard let replica, hasState else { return }
        lacksReplica = false
        var records = store.wholeRecords()
        if log.isClosed { records.append(.closed, end: PassEnd()) }
        replica.replace(with: records, turn: turn)
    }

    /// Puts an archive that a replica kept in the place of the file, durably, and forgets what is in
    /// memory: the next load reads it. Nothing may be running on what was saved before.
    ///
    /// - Parameter bytes: those of a ``ReplicaChain``.
    package func adopt(_ bytes: [UInt8]) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            let folder = try openOrMakeFolder()
            do throws(IOError) { try log.cancelCompaction() } catch {}
            _ = try folder.replace(Layout.archive, with: bytes, temporary: Layout.temporary)
        }
        noteGone()
    }

    /// Keeps a document of the model data in quarantine, which another one takes the place of.
    ///
    /// - Parameter reason: a sentence.
    package func quarantineDocument(
        _ bytes: [UInt8], name: String, because reason: String
    ) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            _ = try NumberedFolder(.quarantine, in: openOrMakeFolder()).keep(
                bytes, as: name, because: reason)
        }
    }

    /// What is known of the replica that the archive was brought to, from the file beside it; nil: nothing,
    /// or nothing that can be read.
    package func replicaMark() throws(IOError) -> ReplicaMark? {
        try place.folder()?.read(Layout.replica, limit: 4096).flatMap(ReplicaMark.init)
    }

    /// Notes durably what is known of the replica.
    package func note(_ mark: ReplicaMark) throws(SaveError) {
        try SaveError.wrapping { () throws(IOError) in
            _ = try openOrMakeFolder().replace(
                Layout.replica, with: mark.bytes, temporary: "\(Layout.replica).new")
        }
    }
}

/// What a host knows of the replica of its archive: it tells which of the two is newer.
package struct ReplicaMark: Sendable, Equatable {
    /// The name of the cluster.
    package var cluster: String
    /// The term in which the archive was written last by this host.
    package var term: UInt64
    /// The turn up to which all was replicated when this was noted; nil: that is not known.
    package var replicated: UInt64?

    /// A mark.
    package init(cluster: String, term: UInt64, replicated: UInt64? = nil) {
        self.cluster = cluster
        self.term = term
        self.replicated = replicated
    }

    /// One line: the cluster, the term and the turn.
    var bytes: [UInt8] {
        Array("\(cluster) \(term)\(replicated.map { " \($0)" } ?? "")\n".utf8)
    }

    /// Nil if they are of no mark.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard (2...3).contains(words.count), let term = UInt64(words[1]) else { return nil }
        self.init(
            cluster: String(words[0]), term: term,
            replicated: words.count == 3 ? UInt64(words[2]) : nil)
    }
}
