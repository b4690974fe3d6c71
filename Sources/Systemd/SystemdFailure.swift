import Glibc

/// A call into libsystemd that failed, with the error number it gave.
///
/// None of these means "not under systemd"; that is a plain result of each call.
package struct SystemdFailure: Error, Equatable, CustomStringConvertible {
    /// The attempt that failed, and what it was made with.
    package enum Operation: Sendable, Equatable {
        /// Sending to the service manager's socket (`sd_notify(3)`).
        case notify
        /// Reading `$WATCHDOG_USEC` and `$WATCHDOG_PID` (`sd_watchdog_enabled(3)`).
        case watchdog
        /// Taking the sockets that were passed (`sd_listen_fds_with_names(3)`).
        case listenSockets
        /// Using the passed socket of this name, which does not listen on an `AF_UNIX` stream.
        case listener(name: String)
        /// Asking the service manager for what a unit of this name would be started with
        /// (org.freedesktop.systemd1(5)).
        case unit(name: String)
    }

    /// The attempt that failed.
    package let operation: Operation

    /// The positive error number, as in `errno(3)`.
    package let errno: CInt

    /// Whether no start can succeed before somebody corrects the socket unit.
    package var isOfSocketUnit: Bool {
        if case .listener = operation { true } else { false }
    }

    /// One sentence: what failed, where, and what to do.
    package var description: String {
        let reason = String(cString: strerror(errno))
        return switch operation {
        case .notify:
            "cannot notify the service manager through $NOTIFY_SOCKET (\(reason)); "
                + "check NotifyAccess= and the socket's path"
        case .watchdog:
            "cannot read $WATCHDOG_USEC and $WATCHDOG_PID (\(reason)); "
                + "unset both or start the daemon through systemd"
        case .listenSockets:
            "cannot take the sockets of $LISTEN_FDS (\(reason)); "
                + "unset LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES or start the daemon by a socket unit"
        case .listener(let name):
            "the passed socket \"\(name)\" is not a listening AF_UNIX stream (\(reason)); "
                + "give its socket unit a ListenStream= path and Accept=no"
        case .unit(let name):
            "the service manager does not know \(name) (\(reason)); check that `systemctl cat "
                + "\(name)` finds it, and that `busctl tree org.freedesktop.systemd1` works "
                + "(on Debian the package dbus)"
        }
    }
}
