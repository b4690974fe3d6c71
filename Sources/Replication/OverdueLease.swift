/// Lease that has not been renewed for longer than usual.
package struct OverdueLease: Sendable, Equatable, CustomStringConvertible {
    /// Time since the last renewal.
    let timeSinceRenewal: Duration
    /// Time until the lease ends.
    let remaining: Duration

    /// Creates a value for a lease, or returns `nil` if at least half of the lease's duration remains.
    ///
    /// A host normally renews its lease six times within the lease's duration.
    ///
    /// - Parameters:
    ///   - granted: The duration of the lease.
    ///   - remaining: The time until the lease ends.
    package init?(granted: Duration, remaining: Duration) {
        guard remaining * 2 < granted else { return nil }
        (timeSinceRenewal, self.remaining) = (granted - remaining, remaining)
    }

    /// Phrase for operators that contains both times.
    package var description: String {
        "not seen for \(timeSinceRenewal.components.seconds) s; its lease ends in \(remaining.components.seconds) s"
    }
}
