import Dispatch
import Glibc
import Synchronization

/// Executor that runs an application's jobs one after the other.
///
/// It is used if the program does not provide an executor.
///
/// Jobs run on the thread of a dispatch queue. While the executor is idle, a caller can run a short closure immediately
/// on its own thread. This avoids a thread switch, which takes as long as running a command and writing its changes.
final class SerialQueueExecutor: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isBusy = false
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())
    /// Identifier of the thread that is running a job or closure, or 0 if nothing is running.
    private let runningThreadID = Atomic<UInt>(0)

    /// Creates an executor.
    ///
    /// - Parameter label: The label of the queue, which debuggers display.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasBusy = state.withLock { state in
            state.jobs.append(job)
            defer { state.isBusy = true }
            return state.isBusy
        }
        if !wasBusy { queue.async { self.runJobs() } }
    }

    /// Runs a closure immediately on the calling thread, unless another job is running or waiting.
    ///
    /// - Returns: Whether the closure was run.
    func runIfIdle(_ body: () -> Void) -> Bool {
        let wasBusy = state.withLock { state in
            defer { state.isBusy = true }
            return state.isBusy
        }
        if wasBusy { return false }
        runOnCurrentThread(body)
        let areJobsLeft = state.withLock { state in
            state.isBusy = !state.jobs.isEmpty
            return state.isBusy
        }
        if areJobsLeft { queue.async { self.runJobs() } }
        return true
    }

    private func runJobs() {
        while true {
            let jobs = state.withLock { state in
                if state.jobs.isEmpty { state.isBusy = false }
                defer { state.jobs = [] }
                return state.jobs
            }
            if jobs.isEmpty { return }
            runOnCurrentThread {
                for job in jobs { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
            }
        }
    }

    private func runOnCurrentThread(_ body: () -> Void) {
        runningThreadID.store(UInt(pthread_self()), ordering: .relaxed)
        body()
        runningThreadID.store(0, ordering: .relaxed)
    }

    func checkIsolated() {
        precondition(
            runningThreadID.load(ordering: .relaxed) == UInt(pthread_self()),
            "this code is not running on the application's executor")
    }
}

/// Task executor that runs the nonisolated parts of a service's tasks on the application's executor.
///
/// Without this task executor, these parts would resume on the global pool after each wait, which costs two thread
/// switches.
final class ApplicationTaskExecutor: TaskExecutor {
    private let executor: any SerialExecutor

    init(_ executor: any SerialExecutor) {
        self.executor = executor
    }

    func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueue(job)
    }
}
