/// What a command answers after its turn.
struct CommandAnswer {
    /// Judges over what the command changed (P21).
    var verdict = judgesByLosses
    /// Tells the command how safe that is.
    let answer: PendingAnswers.Answer

    /// Holds against a command whatever its scene could not save: nobody knows what it changed.
    static var judgesByLosses: ChangeVerdict { { $0.anyLoss } }
}

/// Answers of commands that are given later: when what they changed is durable, or when it is
/// decided what becomes of a change by another program.
struct PendingAnswers {
    /// Tells a command how safe what it changed is.
    typealias Answer = (Saved) -> Void

    private var untilDurable: [(write: UInt64, answer: Answer)] = []
    private var untilReplicated: [(taken: UInt64, answer: Answer)] = []
    private var untilDecided: [Answer] = []

    /// Whether somebody waits for something to be durable.
    var isDurabilityAwaited: Bool { !untilDurable.isEmpty }

    /// An answer waits until a write is durable.
    ///
    /// - Parameter write: the number of the write.
    mutating func append(_ answer: @escaping Answer, untilDurable write: UInt64) {
        untilDurable.append((write, answer))
    }

    /// Answers wait until a change by another program is decided.
    mutating func withhold(_ answers: [Answer]) { untilDecided += answers }

    /// Takes out the answers that wait for writes up to this one.
    mutating func take(durableUpTo write: UInt64) -> [Answer] {
        // Numbers only grow, but for a launch, before which everybody was answered.
        let ready = untilDurable.prefix { $0.write <= write }
        untilDurable.removeFirst(ready.count)
        return ready.map(\.answer)
    }

    /// An answer waits until a replica has so much.
    mutating func append(_ answer: @escaping Answer, untilReplicated taken: UInt64) {
        untilReplicated.append((taken, answer))
    }

    /// How much of the replica is waited for; nil: nobody waits for it.
    var newestReplicaWait: UInt64? { untilReplicated.last?.taken }

    /// Takes out the answers that wait for a replica to have so much, or less.
    mutating func take(replicatedUpTo taken: UInt64) -> [Answer] {
        let ready = untilReplicated.prefix { $0.taken <= taken }
        untilReplicated.removeFirst(ready.count)
        return ready.map(\.answer)
    }

    /// Takes out everybody who waits for something to be durable.
    mutating func takeUntilDurable() -> [Answer] {
        defer { untilDurable = [] }
        return untilDurable.map(\.answer)
    }

    /// Takes out everybody who waits for a decision.
    mutating func takeWithheld() -> [Answer] {
        defer { untilDecided = [] }
        return untilDecided
    }
}
