import Glibc

/// Error from a failed call to libsystemd.
///
/// This error never means that the process does not run under systemd. Each call reports that case in its result.
package struct SystemdError: Error, Equatable, CustomStringConvertible {
    /// Operation that can fail, with its argument.
    package enum Operation: Sendable, Equatable {
        /// Sending a notification to the service manager (`sd_notify(3)`).
        case notify
        /// Reading `$WATCHDOG_USEC` and `$WATCHDOG_PID` (`sd_watchdog_enabled(3)`).
        case readWatchdog
        /// Adopting the passed sockets (`sd_listen_fds_with_names(3)`).
        case adoptSockets
        /// Using the passed socket with this name. It is not a listening `AF_UNIX` stream socket.
        case useListener(name: String)
        /// Reading the properties of the unit with this name from the service manager (org.freedesktop.systemd1(5)).
        case readUnit(name: String)
    }

    /// Operation that failed.
    package let operation: Operation

    /// Error number, which is positive (see `errno(3)`).
    package let errno: CInt

    /// Whether the cause is a mistake in the socket unit. An operator must correct the mistake before the daemon can
    /// start.
    package var isSocketUnitError: Bool {
        if case .useListener = operation { true } else { false }
    }

    /// Sentence that states which operation failed on which object, why, and what to do.
    package var description: String {
        let reason = String(cString: strerror(errno))
        return switch operation {
        case .notify:
            "cannot notify the service manager through $NOTIFY_SOCKET (\(reason)); "
                + "check NotifyAccess= and the socket's path"
        case .readWatchdog:
            "cannot read $WATCHDOG_USEC and $WATCHDOG_PID (\(reason)); "
                + "unset both or start the daemon through systemd"
        case .adoptSockets:
            "cannot use the sockets in $LISTEN_FDS (\(reason)); "
                + "unset LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES or start the daemon through a socket unit"
        case .useListener(let name):
            "the passed socket \"\(name)\" is not a listening AF_UNIX stream (\(reason)); "
                + "give its socket unit a ListenStream= path and Accept=no"
        case .readUnit(let name):
            "the service manager does not know \(name) (\(reason)); check that `systemctl cat "
                + "\(name)` finds it, and that `busctl tree org.freedesktop.systemd1` works "
                + "(on Debian the package dbus)"
        }
    }
}
