package import ExactText
package import StateRecords

/// Replica of an application's records, stored outside the host in the order in which the records were saved.
///
/// The application calls these functions while it saves state, so they only copy data in memory. ``ReplicaProgress``
/// shows which data has been stored.
package protocol StateReplica: AnyObject, Sendable {
    /// Sets the lineage of all later records.
    func setLineage(_ lineage: Lineage)

    /// Appends records to the replica.
    ///
    /// - Parameter turn: Sequence number of the last record in the archive. It increases with each turn.
    func append(_ records: RecordList, turn: UInt64)

    /// Replaces all records in the replica with the given records.
    func replace(with records: RecordList, turn: UInt64)

    /// Replaces a model data document. This function may be called on any thread.
    func replaceDocument(_ name: String, with bytes: [UInt8])

    /// Current progress of the replication.
    var progress: ReplicaProgress { get }
}

/// State that an application's owner has replicated.
package struct ReplicatedContents: Sendable {
    /// The verified archive.
    package var archive: [UInt8]
    /// Model data documents, keyed by name.
    package var documents: [ExactString: [UInt8]]
    /// Names of the documents that are encrypted differently from newly replicated data.
    ///
    /// Such a document and the new data use different keys, or only one of them is encrypted.
    package var outdatedDocumentNames: Set<ExactString> = []
    /// Lineage of the archive, or `nil` if an earlier version of Reprise wrote the archive.
    package var lineage: Lineage?
    /// Host that wrote the latest data.
    package var host: String
    /// Ownership epoch in which the host wrote the data.
    package var epoch: UInt64
    /// Sequence number of the last record in the archive.
    package var turn: UInt64

    /// Creates replicated contents without a lineage.
    package init(
        archive: [UInt8], documents: [ExactString: [UInt8]], host: String, epoch: UInt64,
        turn: UInt64
    ) {
        self.archive = archive
        self.documents = documents
        self.host = host
        self.epoch = epoch
        self.turn = turn
    }
}

/// Progress of a replica.
package struct ReplicaProgress: Sendable, Equatable {
    /// Number of accepted changes.
    package var acceptedCount: UInt64 = 0
    /// Number of accepted changes that are stored outside the host, up to the first change that is not stored yet.
    package var replicatedCount: UInt64 = 0
    /// Sentence that explains why the last attempt to store data failed, or `nil` if it succeeded.
    package var failure: String?

    /// Creates the progress of an empty replica.
    package init() {}

    /// Number of accepted changes that have not been stored outside the host yet.
    package var unreplicatedCount: Int { Int(acceptedCount - replicatedCount) }
    /// Whether all accepted changes are stored outside the host.
    package var isComplete: Bool { replicatedCount == acceptedCount }
}
