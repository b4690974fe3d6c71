import CSystemd
import Glibc

/// Connection to the service manager over `$NOTIFY_SOCKET` (see `sd_notify(3)`).
///
/// Each message is sent to the socket that the variable names at that time.
package enum ServiceManagerConnection {
    /// Sends the notifications together in one datagram.
    ///
    /// - Returns: `false` if there is no service manager, which is not an error.
    /// - Throws: ``SystemdError`` if the socket cannot be reached.
    @discardableResult
    package static func send(_ notifications: [ServiceNotification]) throws(SystemdError) -> Bool {
        guard !notifications.isEmpty else { return false }
        let state = ServiceNotification.encode(
            notifications, monotonicMicroseconds: monotonicMicroseconds())
        let result = sd_notify(0, state)
        guard result >= 0 else { throw SystemdError(operation: .notify, errno: -result) }
        return result > 0
    }

    /// Returns the `CLOCK_MONOTONIC` time in microseconds.
    ///
    /// The service manager identifies a reload by this time.
    private static func monotonicMicroseconds() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    }
}

/// The service manager's watchdog for this process (`WatchdogSec=`).
package enum Watchdog {
    /// Timeout after which the manager terminates the service if it does not receive a
    /// ``ServiceNotification/watchdog``.
    ///
    /// Send a notification whenever half of this time has passed, but only if the essential parts of the service have
    /// responded. The value is `nil` if there is no watchdog, or if the watchdog monitors another process
    /// (`$WATCHDOG_PID`).
    ///
    /// - Throws: ``SystemdError`` if the environment is malformed (`sd_watchdog_enabled(3)`).
    package static var timeout: Duration? {
        get throws(SystemdError) {
            var microseconds: UInt64 = 0
            let result = sd_watchdog_enabled(0, &microseconds)
            guard result >= 0 else { throw SystemdError(operation: .readWatchdog, errno: -result) }
            guard result > 0 else { return nil }
            return .microseconds(Int64(clamping: microseconds))
        }
    }
}
