import CTaskHook
import Replication
import TestSupport

/// Scheduler that runs all tasks of this process on one thread, in simulated time and in an order that a seed decides.
///
/// The same seed runs the same jobs in the same order. The environment variable SWIFT_DETERMINISTIC_HASHING must be set,
/// because tasks iterate over dictionaries.
final class Simulation: @unchecked Sendable {
    private struct Timer {
        let time: Duration
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// Instant at which each simulated clock starts.
    static let origin = ContinuousClock.now
    /// Simulation that runs the jobs of the global executor.
    nonisolated(unsafe) private static var current: Simulation?

    var numbers: SeededNumbers
    /// Simulated time since the start.
    private(set) var elapsed = Duration.zero
    /// Number of jobs that have run.
    private(set) var stepCount = 0
    /// Digest of the order of all jobs, which shows whether two runs are identical.
    private(set) var digest: UInt64 = 0
    private var executors: [SimulatedExecutor] = []
    private var timers: [Timer] = []
    private var lastTimer = 0
    private var lastExecutor = 0

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        let global = makeExecutor()
        precondition(global.number == 1)
        Self.current = self
        set_global_job_handler { job in
            Simulation.current?.executors.first?.enqueue(
                unsafeBitCast(job, to: UnownedJob.self))
        }
    }

    /// Creates an executor whose jobs this simulation runs.
    func makeExecutor() -> SimulatedExecutor {
        lastExecutor += 1
        let executor = SimulatedExecutor(number: lastExecutor)
        executors.append(executor)
        return executor
    }

    /// Drops an executor. Its jobs never run again, like the tasks of a killed process.
    func kill(_ executor: SimulatedExecutor) {
        executor.state = .dead
        executors.removeAll { $0 === executor }
    }

    /// Runs jobs and advances the time until a condition holds or a deadline is reached.
    func run(for length: Duration, until isDone: () -> Bool = { false }) {
        let end = elapsed + length
        while !isDone() {
            if !runStep(before: end) {
                elapsed = end
                return
            }
        }
    }

    /// Runs a number of jobs. Other jobs may still be waiting afterward.
    func run(steps count: Int) {
        for _ in 0..<count { _ = runStep(before: elapsed + .seconds(1)) }
    }

    /// Runs the next job, or advances the time to the next timer.
    ///
    /// - Returns: Whether there was a job, or a timer before a deadline.
    private func runStep(before end: Duration) -> Bool {
        let ready = executors.filter(\.isReady)
        if !ready.isEmpty {
            let executor = ready[numbers.below(ready.count)]
            stepCount += 1
            digest = (digest ^ UInt64(executor.number)) &* 0x100_0000_01B3
            executor.runNext()
            return true
        }
        let first = timers.indices.min {
            (timers[$0].time, timers[$0].number) < (timers[$1].time, timers[$1].number)
        }
        guard let first, timers[first].time <= end else { return false }
        let timer = timers.remove(at: first)
        elapsed = max(elapsed, timer.time)
        timer.continuation.resume()
        return true
    }

    /// Suspends a task until a simulated time.
    func sleep(until time: Duration) async throws {
        lastTimer += 1
        let number = lastTimer
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    timers.append(Timer(time: time, number: number, continuation: continuation))
                }
            }
        } onCancel: {
            guard let index = timers.firstIndex(where: { $0.number == number }) else { return }
            timers.remove(at: index).continuation.resume(throwing: CancellationError())
        }
    }

    /// Suspends a task for a simulated time. A cancelled task continues immediately.
    func sleep(for length: Duration) async {
        do { try await sleep(until: elapsed + length) } catch {}
    }

    /// Returns a random duration in a range of milliseconds.
    func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(range.lowerBound + numbers.below(range.count))
    }
}

/// Executor of a simulated process.
final class SimulatedExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    enum State {
        case running
        /// Jobs wait while the time advances and other processes continue.
        case paused
        case dead
    }

    let number: Int
    var state = State.running
    private var jobs: [UnownedJob] = []
    private var first = 0

    init(number: Int) { self.number = number }

    var isReady: Bool { state == .running && first < jobs.count }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    func enqueue(_ job: UnownedJob) {
        if state != .dead { jobs.append(job) }
    }

    func runNext() {
        let job = jobs[first]
        first += 1
        if first == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            first = 0
        }
        job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

/// Clock of a simulated host, which may be slower or faster than the clock of the store.
struct SimulatedClock: SuspendAwareClock {
    let simulation: Simulation
    /// Time that passes on this clock in a simulated second.
    var rate = 1.0

    var now: ContinuousClock.Instant { Simulation.origin.advanced(by: simulation.elapsed * rate) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        // A timer never fires early, regardless of the rounding of the division.
        let time = Simulation.origin.duration(to: deadline) / rate
        try await simulation.sleep(until: time + .microseconds(1))
    }
}
