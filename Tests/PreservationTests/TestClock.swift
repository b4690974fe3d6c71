import Synchronization

/// A clock that stands still until a test advances it.
final class TestClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
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
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var deadlineWatchers:
            [(deadline: Instant, continuation: CheckedContinuation<Void, Never>)] =
                []

        /// Whether somebody sleeps, and all until that time.
        func sleeps(until deadline: Instant) -> Bool {
            !sleepers.isEmpty && sleepers.values.allSatisfy { $0.deadline == deadline }
        }
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Swift.Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                state.withLock { state in
                    if state.cancelled.remove(number) != nil {
                        continuation.resume(throwing: CancellationError())
                        return
                    }
                    state.sleepers[number] = Sleeper(
                        deadline: deadline, continuation: continuation)
                    let count = state.sleepers.count
                    for watcher in state.watchers where watcher.count <= count {
                        watcher.continuation.resume()
                    }
                    state.watchers.removeAll { $0.count <= count }
                    let waiting = state.deadlineWatchers
                    for watcher in waiting where state.sleeps(until: watcher.deadline) {
                        watcher.continuation.resume()
                    }
                    state.deadlineWatchers = waiting.filter { !state.sleeps(until: $0.deadline) }
                }
            }
        } onCancel: {
            state.withLock { state in
                guard let sleeper = state.sleepers.removeValue(forKey: number) else {
                    state.cancelled.insert(number)
                    return
                }
                sleeper.continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Returns when so many sleep.
    func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.sleepers.count < count {
                    state.watchers.append((count, continuation))
                } else {
                    continuation.resume()
                }
            }
        }
    }

    /// Returns when somebody sleeps, and all who do wake in so long.
    func waitForSleepers(for duration: Swift.Duration) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                let deadline = state.now.advanced(by: duration)
                if state.sleeps(until: deadline) {
                    continuation.resume()
                } else {
                    state.deadlineWatchers.append((deadline, continuation))
                }
            }
        }
    }

    /// Lets time pass, and wakes who has slept long enough.
    func advance(by duration: Swift.Duration) {
        state.withLock { state in
            state.now = state.now.advanced(by: duration)
            for (number, sleeper) in state.sleepers where sleeper.deadline <= state.now {
                state.sleepers[number] = nil
                sleeper.continuation.resume()
            }
        }
    }
}
