import Testing

@testable import Preservation

@Suite struct PendingRepliesTests {
    /// Recorder of sent replies, in order.
    private final class Sent {
        var replies: [String] = []

        func reply(_ name: String) -> PendingReplies.ReplySender {
            { [self] saved in
                let level =
                    switch saved {
                    case .notSaved(let reason): reason
                    case .written: "written"
                    case .durable: "durable"
                    case .replicated: "replicated"
                    }
                replies.append("\(name) \(level)")
            }
        }
    }

    private static func saveProgress(
        _ requiredDurability: PreservationSettings.Durability, _ saved: DurabilityLevel,
        writeNumber: UInt64 = 1,
        durable: UInt64 = 0, replica: UInt64? = nil
    ) -> PendingReplies.SaveProgress {
        PendingReplies.SaveProgress(
            requiredDurability: requiredDurability, currentDurability: saved,
            writeNumber: writeNumber,
            durableWriteNumber: durable,
            acceptedRecordNumber: replica)
    }

    private func send(_ ready: [PendingReplies.ReadyReply]) { for reply in ready { reply.send() } }

    /// Condition that the reply to a turn waits for.
    enum Wait: Sendable { case nothing, durability, replication }

    @Test(
        arguments: [
            (.written, .written, nil, .nothing), (.written, .durable, 4, .nothing),
            (.written, .notSaved(reason: "r"), nil, .nothing),
            (.commit, .written, nil, .durability), (.commit, .durable, nil, .nothing),
            (.commit, .written, 4, .durability), (.commit, .replicated, 4, .nothing),
            (.commit, .notSaved(reason: "r"), nil, .nothing),
            (.replicated, .written, 4, .replication), (.replicated, .durable, 4, .replication),
            (.replicated, .replicated, 4, .nothing),
            (.replicated, .notSaved(reason: "r"), 4, .nothing),
            // There is no replica, for example while the application is quitting.
            (.replicated, .written, nil, .durability), (.replicated, .durable, nil, .nothing),
        ] as [(PreservationSettings.Durability, DurabilityLevel, UInt64?, Wait)])
    func `P14: a reply waits for the required durability, and for nothing else`(
        required: PreservationSettings.Durability, saved: DurabilityLevel, replica: UInt64?,
        expected: Wait
    ) {
        let sent = Sent()
        var pending = PendingReplies()
        send(pending.add([sent.reply("a")], Self.saveProgress(required, saved, replica: replica)))
        #expect(pending.hasRepliesAwaitingDurability == (expected == .durability))
        #expect(pending.newestAwaitedRecordNumber == (expected == .replication ? replica : nil))
        #expect(sent.replies.isEmpty == (expected != .nothing))
    }

    @Test func `a reply waits for its own write and is sent once`() {
        let sent = Sent()
        var pending = PendingReplies()
        for writeNumber: UInt64 in [2, 3, 3, 5] {
            let saveProgress = Self.saveProgress(.commit, .written, writeNumber: writeNumber)
            send(pending.add([sent.reply("\(writeNumber)")], saveProgress))
        }
        let steps: [(durable: UInt64, sent: [String])] = [
            (1, []), (2, ["2 durable"]), (3, ["2 durable", "3 durable", "3 durable"]),
            (4, ["2 durable", "3 durable", "3 durable"]),
        ]
        for step in steps {
            let saveProgress = Self.saveProgress(
                .commit, .written, writeNumber: 5, durable: step.durable)
            send(pending.didSync(saveProgress, isComplete: false))
            #expect(sent.replies == step.sent, "\(step.durable)")
        }
        #expect(pending.hasRepliesAwaitingDurability)
        // There was nothing to sync, so another sync cannot make the last reply durable.
        for _ in 0..<2 {
            send(
                pending.didSync(
                    Self.saveProgress(.commit, .written, writeNumber: 5, durable: 4),
                    isComplete: true))
        }
        #expect(sent.replies.dropFirst(3) == ["5 written"])
        #expect(!pending.hasRepliesAwaitingDurability)
    }

    @Test func `P21: after a failure to save, no reply says that its change is durable`() {
        let sent = Sent()
        var pending = PendingReplies()
        send(pending.add([sent.reply("a")], Self.saveProgress(.commit, .written)))
        let failed = Self.saveProgress(
            .commit, .notSaved(reason: "full"), writeNumber: 2, durable: 1)
        send(pending.didSync(failed, isComplete: false))
        #expect(sent.replies == ["a full"])
    }

    @Test func `a reply waits for the replication of its own record, up to the timeout`() {
        let sent = Sent()
        var pending = PendingReplies()
        for turn: UInt64 in [2, 3, 5] {
            let saveProgress = Self.saveProgress(.replicated, .durable, replica: turn)
            send(pending.add([sent.reply("\(turn)")], saveProgress))
        }
        send(pending.didReplicate(upTo: 1))
        #expect(sent.replies == [])
        send(pending.didReplicate(upTo: 2))
        #expect(sent.replies == ["2 replicated"])
        #expect(pending.newestAwaitedRecordNumber == 5)
        send(pending.didNotReplicate(upTo: 3, because: "late"))
        #expect(sent.replies == ["2 replicated", "3 late"])
        for _ in 0..<2 { send(pending.didNotReplicate(because: "lost")) }
        #expect(sent.replies == ["2 replicated", "3 late", "5 lost"])
        #expect(pending.newestAwaitedRecordNumber == nil)
    }

    @Test
    func `deferred replies wait for a decision and then for durability, and keep their order`() {
        let sent = Sent()
        var pending = PendingReplies()
        pending.deferReplies([sent.reply("a"), sent.reply("b")])
        pending.deferReplies([sent.reply("c")])
        #expect(!pending.hasRepliesAwaitingDurability)
        for _ in 0..<2 {
            send(pending.didHandleExternalChange(Self.saveProgress(.commit, .written)))
        }
        #expect(sent.replies == [])
        send(pending.didSync(Self.saveProgress(.commit, .durable, durable: 1), isComplete: false))
        #expect(sent.replies == ["a durable", "b durable", "c durable"])
    }

    @Test func `lost changes are reported as unsaved, except those that wait for replication`() {
        let sent = Sent()
        var pending = PendingReplies()
        pending.add(sent.reply("durable"), untilDurable: 1)
        pending.add(sent.reply("replicated"), untilReplicated: 1)
        pending.deferReplies([sent.reply("deferred")])
        for _ in 0..<2 { send(pending.didLoseChanges(because: "gone")) }
        #expect(sent.replies == ["deferred gone", "durable gone"])
        send(pending.didReplicate(upTo: 1))
        #expect(sent.replies.last == "replicated replicated")
    }

    @Test func `a stop sends every reply that does not wait for replication`() {
        let sent = Sent()
        var pending = PendingReplies()
        pending.add(sent.reply("durable"), untilDurable: 1)
        pending.add(sent.reply("replicated"), untilReplicated: 1)
        pending.deferReplies([sent.reply("deferred")])
        for _ in 0..<2 { send(pending.didStop(Self.saveProgress(.commit, .written))) }
        #expect(sent.replies == ["durable written", "deferred written"])
        #expect(pending.newestAwaitedRecordNumber == 1)
    }
}
