import Dispatch
import Synchronization

/// An executor that runs an application and its callers on one thread, like an event loop of the
/// daemon.
final class Loop: SerialExecutor, TaskExecutor {
    static let shared = Loop()

    private let jobs = Mutex<[UnownedJob]>([])
    private let jobsAvailable = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Void, any Error>?>(nil)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isFirst { jobsAvailable.signal() }
    }

    /// Runs a closure on the calling thread, together with all jobs that are enqueued before the
    /// closure returns.
    func run(_ body: @escaping @LoopActor @Sendable () async throws -> Void) throws {
        // Without this preference, tasks would resume on a thread of the global pool.
        Task(executorPreference: self) {
            do {
                try await body()
                self.result.withLock { $0 = .success(()) }
            } catch {
                self.result.withLock { $0 = .failure(error) }
            }
        }
        var ready: [UnownedJob] = []
        while true {
            jobsAvailable.wait()
            jobs.withLock { swap(&$0, &ready) }
            defer { ready.removeAll(keepingCapacity: true) }
            for job in ready { job.runSynchronously(on: asUnownedSerialExecutor()) }
            if let result = result.withLock({ $0 }) { return try result.get() }
        }
    }
}

/// An actor that runs the benchmarks on the same loop as the application that they measure.
@globalActor actor LoopActor {
    static let shared = LoopActor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Loop.shared.asUnownedSerialExecutor() }
}
