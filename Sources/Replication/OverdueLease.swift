/// Lease that has not been renewed for longer than usual.
package struct OverdueLease: Sendable, Equatable, CustomStringConvertible {
    /// Time since the last renewal.
    let timeSinceRenewal: Duration
    /// Time until the lease ends.
    let remainingTime: Duration

    /// Creates a value for a lease, or returns `nil` if at least half of the lease's duration remains.
    ///
    /// A host normally renews its lease six times within the lease's duration.
    ///
    /// - Parameters:
    ///   - grantedDuration: The duration of the lease.
    ///   - remainingTime: The time until the lease ends.
    package init?(grantedDuration: Duration, remainingTime: Duration) {
        guard remainingTime * 2 < grantedDuration else { return nil }
        (timeSinceRenewal, self.remainingTime) = (grantedDuration - remainingTime, remainingTime)
    }

    /// Phrase that states both times to operators.
    package var description: String {
        "not seen for \(timeSinceRenewal.components.seconds) s; its lease ends in \(remainingTime.components.seconds) s"
    }
}
