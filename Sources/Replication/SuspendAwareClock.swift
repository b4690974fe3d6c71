/// Clock for the validity of a lease, which continues to run while the machine is suspended.
package protocol SuspendAwareClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: SuspendAwareClock {}
