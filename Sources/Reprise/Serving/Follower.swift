import Preservation

/// Looks at an application again and again: after each turn that may have changed what is seen of it.
struct Follower {
    let application: Application
    let clock: any Clock<Duration>
    /// How long it waits at least between two looks.
    let pause: Duration

    /// - Parameters:
    ///   - look: looks, and is given what was told last; nil: nothing was.
    ///   - tell: is called with what is to be told: what the first look gave, and then what is other than what was
    ///     told last.
    /// - Throws: what the two throw; `CancellationError` when the application ends for good.
    func follow<Value: Equatable & Sendable>(
        _ look: (_ last: Value?) async throws -> Value,
        tell: (_ value: Value, _ last: Value?) async throws -> Void
    ) async throws -> Never {
        // From before the first look on, so that no change is missed.
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
