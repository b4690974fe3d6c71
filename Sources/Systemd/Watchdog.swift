import CSystemd

/// The watchdog that the service manager keeps over this process (`WatchdogSec=`).
package enum Watchdog {
    /// How long the manager waits for a ``Notification/watchdog`` before it ends the service.
    ///
    /// Send one at half this period, and only if the parts that do the work have answered. `nil`
    /// without a watchdog, or with one that is meant for another process (`$WATCHDOG_PID`).
    ///
    /// - Throws: ``SystemdFailure`` if the environment is malformed (`sd_watchdog_enabled(3)`).
    package static var period: Duration? {
        get throws(SystemdFailure) {
            var microseconds: UInt64 = 0
            let result = sd_watchdog_enabled(0, &microseconds)
            guard result >= 0 else { throw SystemdFailure(operation: .watchdog, errno: -result) }
            guard result > 0 else { return nil }
            return .microseconds(Int64(clamping: microseconds))
        }
    }
}
