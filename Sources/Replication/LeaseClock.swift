/// Clock that measures the validity of a lease and continues to run while the machine is suspended.
package protocol LeaseClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: LeaseClock {}
