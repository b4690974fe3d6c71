import Dispatch
import Synchronization

/// A thread for what waits for a disk: syncs, copies of archives, files for others.
package final class DiskQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: names the queue in a debugger.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs a body there, behind those before it.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    /// Runs a body there, like ``run(_:)``, but does not wait for it any longer once the task is cancelled.
    ///
    /// - Parameter body: Its parameter returns whether the task is cancelled, so that the result is not needed.
    /// - Returns: `nil` if the task was cancelled first.
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
