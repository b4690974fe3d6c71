import Dispatch
import Glibc
import SimulatedDisk
import Synchronization

/// A job on a thread of its own, which stops before each of its operations on a disk.
///
/// So others can use the disk between any two of them, in an order that the seed decides.
final class SteppedJob<Outcome: Sendable>: Sendable {
    private struct State: Sendable {
        var thread: pthread_t?
        var outcome: Outcome?
        /// The operation that it stopped before.
        var next: DiskOperation.Kind?
        var isAbandoned = false
    }

    private let state = Mutex(State())
    private let goes = DispatchSemaphore(value: 0)
    private let stops = DispatchSemaphore(value: 0)
    private let stopsInside: Bool

    /// Starts the job, and returns when it stopped before its first operation.
    ///
    /// - Parameter stopsInside: whether to stop where the job has taken a lock, see ``holdsLock``.
    init(
        on disk: SimulatedDisk, stopsInside: Bool, _ body: @escaping @Sendable () -> Outcome
    ) {
        self.stopsInside = stopsInside
        disk.setGate { [self] kind in pass(kind) }
        startThread { [self] in
            state.withLock { $0.thread = pthread_self() }
            let outcome = body()
            disk.setGate(nil)
            state.withLock { $0.outcome = outcome }
            stops.signal()
        }
        stops.wait()
    }

    /// What it came to; `nil` while it goes on.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Whether it stopped while it keeps others from using the file's syncs and its exchange.
    var holdsLock: Bool {
        state.withLock { $0.outcome == nil && $0.next.map(Self.isInside) ?? false }
    }

    /// Lets it do its next operation.
    func step() {
        if outcome != nil { return }
        goes.signal()
        stops.wait()
    }

    /// The process ends: none of its operations happens any more.
    func abandon() {
        if outcome != nil { return }
        state.withLock { $0.isAbandoned = true }
        step()
    }

    private static func isInside(_ kind: DiskOperation.Kind) -> Bool {
        kind == .synchronizeData || kind == .exchange
    }

    /// Stops before an operation, if it is the job's; false if it must not happen.
    private func pass(_ kind: DiskOperation.Kind) -> Bool {
        let isMine = state.withLock { state in
            guard state.thread == pthread_self() else { return false }
            state.next = kind
            return !state.isAbandoned
        }
        if isMine, stopsInside || !Self.isInside(kind) {
            stops.signal()
            goes.wait()
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

/// A thread that no pool waits for.
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

/// A job of the archive that another thread would run.
enum BackgroundJob<Job: Sendable, Outcome: Sendable> {
    /// There is none.
    case idle
    /// It waits for its thread.
    case begun(Job)
    /// It does one operation after the other.
    case running(Job, SteppedJob<Outcome>)
    /// Its thread is done; the archive was not told yet.
    case ran(Job, Outcome)

    /// Whether others have to wait for it.
    var holdsLock: Bool { if case .running(_, let job) = self { job.holdsLock } else { false } }

    /// None of its operations happens any more.
    mutating func abandon() {
        if case .running(_, let job) = self { job.abandon() }
        self = .idle
    }

    var isGoingOn: Bool { if case .idle = self { false } else { true } }
    var isRunning: Bool { if case .running = self { true } else { false } }
}
