/// Reply to a command, which is sent after the command's turn.
struct TurnReply {
    /// Checks whether the change of the command was saved (P21).
    var check: PersistenceCheck = anyLoss
    /// Sends the reply with the durability level of the change.
    let send: PendingReplies.Reply

    /// Reports a change as unsaved if anything in its scene could not be saved, because it is unknown what
    /// the command changed.
    static var anyLoss: @Sendable (PassOutcome) -> String? { { $0.anyLoss } }
}

/// Replies to commands, from the end of their turn until their changes have the required durability (P14).
///
/// This is a state machine without input or output: the application reports what happened to the saved state, and
/// sends the replies that the machine returns.
struct PendingReplies {
    /// Sends a reply with the durability level of its change.
    typealias Reply = (Saved) -> Void

    /// A reply that must be sent now.
    struct Ready {
        fileprivate let reply: Reply
        fileprivate let saved: Saved

        /// Sends the reply.
        func send() { reply(saved) }
    }

    /// Facts about the saved state that determine when a reply is sent.
    struct Facts {
        /// Durability that replies wait for.
        var required: PreservationSettings.Durability
        /// Durability level of the written state.
        var saved: Saved
        /// Number of the last write.
        var write: UInt64
        /// Number of the last durable write.
        var durableWrite: UInt64
        /// Number of the last record that the replica has accepted, or `nil` if there is no replica.
        var replicaTurn: UInt64?
    }

    private var untilDurable: [(write: UInt64, reply: Reply)] = []
    private var untilReplicated: [(turn: UInt64, reply: Reply)] = []
    private var untilDecision: [Reply] = []

    /// Whether any reply waits for durability.
    var waitsForDurability: Bool { !untilDurable.isEmpty }

    /// Number of the newest record whose replication a reply waits for, or `nil` if no reply waits.
    var newestReplicaTurn: UInt64? { untilReplicated.last?.turn }

    // MARK: Replies that wait

    /// Adds the replies to the commands of a turn.
    ///
    /// - Returns: The replies, if they do not have to wait.
    mutating func add(_ replies: [Reply], _ facts: Facts) -> [Ready] {
        switch (facts.required, facts.saved) {
        case (.replicated, .written), (.replicated, .durable):
            if let turn = facts.replicaTurn {
                for reply in replies { add(reply, untilReplicated: turn) }
                return []
            }
            if facts.saved == .written { fallthrough }
        case (.commit, .written):
            for reply in replies { add(reply, untilDurable: facts.write) }
            return []
        case (.written, _), (.commit, _), (.replicated, _): break
        }
        return ready(replies, facts.saved)
    }

    /// Adds a reply that waits until a write is durable or cannot be made durable.
    mutating func add(_ reply: @escaping Reply, untilDurable write: UInt64) {
        untilDurable.append((write, reply))
    }

    /// Adds a reply that waits until a record is replicated or cannot be replicated in time.
    mutating func add(_ reply: @escaping Reply, untilReplicated turn: UInt64) {
        untilReplicated.append((turn, reply))
    }

    /// Adds replies that wait until a change by another program is handled.
    mutating func deferReplies(_ replies: [Reply]) { untilDecision += replies }

    // MARK: Events

    /// Handles the decision about a change by another program.
    mutating func changeWasHandled(_ facts: Facts) -> [Ready] {
        defer { untilDecision = [] }
        return add(untilDecision, facts)
    }

    /// Handles the end of a sync.
    ///
    /// - Parameter isComplete: Whether another sync would not make more writes durable.
    mutating func didSync(_ facts: Facts, isComplete: Bool) -> [Ready] {
        if case .notSaved = facts.saved { return giveUpDurability(facts.saved) }
        // Write numbers only increase within a launch, and all replies are sent before a launch.
        let durable = untilDurable.prefix { $0.write <= facts.durableWrite }
        untilDurable.removeFirst(durable.count)
        let replies = ready(durable.map(\.reply), .durable)
        return isComplete ? replies + giveUpDurability(facts.saved) : replies
    }

    /// Handles the replication of all records up to a number.
    mutating func didReplicate(upTo turn: UInt64) -> [Ready] {
        popReplicated(upTo: turn, .replicated)
    }

    /// Handles a replica that did not accept the records up to a number in time.
    ///
    /// - Parameter reason: Reason, as a sentence.
    mutating func didNotReplicate(upTo turn: UInt64 = .max, because reason: String) -> [Ready] {
        popReplicated(upTo: turn, .notSaved(reason: reason))
    }

    /// Handles the removal of changes that were not durable.
    ///
    /// - Parameter reason: Reason, as a sentence.
    mutating func didLoseChanges(because reason: String) -> [Ready] {
        defer { untilDecision = [] }
        let saved = Saved.notSaved(reason: reason)
        return ready(untilDecision, saved) + giveUpDurability(saved)
    }

    /// Handles the stop of the application, after which nothing becomes durable.
    mutating func didStop(_ facts: Facts) -> [Ready] {
        changeWasHandled(facts) + giveUpDurability(facts.saved)
    }

    private mutating func giveUpDurability(_ saved: Saved) -> [Ready] {
        defer { untilDurable = [] }
        return ready(untilDurable.map(\.reply), saved)
    }

    private mutating func popReplicated(upTo turn: UInt64, _ saved: Saved) -> [Ready] {
        let replies = untilReplicated.prefix { $0.turn <= turn }
        untilReplicated.removeFirst(replies.count)
        return ready(replies.map(\.reply), saved)
    }

    private func ready(_ replies: [Reply], _ saved: Saved) -> [Ready] {
        replies.map { Ready(reply: $0, saved: saved) }
    }
}
