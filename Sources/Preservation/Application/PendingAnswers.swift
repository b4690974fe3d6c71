/// Reply to a command, which is sent after the command's turn.
struct CommandAnswer {
    /// Checks whether the change of the command was saved (P21).
    var check = judgesByLosses
    /// Sends the durability level to the client.
    let answer: PendingAnswers.Answer

    /// Reports a change as unsaved if anything in its scene could not be saved, because it is unknown what
    /// the command changed.
    static var judgesByLosses: PersistenceCheck { { $0.anyLoss } }
}

/// Replies that are deferred until their changes are durable or replicated, or until a change by another
/// program is handled.
struct PendingAnswers {
    /// Sends a reply with the durability level of its change.
    typealias Answer = (Saved) -> Void

    private var untilDurable: [(write: UInt64, answer: Answer)] = []
    private var untilReplicated: [(taken: UInt64, answer: Answer)] = []
    private var untilDecided: [Answer] = []

    /// Whether any reply waits for durability.
    var isDurabilityAwaited: Bool { !untilDurable.isEmpty }

    /// Defers a reply until a write is durable.
    ///
    /// - Parameter write: Number of the write.
    mutating func append(_ answer: @escaping Answer, untilDurable write: UInt64) {
        untilDurable.append((write, answer))
    }

    /// Defers replies until a change by another program is handled.
    mutating func withhold(_ answers: [Answer]) { untilDecided += answers }

    /// Removes and returns the replies that wait for this write or an earlier one.
    mutating func take(durableUpTo write: UInt64) -> [Answer] {
        // Write numbers only increase within a launch, and all replies are sent before a launch.
        let ready = untilDurable.prefix { $0.write <= write }
        untilDurable.removeFirst(ready.count)
        return ready.map(\.answer)
    }

    /// Defers a reply until a replica contains a write.
    mutating func append(_ answer: @escaping Answer, untilReplicated taken: UInt64) {
        untilReplicated.append((taken, answer))
    }

    /// Newest write whose replication a reply waits for, or `nil` if no reply waits.
    var newestReplicaWait: UInt64? { untilReplicated.last?.taken }

    /// Removes and returns the replies that wait until the replica contains this write or an earlier one.
    mutating func take(replicatedUpTo taken: UInt64) -> [Answer] {
        let ready = untilReplicated.prefix { $0.taken <= taken }
        untilReplicated.removeFirst(ready.count)
        return ready.map(\.answer)
    }

    /// Removes and returns all replies that wait for durability.
    mutating func takeUntilDurable() -> [Answer] {
        defer { untilDurable = [] }
        return untilDurable.map(\.answer)
    }

    /// Removes and returns all replies that wait for a decision about a change by another program.
    mutating func takeWithheld() -> [Answer] {
        defer { untilDecided = [] }
        return untilDecided
    }
}
