import Synchronization
import TestSupport
import Testing

@testable import Reprise

@Suite struct DrawingQueueTests {
    private struct Failure: Error {}

    private final class Counts: Sendable {
        let values = Mutex((running: 0, most: 0, finished: 0))
    }

    @Test func `bodies run one after another, even after one throws`() async throws {
        let queue = DrawingQueue(clock: ContinuousClock())
        let counts = Counts()
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        try await queue.run {
                            counts.values.withLock { values in
                                values.running += 1
                                values.most = max(values.most, values.running)
                            }
                            await Task.yield()
                            counts.values.withLock { values in
                                values.running -= 1
                                values.finished += 1
                            }
                            if number % 3 == 0 { throw Failure() }
                        }
                    } catch {
                        // The next body runs in spite of the error.
                    }
                }
            }
        }
        #expect(counts.values.withLock { $0.most } == 1)
        #expect(counts.values.withLock { $0.finished } == 20)
    }

    @Test func `a body whose caller was cancelled does not run, and later bodies do`() async throws
    {
        let queue = DrawingQueue(clock: ContinuousClock())
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await queue.run { _ = Issue.record("the body ran") }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let result = try await queue.run { 7 }
        #expect(result == 7)
    }

    /// Clock at a fixed time that records the sleeps.
    private final class FixedClock: Clock {
        let now = ContinuousClock.Instant.now
        let minimumResolution = Duration.zero
        let sleeps = AwaitableState<[Duration]>([])

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            sleeps.change { $0.append(now.duration(to: deadline)) }
        }
    }

    @Test func `the queue pauses after a body only if the next body would start too early`()
        async throws
    {
        let clock = FixedClock()
        let queue = DrawingQueue(clock: clock)
        try await queue.run {}
        // On a slow machine, the next body may not be too early, so the test tries again.
        try await waitUntil("the queue pauses") {
            try await queue.run { for _ in 0..<100 { await Task.yield() } }
            return !clock.sleeps.state.isEmpty
        }
        #expect(clock.sleeps.state.allSatisfy { $0 > .zero })
    }
}
