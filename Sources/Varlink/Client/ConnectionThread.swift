import Glibc

/// Thread that runs the jobs of a single actor. The jobs may block.
final class ConnectionThread: SerialExecutor {
    private let queue = JobQueue()

    /// Creates the thread.
    ///
    /// - Throws: `SocketError` if the system cannot create another thread.
    init() throws(SocketError) {
        try queue.start()
    }

    deinit {
        queue.stop()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.add(UnownedJob(job), on: asUnownedSerialExecutor())
    }
}

/// Queue of jobs for a thread. A condition variable wakes the thread.
private final class JobQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [(UnownedJob, UnownedSerialExecutor)] = []
    private var isStopped = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Starts the thread, which retains the queue until the thread stops.
    /// - Throws: `SocketError` if the system cannot create another thread.
    func start() throws(SocketError) {
        var thread = pthread_t()
        let retainedQueue = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, retainedQueue.toOpaque())
        guard result == 0 else {
            retainedQueue.release()
            throw SocketError(call: "pthread_create", errno: result)
        }
        pthread_detach(thread)
    }

    /// Stops the thread as soon as it has run all queued jobs.
    func stop() { updateAndSignal { isStopped = true } }

    func add(_ job: UnownedJob, on executor: UnownedSerialExecutor) {
        updateAndSignal { jobs.append((job, executor)) }
    }

    private func updateAndSignal(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        body()
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    private func run() {
        while let (job, executor) = waitForNextJob() { job.runSynchronously(on: executor) }
    }

    private func waitForNextJob() -> (UnownedJob, UnownedSerialExecutor)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty, !isStopped { pthread_cond_wait(condition, mutex) }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}
