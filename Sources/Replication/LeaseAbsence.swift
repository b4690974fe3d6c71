/// Time for which a host has not renewed its lease, if that is longer than usual.
package struct LeaseAbsence: Sendable, Equatable, CustomStringConvertible {
    /// Time since the last renewal.
    let length: Duration
    /// Time until the lease ends.
    let remaining: Duration

    /// Evaluates the times of a lease.
    ///
    /// A host renews its lease six times in its duration. The result is `nil` if at least half of the duration remains.
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
