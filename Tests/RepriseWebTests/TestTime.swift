import Synchronization

/// Time that a test sets, in seconds since 1970-01-01 UTC.
final class TestTime: Sendable {
    private let seconds = Mutex<Int64>(1_000_000)

    var now: Int64 { seconds.withLock { $0 } }

    func advance(by duration: Duration) { seconds.withLock { $0 += duration.components.seconds } }
}
