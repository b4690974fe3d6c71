/// A clock whose sleeps return immediately after an action.
package final class ImmediateClock: Clock {
    private let action = AwaitableState<@Sendable () async -> Void>({})

    package init() {}

    /// Action that each sleep performs.
    package var onSleep: @Sendable () async -> Void {
        get { action.state }
        set { action.change { $0 = newValue } }
    }

    package var now: ContinuousClock.Instant { .now }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        await onSleep()
        try Task.checkCancellation()
    }
}
