import Dispatch
import Synchronization

/// Runs an application and what calls it on one thread, as an event loop of the daemon does.
final class Loop: SerialExecutor, TaskExecutor {
    static let shared = Loop()

    private let jobs = Mutex<[UnownedJob]>([])
    private let isFilled = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Void, any Error>?>(nil)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if isFirst { isFilled.signal() }
    }

    /// Runs a body, and every job meanwhile, on the thread that calls.
    func run(_ body: @escaping @LoopActor @Sendable () async throws -> Void) throws {
        // Without the preference every wait would end on a thread of the global pool.
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
            isFilled.wait()
            jobs.withLock { swap(&$0, &ready) }
            defer { ready.removeAll(keepingCapacity: true) }
            for job in ready { job.runSynchronously(on: asUnownedSerialExecutor()) }
            if let result = result.withLock({ $0 }) { return try result.get() }
        }
    }
}

/// Keeps what measures on the loop, where the application is that it measures.
@globalActor actor LoopActor {
    static let shared = LoopActor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Loop.shared.asUnownedSerialExecutor() }
}
