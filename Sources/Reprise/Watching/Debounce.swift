import Synchronization

/// Joins what comes within a fixed time after the first into one.
///
/// The time is not begun anew by what comes later, so that what never rests is heeded all the same.
final class Debounce: Sendable {
    private let isNoted = Mutex(false)
    private let signals = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Something came.
    func note() {
        let isFirst = isNoted.withLock { isNoted in
            defer { isNoted = true }
            return !isNoted
        }
        if isFirst { signals.continuation.yield() }
    }

    /// Calls a body so long after something came, until the task is cancelled. For one task alone.
    func run(
        for time: Duration, on clock: any Clock<Duration>, _ body: () async -> Void
    ) async {
        for await _ in signals.stream {
            do {
                try await clock.sleep(for: time)
            } catch {
                return  // The sleep ends early only when the task does.
            }
            // What comes while the body runs may be missed by it.
            isNoted.withLock { $0 = false }
            await body()
        }
    }
}
