import Synchronization

/// Deadline until which a host may rely on owning its applications.
///
/// The deadline depends on the time since the last renewal of the lease, including time during which the machine is
/// suspended. It never depends on the time of day.
package final class LeaseDeadline: Sendable {
    private let limit = Mutex<ContinuousClock.Instant?>(nil)

    private let clock: any HostClock

    init(clock: any HostClock) { self.clock = clock }

    /// Whether the deadline is set and has not passed.
    package var isValid: Bool { limit.withLock { limit in limit.map { clock.now < $0 } ?? false } }

    /// Time until the deadline, or `nil` if the deadline has passed or is not set.
    package var rest: Duration? {
        limit.withLock { limit in
            guard let limit else { return nil }
            let rest = clock.now.duration(to: limit)
            return rest > .zero ? rest : nil
        }
    }

    /// Extends the deadline after a renewal of the lease, based on the time at which the request began.
    func renew(from beginning: ContinuousClock.Instant, for length: Duration) {
        // The margin of one fifth allows for servers whose clocks run slightly faster, and for the time needed to stop
        // applications.
        limit.withLock { $0 = beginning.advanced(by: length - length / 5) }
    }

    /// Ends the ownership immediately, because the lease has ended.
    func end() { limit.withLock { $0 = nil } }
}
