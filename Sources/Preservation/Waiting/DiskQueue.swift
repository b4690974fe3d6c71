import Dispatch
import Synchronization

/// A serial queue for work that waits for a disk, such as syncs and copies of archives.
package final class DiskQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: Name of the queue in a debugger.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs a body on the queue, after all earlier bodies.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    /// Runs a body on the queue, like ``run(_:)``, but stops waiting for it if the task is cancelled.
    ///
    /// - Parameter body: Its parameter returns whether the task is cancelled and the result is not needed.
    /// - Returns: The result of the body, or `nil` if the task was cancelled first.
    package func runUnlessCancelled<Result: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Result
    ) async -> Result? {
        let (results, feed) = AsyncStream.makeStream(of: Result.self)
        let cancellation = Cancellation()
        queue.async {
            feed.yield(body { cancellation.isRequested.load(ordering: .relaxed) })
            feed.finish()
        }
        for await result in results { return result }
        cancellation.isRequested.store(true, ordering: .relaxed)
        return nil
    }

    private final class Cancellation: Sendable {
        let isRequested = Atomic(false)
    }
}
