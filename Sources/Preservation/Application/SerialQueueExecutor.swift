import Dispatch
import Glibc
import Synchronization

/// Runs an application's jobs one after the other, for a program that has no executor of its own to
/// give.
///
/// They run on a queue's thread. Who has something to do that is short may do it at once, on the thread
/// that it is on, while nothing else runs: a change of threads takes as long as a command and its write.
final class SerialQueueExecutor: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isBusy = false
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())
    /// The thread that runs something here; 0: none does.
    private let thread = Atomic<UInt>(0)

    /// - Parameter label: names the queue in a debugger.
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

    /// Runs a body here, on the thread that calls, unless something runs already or waits.
    ///
    /// - Returns: whether it ran.
    func runAtOnce(_ body: () -> Void) -> Bool {
        let wasBusy = state.withLock { state in
            defer { state.isBusy = true }
            return state.isBusy
        }
        if wasBusy { return false }
        runHere(body)
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
            runHere {
                for job in jobs { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
            }
        }
    }

    private func runHere(_ body: () -> Void) {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        body()
        thread.store(0, ordering: .relaxed)
    }

    func checkIsolated() {
        precondition(
            thread.load(ordering: .relaxed) == UInt(pthread_self()),
            "this does not run on the application's executor")
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
