package import ExactText
package import StateRecords

/// Replica that stores the records of an application's log, in order, outside the host.
///
/// The application calls these functions while it saves. They only copy data to memory. ``ReplicaProgress`` shows what
/// has been stored.
package protocol StateReplica: AnyObject, Sendable {
    /// Sets the lineage of all records that are passed to the replica from now on.
    func begin(_ lineage: Lineage)

    /// Appends records to the replica.
    ///
    /// - Parameter turn: Sequence number of the log's last record, which grows with each turn.
    func append(_ records: RecordList, turn: UInt64)

    /// Replaces the whole log with the given records.
    func replace(with records: RecordList, turn: UInt64)

    /// Replaces a document of the model data. This function may be called on any thread.
    func replaceDocument(_ name: String, with bytes: [UInt8])

    /// Progress of the replication.
    var progress: ReplicaProgress { get }
}

/// State that an owner has replicated for other hosts.
package struct ReplicatedContents: Sendable {
    /// Verified archive.
    package var archive: [UInt8]
    /// Documents of the model data, keyed by name.
    package var documents: [ExactString: [UInt8]]
    /// Documents that are encrypted differently from newly replicated data.
    ///
    /// Either the keys differ, or only one of the two is encrypted.
    package var outdatedDocuments: Set<ExactString> = []
    /// Writers of the archive, or `nil` if an earlier version of Reprise wrote it.
    package var lineage: Lineage?
    /// Host that wrote the latest data.
    package var host: String
    /// Epoch of the host's ownership.
    package var term: UInt64
    /// Sequence number of the last record in the archive.
    package var turn: UInt64

    /// Creates replicated contents.
    package init(
        archive: [UInt8], documents: [ExactString: [UInt8]], host: String, term: UInt64,
        turn: UInt64
    ) {
        self.archive = archive
        self.documents = documents
        self.host = host
        self.term = term
        self.turn = turn
    }
}

/// Progress of a replica.
package struct ReplicaProgress: Sendable, Equatable {
    /// Number of accepted changes.
    package var taken: UInt64 = 0
    /// Number of the last accepted change up to which all changes are stored outside the host.
    package var replicated: UInt64 = 0
    /// Sentence that says why the last attempt to store data failed, or `nil` if it succeeded.
    package var failure: String?

    /// Creates the progress of an empty replica.
    package init() {}

    /// Number of accepted changes that are not stored outside the host yet.
    package var lag: Int { Int(taken - replicated) }
    /// Whether all accepted changes are stored outside the host.
    package var isComplete: Bool { replicated == taken }
}
