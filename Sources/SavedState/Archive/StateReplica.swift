package import ExactText
package import StateRecords

/// Takes what an application's log holds, in the log's order, to where it outlives the host.
///
/// It is called where the application saves, and takes everything in memory: what becomes of it is for
/// ``ReplicaProgress`` to tell.
package protocol StateReplica: AnyObject, Sendable {
    /// Records were appended to the log.
    ///
    /// - Parameter turn: the number of the log's last record, which grows with each turn.
    func append(_ records: RecordList, turn: UInt64)

    /// The log is another one, of which these records are all that count.
    func replace(with records: RecordList, turn: UInt64)

    /// A document of the model data is this from now on; from any thread.
    func replaceDocument(_ name: String, with bytes: [UInt8])

    /// How far it has come.
    var progress: ReplicaProgress { get }
}

/// What an owner left where the other hosts find it.
package struct ReplicatedContents: Sendable {
    /// An archive that was checked.
    package var archive: [UInt8]
    /// The documents of the model data, by name.
    package var documents: [ExactString: [UInt8]]
    /// The documents that are encrypted with another key than what is replicated now, or one is and not the other.
    package var outdatedDocuments: Set<ExactString> = []
    /// The host that wrote the last of it, its term, and the number of its last record.
    package var host: String
    package var term: UInt64
    package var turn: UInt64

    /// Contents.
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

/// How far a replica has come with what it took.
package struct ReplicaProgress: Sendable, Equatable {
    /// How many times it took something.
    package var taken: UInt64 = 0
    /// Up to which of them everything is where it outlives the host.
    package var replicated: UInt64 = 0
    /// Why the last attempt to bring something there failed; a sentence. Nil: it did not.
    package var failure: String?

    /// Nothing was taken.
    package init() {}

    /// How much was taken that does not outlive the host yet.
    package var lag: Int { Int(taken - replicated) }
    /// Whether everything that was taken outlives the host.
    package var isComplete: Bool { replicated == taken }
}
