import Preservation

/// Observer that checks an application after each turn that may have changed its visible state.
struct TurnObserver {
    let application: Application
    let clock: any Clock<Duration>
    /// Minimum time between two checks.
    let minimumInterval: Duration

    /// Calls a closure for each new value until an error is thrown.
    ///
    /// - Parameters:
    ///   - readValue: A closure that returns the current value. It receives the value last passed to `deliver`, or
    ///     `nil` the first time.
    ///   - deliver: A closure that receives the first value, and then each value that differs from the previous value.
    /// - Throws: Any error that a closure throws, or `CancellationError` if the application has stopped permanently.
    func follow<Value: Equatable & Sendable>(
        _ readValue: (_ lastValue: Value?) async throws -> Value,
        deliver: (_ value: Value, _ lastValue: Value?) async throws -> Void
    ) async throws -> Never {
        // Subscribe before the first check, so that no change is missed.
        let turns = application.sceneUpdates
        var lastValue = try await readValue(nil)
        try await deliver(lastValue, nil)
        for await _ in turns {
            let value = try await readValue(lastValue)
            if value != lastValue {
                try await deliver(value, lastValue)
                lastValue = value
            }
            try await clock.sleep(for: minimumInterval)
        }
        throw CancellationError()
    }
}
