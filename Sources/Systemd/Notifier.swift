import CSystemd
import Glibc

/// Tells the service manager how the service is doing, over `$NOTIFY_SOCKET` (`sd_notify(3)`),
/// which is looked up each time.
package enum Notifier {
    /// Sends notifications that belong together in one datagram.
    ///
    /// - Returns: Whether there was a manager to send to; not being under one is not an error.
    /// - Throws: ``SystemdFailure`` with the error number when the socket cannot be reached.
    @discardableResult
    package static func send(_ notifications: [Notification]) throws(SystemdFailure) -> Bool {
        guard !notifications.isEmpty else { return false }
        let state = Notification.encode(
            notifications, monotonicMicroseconds: monotonicMicroseconds())
        let result = sd_notify(0, state)
        guard result >= 0 else { throw SystemdFailure(operation: .notify, errno: -result) }
        return result > 0
    }

    /// `CLOCK_MONOTONIC` in microseconds, the clock that a reload is matched by.
    private static func monotonicMicroseconds() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    }
}

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
