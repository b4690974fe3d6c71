import Dispatch
import Synchronization

/// Serial queue for work that waits for a disk, such as syncing and copying archives.
package final class DiskQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue.
    ///
    /// - Parameter label: The label of the queue, which debuggers display.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Adds a closure to the queue. It runs after all closures that were added earlier.
    package func add(_ body: @escaping @Sendable () -> Void) { queue.async { body() } }

    /// Runs a closure on the queue after all closures that were added earlier, and waits for its result.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            add { continuation.resume(returning: body()) }
        }
    }

    /// Runs a closure like ``run(_:)``, but stops waiting for it if the task is cancelled.
    ///
    /// If the task is cancelled before the closure begins, the closure does not run.
    ///
    /// - Parameter body: The closure. It receives a function that returns whether the task has been cancelled, so that
    ///   the closure can return early.
    /// - Returns: The result of the closure, or `nil` if the task was cancelled before the closure returned.
    package func runUnlessCancelled<Result: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Result
    ) async -> Result? {
        let (results, continuation) = AsyncStream.makeStream(of: Result.self)
        let cancellation = Cancellation()
        queue.async {
            let isCancelled = { cancellation.isRequested.load(ordering: .relaxed) }
            if !isCancelled() { continuation.yield(body(isCancelled)) }
            continuation.finish()
        }
        for await result in results { return result }
        cancellation.isRequested.store(true, ordering: .relaxed)
        return nil
    }

    private final class Cancellation: Sendable {
        let isRequested = Atomic(false)
    }
}
