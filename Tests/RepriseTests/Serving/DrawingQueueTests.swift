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
}
