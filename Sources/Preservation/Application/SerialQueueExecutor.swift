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

/// Keeps the tasks of an application's service on its executor also where they are not isolated to
/// it: above all where a wait ends, which is on the global pool without it, two changes of thread
/// away.
final class ApplicationTaskExecutor: TaskExecutor {
    private let executor: any SerialExecutor

    init(_ executor: any SerialExecutor) {
        self.executor = executor
    }

    func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueue(job)
    }
}
