import Dispatch
import Glibc
import SimulatedDisk
import Synchronization

/// Job on a separate thread, which stops before each of its operations on a disk.
///
/// Other threads can therefore use the disk between any two operations, in an order that the seed decides.
final class SteppedJob<Outcome: Sendable>: Sendable {
    private struct State: Sendable {
        var thread: pthread_t?
        var outcome: Outcome?
        /// Operation before which the job has stopped.
        var next: DiskOperation.Kind?
        var isAbandoned = false
    }

    private let state = Mutex(State())
    private let resumeSemaphore = DispatchSemaphore(value: 0)
    private let stopSemaphore = DispatchSemaphore(value: 0)
    private let stopsWhileLocked: Bool

    /// Starts the job, and returns when the job has stopped before its first operation.
    ///
    /// - Parameter stopsWhileLocked: Whether to stop while the job holds a lock, see ``holdsLock``.
    init(
        on disk: SimulatedDisk, stopsWhileLocked: Bool, _ body: @escaping @Sendable () -> Outcome
    ) {
        self.stopsWhileLocked = stopsWhileLocked
        disk.setGate { [self] kind in shouldPerform(kind) }
        startThread { [self] in
            state.withLock { $0.thread = pthread_self() }
            let outcome = body()
            disk.setGate(nil)
            state.withLock { $0.outcome = outcome }
            stopSemaphore.signal()
        }
        stopSemaphore.wait()
    }

    /// Outcome of the job, or `nil` while the job is in progress.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Whether the job has stopped while it holds a lock that prevents other syncs and exchanges of the file.
    var holdsLock: Bool {
        state.withLock { $0.outcome == nil && $0.next.map(Self.runsUnderLock) ?? false }
    }

    /// Lets the job perform its next operation.
    func step() {
        if outcome != nil { return }
        resumeSemaphore.signal()
        stopSemaphore.wait()
    }

    /// Abandons the job, because its process ends. The job performs no further operations.
    func abandon() {
        if outcome != nil { return }
        state.withLock { $0.isAbandoned = true }
        step()
    }

    private static func runsUnderLock(_ kind: DiskOperation.Kind) -> Bool {
        kind == .synchronizeData || kind == .exchange
    }

    /// Stops before an operation of the job. Returns `false` if the operation must not be performed.
    private func shouldPerform(_ kind: DiskOperation.Kind) -> Bool {
        let isJobThread = state.withLock { state in
            guard state.thread == pthread_self() else { return false }
            state.next = kind
            return !state.isAbandoned
        }
        if isJobThread, stopsWhileLocked || !Self.runsUnderLock(kind) {
            stopSemaphore.signal()
            resumeSemaphore.wait()
        }
        return state.withLock { !$0.isAbandoned || $0.thread != pthread_self() }
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Starts a thread for which no thread pool waits.
private func startThread(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(ThreadBody(run)).toOpaque()
    let code = pthread_create(
        &thread, nil,
        { context in
            guard let context else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }, context)
    precondition(code == 0, "no thread could be started")
    pthread_detach(thread)
}

/// Job of the archive, which runs on another thread.
enum BackgroundJob<Job: Sendable, Outcome: Sendable> {
    /// There is no job.
    case idle
    /// The job is waiting for its thread.
    case pending(Job)
    /// The job performs one operation at a time.
    case running(Job, SteppedJob<Outcome>)
    /// The job has run, but the archive has not processed its outcome yet.
    case finished(Job, Outcome)

    /// Whether other operations must wait for the job.
    var holdsLock: Bool { if case .running(_, let job) = self { job.holdsLock } else { false } }

    /// Abandons the job, which performs no further operations.
    mutating func abandon() {
        if case .running(_, let job) = self { job.abandon() }
        self = .idle
    }

    var isInProgress: Bool { if case .idle = self { false } else { true } }
    var isRunning: Bool { if case .running = self { true } else { false } }
}
