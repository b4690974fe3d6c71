import Synchronization

/// Deadline until which a host may rely on owning its applications.
///
/// The deadline depends on the time since the last renewal of the lease, including time during which the
/// machine is suspended, and never on the time of day.
package final class LeaseDeadline: Sendable {
    private let limit = Mutex<ContinuousClock.Instant?>(nil)

    private let clock: any HostClock

    init(clock: any HostClock) { self.clock = clock }

    /// Whether the deadline has not passed.
    package var isValid: Bool { limit.withLock { limit in limit.map { clock.now < $0 } ?? false } }

    /// Time until the deadline, or `nil` if it has passed.
    package var rest: Duration? {
        limit.withLock { limit in
            guard let limit else { return nil }
            let rest = clock.now.duration(to: limit)
            return rest > .zero ? rest : nil
        }
    }

    /// Extends the deadline after a renewal of the lease, based on the time at which the request began.
    func renew(from beginning: ContinuousClock.Instant, for length: Duration) {
        // The margin of one fifth allows for servers whose clocks run slightly faster, and for the time that
        // stopping takes.
        limit.withLock { $0 = beginning.advanced(by: length - length / 5) }
    }

    /// Ends the ownership at once, because the lease is over.
    func end() { limit.withLock { $0 = nil } }
}
