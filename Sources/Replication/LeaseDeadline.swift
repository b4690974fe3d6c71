import Synchronization

/// Time until which a host may assume that it owns its applications.
///
/// The deadline is measured in time since the last renewal of the lease, including time during which the machine was
/// suspended. It does not depend on the time of day.
package final class LeaseDeadline: Sendable {
    private let expiration = Mutex<ContinuousClock.Instant?>(nil)

    private let clock: any SuspendAwareClock

    init(clock: any SuspendAwareClock) { self.clock = clock }

    /// Whether the deadline is set and has not passed.
    package var isValid: Bool {
        expiration.withLock { expiration in expiration.map { clock.now < $0 } ?? false }
    }

    /// Time that remains until the deadline, or `nil` if the deadline has passed or is not set.
    package var remainingTime: Duration? {
        expiration.withLock { expiration in
            guard let expiration else { return nil }
            let timeUntilExpiration = clock.now.duration(to: expiration)
            return timeUntilExpiration > .zero ? timeUntilExpiration : nil
        }
    }

    /// Extends the deadline after the lease has been renewed.
    ///
    /// The lease's duration counts from the time at which the request was sent.
    func renew(from requestTime: ContinuousClock.Instant, for duration: Duration) {
        // The margin of one fifth allows for servers whose clocks run slightly faster than this host's, and for the
        // time needed to stop applications.
        expiration.withLock { $0 = requestTime.advanced(by: duration - duration / 5) }
    }

    /// Makes the deadline pass immediately, because the lease has ended.
    func expire() { expiration.withLock { $0 = nil } }
}
