import Synchronization

/// Until when a host may take for granted that it owns what it owns.
///
/// It goes by the time since the lease was renewed, also while the machine is suspended, never by the time
/// of day.
package final class Tenure: Sendable {
    private let limit = Mutex<ContinuousClock.Instant?>(nil)

    package init() {}

    /// Whether it may now.
    package var isValid: Bool { limit.withLock { $0.map { ContinuousClock.now < $0 } ?? false } }

    /// How long it may yet; nil: it may not.
    package var rest: Duration? {
        limit.withLock { limit in
            guard let limit else { return nil }
            let rest = ContinuousClock.now.duration(to: limit)
            return rest > .zero ? rest : nil
        }
    }

    /// The lease was renewed for a time, by a request that began then.
    func renew(from beginning: ContinuousClock.Instant, for length: Duration) {
        // The clocks of the servers may run a little faster, and ending takes its time.
        limit.withLock { $0 = beginning.advanced(by: length - length / 5) }
    }

    /// The lease is over.
    func end() { limit.withLock { $0 = nil } }
}
