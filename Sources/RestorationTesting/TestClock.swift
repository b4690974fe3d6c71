public import FoundationEssentials
import Synchronization

/// A clock that advances only when a test advances it.
///
/// To use the clock, assign it to `PreservationSettings.clock`.
public final class TestClock: Clock {
    /// A point in time, measured from the creation of the clock.
    public struct Instant: InstantProtocol {
        fileprivate var offset = Swift.Duration.zero

        /// Returns the instant that follows this instant after the given duration.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the duration from this instant to another instant.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        /// Returns whether the left instant is earlier than the right instant.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// A task that waits until the sleeping tasks meet a condition.
    private struct Waiter {
        var condition: @Sendable (State) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant()
        var lastNumber = 0
        var sleepers: [Int: Sleeper] = [:]
        var waiters: [Int: Waiter] = [:]
        /// Numbers of sleepers and waiters that were cancelled before they began to wait.
        var cancelledNumbers: Set<Int> = []
        /// Closures that resume tasks whose waits have ended.
        var resumptions: [@Sendable () -> Void] = []

        mutating func makeNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Mutex(State())
    private let creationDate = Date(
        timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

    /// Creates a clock that starts at zero.
    public init() {}

    /// Current time: the sum of the durations by which the clock has been advanced.
    public var now: Instant { state.withLock { $0.now } }

    /// Date of the clock. It advances together with ``now``.
    ///
    /// The initial date is the time at which the clock was created, rounded down to whole seconds. A program under test
    /// compares the deadlines of its collections' elements with this date.
    public var date: Date {
        creationDate.addingTimeInterval(now.offset / .seconds(1))
    }

    /// Smallest step of the clock, one nanosecond.
    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends the current task until a test advances the clock to the deadline.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the deadline.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = state.withLock { $0.makeNumber() }
        defer { state.withLock { _ = $0.cancelledNumbers.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                updateState { state in
                    if state.cancelledNumbers.remove(number) != nil {
                        state.resumptions.append {
                            continuation.resume(throwing: CancellationError())
                        }
                    } else if deadline <= state.now {
                        state.resumptions.append { continuation.resume() }
                    } else {
                        state.sleepers[number] = Sleeper(
                            deadline: deadline, continuation: continuation)
                    }
                }
            }
        } onCancel: {
            updateState { state in
                guard let sleeper = state.sleepers.removeValue(forKey: number) else {
                    state.cancelledNumbers.insert(number)
                    return
                }
                state.resumptions.append {
                    sleeper.continuation.resume(throwing: CancellationError())
                }
            }
        }
    }

    /// Advances the clock and resumes all tasks whose deadlines have passed.
    public func advance(by duration: Swift.Duration) {
        updateState { state in
            state.now = state.now.advanced(by: duration)
            for (number, sleeper) in state.sleepers where sleeper.deadline <= state.now {
                state.sleepers[number] = nil
                state.resumptions.append { sleeper.continuation.resume() }
            }
        }
    }

    // MARK: Waiting

    /// Suspends the current task until at least the given number of tasks are sleeping, or until the current task is
    /// cancelled.
    public func waitForSleepers(_ count: Int = 1) async {
        await wait { $0.sleepers.count >= count }
    }

    /// Suspends the current task until another task is sleeping with exactly the given duration left.
    ///
    /// The duration is measured from the call. The method returns early if the current task is cancelled.
    public func waitForSleeper(for duration: Swift.Duration) async {
        let deadline = now.advanced(by: duration)
        await wait { state in state.sleepers.values.contains { $0.deadline == deadline } }
    }

    /// Suspends the current task until all sleeping tasks have exactly the given duration left.
    ///
    /// The duration is measured from the call. At least one task must be sleeping. The method returns early if the
    /// current task is cancelled.
    public func waitForSleepers(for duration: Swift.Duration) async {
        let deadline = now.advanced(by: duration)
        await wait { state in
            !state.sleepers.isEmpty && state.sleepers.values.allSatisfy { $0.deadline == deadline }
        }
    }

    private func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        let number = state.withLock { $0.makeNumber() }
        defer { state.withLock { _ = $0.cancelledNumbers.remove(number) } }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                updateState { state in
                    if state.cancelledNumbers.remove(number) != nil || condition(state) {
                        state.resumptions.append { continuation.resume() }
                    } else {
                        state.waiters[number] = Waiter(
                            condition: condition, continuation: continuation)
                    }
                }
            }
        } onCancel: {
            updateState { state in
                guard let waiter = state.waiters.removeValue(forKey: number) else {
                    state.cancelledNumbers.insert(number)
                    return
                }
                state.resumptions.append { waiter.continuation.resume() }
            }
        }
    }

    /// Changes the state, then resumes the tasks whose waits have ended.
    ///
    /// Tasks are resumed after the lock is released. Otherwise, a deadlock could occur: a task that is being cancelled
    /// cannot be resumed until its cancellation handler returns, and the handler needs the lock.
    private func updateState(_ body: (inout State) -> Void) {
        let resumptions = state.withLock { state in
            body(&state)
            for (number, waiter) in state.waiters where waiter.condition(state) {
                state.waiters[number] = nil
                state.resumptions.append { waiter.continuation.resume() }
            }
            defer { state.resumptions = [] }
            return state.resumptions
        }
        for resume in resumptions { resume() }
    }
}
