import Synchronization

/// A clock whose sleeps end at once, after something was done.
final class ActingClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let action = Mutex<@Sendable () async -> Void>({})

    /// What is done by each sleep.
    var onSleep: @Sendable () async -> Void {
        get { action.withLock { $0 } }
        set { action.withLock { $0 = newValue } }
    }

    var now: Instant { Instant() }
    var minimumResolution: Swift.Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        await onSleep()
        try Task.checkCancellation()
    }
}
