import Dispatch

/// A thread for what waits for a disk: syncs, and copies of archives.
final class DiskQueue: Sendable {
    private let queue: DispatchQueue

    /// - Parameter label: names the queue in a debugger.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs a body there, behind those before it.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
