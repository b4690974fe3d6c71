/// Reply to a command. It is sent after the command's turn.
struct TurnReply {
    /// Closure that checks whether the pass saved the command's change (P21).
    var check: PersistenceCheck = firstLossDescription
    /// Closure that sends the reply together with the durability level of the change.
    let send: PendingReplies.ReplySender

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
    typealias ReplySender = (DurabilityLevel) -> Void

    /// Reply that must be sent now.
    struct ReadyReply {
        fileprivate let reply: ReplySender
        fileprivate let level: DurabilityLevel

        /// Sends the reply.
        func send() { reply(level) }
    }

    /// Progress of saving. It determines when replies are sent.
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
        var acceptedRecordNumber: UInt64?
    }

    private var repliesAwaitingDurability: [(writeNumber: UInt64, reply: ReplySender)] = []
    private var repliesAwaitingReplication: [(recordNumber: UInt64, reply: ReplySender)] = []
    private var deferredReplies: [ReplySender] = []

    /// Whether any reply is waiting for durability.
    var hasRepliesAwaitingDurability: Bool { !repliesAwaitingDurability.isEmpty }

    /// Number of the newest record that must be replicated before a waiting reply is sent, or `nil` if no reply is
    /// waiting.
    var newestAwaitedRecordNumber: UInt64? { repliesAwaitingReplication.last?.recordNumber }

    // MARK: Waiting replies

    /// Adds a turn's replies. Each reply waits until its command's change has the required durability.
    ///
    /// - Returns: The replies that can be sent immediately.
    mutating func add(_ replies: [ReplySender], _ saveProgress: SaveProgress) -> [ReadyReply] {
        switch (saveProgress.requiredDurability, saveProgress.currentDurability) {
        case (.replicated, .written), (.replicated, .durable):
            if let recordNumber = saveProgress.acceptedRecordNumber {
                for reply in replies { add(reply, untilReplicated: recordNumber) }
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
    mutating func add(_ reply: @escaping ReplySender, untilDurable writeNumber: UInt64) {
        repliesAwaitingDurability.append((writeNumber, reply))
    }

    /// Adds a reply that waits until a record is replicated or the replication times out.
    mutating func add(_ reply: @escaping ReplySender, untilReplicated recordNumber: UInt64) {
        repliesAwaitingReplication.append((recordNumber, reply))
    }

    /// Adds replies that wait until another program's change has been handled.
    mutating func deferReplies(_ replies: [ReplySender]) { deferredReplies += replies }

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
    mutating func didReplicate(upTo recordNumber: UInt64) -> [ReadyReply] {
        popReplicated(upTo: recordNumber, .replicated)
    }

    /// Returns the replies that must be sent because records up to a number were not replicated in time.
    ///
    /// - Parameter reason: The reason, as a sentence.
    mutating func didNotReplicate(upTo recordNumber: UInt64 = .max, because reason: String)
        -> [ReadyReply]
    {
        popReplicated(upTo: recordNumber, .notSaved(reason: reason))
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

    private mutating func popReplicated(upTo recordNumber: UInt64, _ level: DurabilityLevel)
        -> [ReadyReply]
    {
        let replies = repliesAwaitingReplication.prefix { $0.recordNumber <= recordNumber }
        repliesAwaitingReplication.removeFirst(replies.count)
        return readyReplies(replies.map(\.reply), level)
    }

    private func readyReplies(_ replies: [ReplySender], _ level: DurabilityLevel) -> [ReadyReply] {
        replies.map { ReadyReply(reply: $0, level: level) }
    }
}
