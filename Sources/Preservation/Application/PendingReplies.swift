/// Reply to a command, which is sent after the command's turn.
struct TurnReply {
    /// Closure that checks whether the pass saved the command's change (P21).
    var check: PersistenceCheck = firstLossDescription
    /// Closure that sends the reply together with the durability level of the change.
    let send: PendingReplies.Reply

    /// Check that reports the change as unsaved if any state in the scene could not be saved.
    ///
    /// This check is used for commands whose changes are unknown.
    static var firstLossDescription: @Sendable (PassOutcome) -> String? {
        { $0.firstLossDescription }
    }
}

/// Replies to commands, held until the commands' changes have reached the required durability (P14).
///
/// This type is a state machine that performs no input or output. The application reports changes in the durability of
/// the saved state, and sends the replies that the state machine returns.
struct PendingReplies {
    /// Closure that sends a reply with the durability level of the command's change.
    typealias Reply = (DurabilityLevel) -> Void

    /// Reply that must be sent now.
    struct ReadyReply {
        fileprivate let reply: Reply
        fileprivate let level: DurabilityLevel

        /// Sends the reply.
        func send() { reply(level) }
    }

    /// Progress of saving, which determines when replies are sent.
    struct SaveProgress {
        /// Durability level that replies wait for.
        var requiredDurability: PreservationSettings.Durability
        /// Durability level of the written state.
        var currentDurability: DurabilityLevel
        /// Number of the last write.
        var writeNumber: UInt64
        /// Number of the last durable write.
        var durableWriteNumber: UInt64
        /// Number of the last record that the replica has accepted, or `nil` if there is no replica.
        var acceptedReplicaTurn: UInt64?
    }

    private var repliesAwaitingDurability: [(writeNumber: UInt64, reply: Reply)] = []
    private var repliesAwaitingReplication: [(turn: UInt64, reply: Reply)] = []
    private var deferredReplies: [Reply] = []

    /// Whether any reply is waiting for durability.
    var hasRepliesAwaitingDurability: Bool { !repliesAwaitingDurability.isEmpty }

    /// Number of the newest record that must be replicated before a waiting reply is sent, or `nil` if no reply is
    /// waiting.
    var newestReplicaTurn: UInt64? { repliesAwaitingReplication.last?.turn }

    // MARK: Replies that wait

    /// Adds a turn's replies, which wait until their changes have the required durability.
    ///
    /// - Returns: The replies that can be sent immediately.
    mutating func add(_ replies: [Reply], _ saveProgress: SaveProgress) -> [ReadyReply] {
        switch (saveProgress.requiredDurability, saveProgress.currentDurability) {
        case (.replicated, .written), (.replicated, .durable):
            if let turn = saveProgress.acceptedReplicaTurn {
                for reply in replies { add(reply, untilReplicated: turn) }
                return []
            }
            if saveProgress.currentDurability == .written { fallthrough }
        case (.commit, .written):
            for reply in replies { add(reply, untilDurable: saveProgress.writeNumber) }
            return []
        case (.written, _), (.commit, _), (.replicated, _): break
        }
        return readyReplies(replies, saveProgress.currentDurability)
    }

    /// Adds a reply that waits until a write is durable or can no longer become durable.
    mutating func add(_ reply: @escaping Reply, untilDurable writeNumber: UInt64) {
        repliesAwaitingDurability.append((writeNumber, reply))
    }

    /// Adds a reply that waits until a record is replicated or the replication times out.
    mutating func add(_ reply: @escaping Reply, untilReplicated turn: UInt64) {
        repliesAwaitingReplication.append((turn, reply))
    }

    /// Adds replies that wait until another program's change has been handled.
    mutating func deferReplies(_ replies: [Reply]) { deferredReplies += replies }

    // MARK: Events

    /// Returns the replies that can be sent now that another program's change has been handled.
    mutating func didHandleExternalChange(_ saveProgress: SaveProgress) -> [ReadyReply] {
        defer { deferredReplies = [] }
        return add(deferredReplies, saveProgress)
    }

    /// Returns the replies that can be sent now that a sync has ended.
    ///
    /// - Parameter isComplete: Whether another sync would make no further writes durable.
    mutating func didSync(_ saveProgress: SaveProgress, isComplete: Bool) -> [ReadyReply] {
        if case .notSaved = saveProgress.currentDurability {
            return popAllAwaitingDurability(saveProgress.currentDurability)
        }
        // Write numbers only increase within a launch, and all replies are sent before the next launch.
        let durable = repliesAwaitingDurability.prefix {
            $0.writeNumber <= saveProgress.durableWriteNumber
        }
        repliesAwaitingDurability.removeFirst(durable.count)
        let replies = readyReplies(durable.map(\.reply), .durable)
        return isComplete
            ? replies + popAllAwaitingDurability(saveProgress.currentDurability) : replies
    }

    /// Returns the replies that can be sent now that all records up to a number have been replicated.
    mutating func didReplicate(upTo turn: UInt64) -> [ReadyReply] {
        popReplicated(upTo: turn, .replicated)
    }

    /// Returns the replies that must be sent because records up to a number were not replicated in time.
    ///
    /// - Parameter reason: The reason, as a sentence.
    mutating func didNotReplicate(upTo turn: UInt64 = .max, because reason: String) -> [ReadyReply]
    {
        popReplicated(upTo: turn, .notSaved(reason: reason))
    }

    /// Returns the replies that must be sent because changes were lost before they were durable.
    ///
    /// - Parameter reason: The reason, as a sentence.
    mutating func didLoseChanges(because reason: String) -> [ReadyReply] {
        defer { deferredReplies = [] }
        let level = DurabilityLevel.notSaved(reason: reason)
        return readyReplies(deferredReplies, level) + popAllAwaitingDurability(level)
    }

    /// Returns the replies that must be sent because the application has stopped and no further writes will become
    /// durable.
    mutating func didStop(_ saveProgress: SaveProgress) -> [ReadyReply] {
        didHandleExternalChange(saveProgress)
            + popAllAwaitingDurability(saveProgress.currentDurability)
    }

    private mutating func popAllAwaitingDurability(_ level: DurabilityLevel) -> [ReadyReply] {
        defer { repliesAwaitingDurability = [] }
        return readyReplies(repliesAwaitingDurability.map(\.reply), level)
    }

    private mutating func popReplicated(upTo turn: UInt64, _ level: DurabilityLevel) -> [ReadyReply]
    {
        let replies = repliesAwaitingReplication.prefix { $0.turn <= turn }
        repliesAwaitingReplication.removeFirst(replies.count)
        return readyReplies(replies.map(\.reply), level)
    }

    private func readyReplies(_ replies: [Reply], _ level: DurabilityLevel) -> [ReadyReply] {
        replies.map { ReadyReply(reply: $0, level: level) }
    }
}
