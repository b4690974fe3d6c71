import Preservation

/// Observer that checks an application after each turn that may have changed its visible state.
struct Follower {
    let application: Application
    let clock: any Clock<Duration>
    /// Minimum time between two checks.
    let pause: Duration

    /// Calls a function for each new value until an error is thrown.
    ///
    /// - Parameters:
    ///   - look: Returns the current value. It receives the value that was last passed to `tell`, or `nil` at
    ///     first.
    ///   - tell: Receives the first value, and later each value that differs from the last value that it received.
    /// - Throws: The errors of both functions, or `CancellationError` when the application stops for good.
    func follow<Value: Equatable & Sendable>(
        _ look: (_ last: Value?) async throws -> Value,
        tell: (_ value: Value, _ last: Value?) async throws -> Void
    ) async throws -> Never {
        // Subscribes before the first check, so that no change is missed.
        let turns = application.changingTurns
        var last = try await look(nil)
        try await tell(last, nil)
        for await _ in turns {
            let value = try await look(last)
            if value != last {
                try await tell(value, last)
                last = value
            }
            try await clock.sleep(for: pause)
        }
        throw CancellationError()
    }
}
