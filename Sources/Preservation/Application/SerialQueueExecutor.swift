import Dispatch

/// Runs an application's jobs one after the other, for a program that has no executor of its own to
/// give.
final class SerialQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: names the queue in a debugger.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
