/// Time for which a host has not renewed its lease, if it is longer than usual.
package struct LeaseAbsence: Sendable, Equatable, CustomStringConvertible {
    /// Time since the last renewal.
    let length: Duration
    /// Time until the lease ends.
    let remaining: Duration

    /// Evaluates the times of a lease. Returns `nil` if at least half of the lease's duration remains.
    ///
    /// A host renews its lease six times in its duration.
    ///
    /// - Parameters:
    ///   - granted: Duration of the lease.
    ///   - remaining: Time until the lease ends.
    package init?(granted: Duration, remaining: Duration) {
        guard remaining * 2 < granted else { return nil }
        (length, self.remaining) = (granted - remaining, remaining)
    }

    /// Phrase for operators.
    package var description: String {
        "not seen for \(length.components.seconds) s; its lease ends in \(remaining.components.seconds) s"
    }
}
