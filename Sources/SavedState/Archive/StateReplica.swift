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

    /// Whether everything that was taken outlives the host.
    package var isComplete: Bool { replicated == taken }
}
