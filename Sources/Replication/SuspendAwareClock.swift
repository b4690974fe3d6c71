/// Clock that determines whether a lease is valid. It continues to run while the machine is suspended.
package protocol SuspendAwareClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: SuspendAwareClock {}
