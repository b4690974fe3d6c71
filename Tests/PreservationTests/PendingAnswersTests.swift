import Testing

@testable import Preservation

@Suite struct PendingAnswersTests {
    /// The replies that were sent, in order.
    private final class Sent {
        var durable: [UInt64] = []
        var replicated: [UInt64] = []
    }

    @Test func `a reply waits for its own write, and is sent once`() {
        let sent = Sent()
        var pending = PendingAnswers()
        #expect(!pending.isDurabilityAwaited)
        #expect(pending.newestReplicaWait == nil)
        for write: UInt64 in [2, 3, 3, 5] {
            pending.append({ _ in sent.durable.append(write) }, untilDurable: write)
            pending.append({ _ in sent.replicated.append(write) }, untilReplicated: write)
        }
        #expect(pending.isDurabilityAwaited)
        #expect(pending.newestReplicaWait == 5)
        let steps: [(write: UInt64, sent: [UInt64])] = [
            (1, []), (2, [2]), (3, [2, 3, 3]), (4, [2, 3, 3]), (4, [2, 3, 3]),
        ]
        for step in steps {
            for answer in pending.take(durableUpTo: step.write) { answer(.durable) }
            for answer in pending.take(replicatedUpTo: step.write) { answer(.replicated) }
            #expect(sent.durable == step.sent, "\(step.write)")
            #expect(sent.replicated == step.sent, "\(step.write)")
        }
        for _ in 0..<2 {
            for answer in pending.takeUntilDurable() { answer(.written) }
            for answer in pending.take(replicatedUpTo: .max) { answer(.written) }
        }
        #expect(sent.durable == [2, 3, 3, 5])
        #expect(sent.replicated == [2, 3, 3, 5])
        #expect(!pending.isDurabilityAwaited)
        #expect(pending.newestReplicaWait == nil)
    }

    @Test func `replies that wait for a decision are sent in their order, once`() {
        let sent = Sent()
        var pending = PendingAnswers()
        pending.withhold([{ _ in sent.durable.append(1) }, { _ in sent.durable.append(2) }])
        pending.withhold([{ _ in sent.durable.append(3) }])
        for _ in 0..<2 { for answer in pending.takeWithheld() { answer(.durable) } }
        #expect(sent.durable == [1, 2, 3])
    }
}
