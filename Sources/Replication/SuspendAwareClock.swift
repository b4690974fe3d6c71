/// Clock that measures the validity of a lease and continues to run while the machine is suspended.
package protocol SuspendAwareClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: SuspendAwareClock {}
