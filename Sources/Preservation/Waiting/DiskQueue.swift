import Dispatch

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

    /// Runs a body there, like ``run(_:)``, for a task that is not held up by a disk: where it is
    /// cancelled the body is left to itself.
    ///
    /// - Returns: nil if the task was cancelled first.
    package func runUnlessCancelled<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result? {
        let (results, feed) = AsyncStream.makeStream(of: Result.self)
        queue.async {
            feed.yield(body())
            feed.finish()
        }
        for await result in results { return result }
        return nil
    }
}
