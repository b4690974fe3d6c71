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
}
