/// A clock that stands still until a test advances it.
package final class TestClock: Clock {
    /// A time since the clock was made.
    package struct Instant: InstantProtocol {
        fileprivate var offset = Swift.Duration.zero

        package func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        package func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant()
        var lastNumber = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
    }

    private let clock = Awaited(State())

    package init() {}

    /// The time that a test let pass so far.
    package var now: Instant { clock.state.now }

    /// How many sleep.
    package var sleeperCount: Int { clock.state.sleepers.count }

    package var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Returns when a test advanced the clock to the deadline.
    package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = clock.change { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                clock.change { state in
                    if state.cancelled.remove(number) != nil {
                        continuation.resume(throwing: CancellationError())
                    } else if deadline <= state.now {
                        continuation.resume()
                    } else {
                        state.sleepers[number] = Sleeper(
                            deadline: deadline, continuation: continuation)
                    }
                }
            }
        } onCancel: {
            clock.change { state in
                guard let sleeper = state.sleepers.removeValue(forKey: number) else {
                    state.cancelled.insert(number)
                    return
                }
                sleeper.continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Returns when so many sleep.
    package func waitForSleepers(_ count: Int = 1) async {
        await clock.wait { $0.sleepers.count >= count }
    }

    /// Returns when somebody sleeps who wakes in so long.
    package func waitForSleeper(for duration: Swift.Duration) async {
        let deadline = now.advanced(by: duration)
        await clock.wait { state in state.sleepers.values.contains { $0.deadline == deadline } }
    }

    /// Returns when somebody sleeps, and all who do wake in so long.
    package func waitForSleepers(for duration: Swift.Duration) async {
        let deadline = now.advanced(by: duration)
        await clock.wait { state in
            !state.sleepers.isEmpty && state.sleepers.values.allSatisfy { $0.deadline == deadline }
        }
    }

    /// Lets time pass, and wakes who has slept long enough.
    package func advance(by duration: Swift.Duration) {
        clock.change { state in
            state.now = state.now.advanced(by: duration)
            for (number, sleeper) in state.sleepers where sleeper.deadline <= state.now {
                state.sleepers[number] = nil
                sleeper.continuation.resume()
            }
        }
    }
}

/// A clock whose sleeps end at once, after something was done.
package final class ActingClock: Clock {
    private let action = Awaited<@Sendable () async -> Void>({})

    package init() {}

    /// What is done by each sleep.
    package var onSleep: @Sendable () async -> Void {
        get { action.state }
        set { action.change { $0 = newValue } }
    }

    package var now: TestClock.Instant { TestClock.Instant() }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        await onSleep()
        try Task.checkCancellation()
    }
}
