/// Clock that measures the validity of a lease, and that continues while the machine is suspended.
package protocol HostClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: HostClock {}
