import Glibc
import Synchronization
import Systemd

/// Control sockets that the service manager passed to this process.
///
/// Create it before the process opens descriptors and starts threads. Later, a descriptor that the manager announced
/// but did not pass may be one that the process opened for itself.
final class PassedSockets: Sendable {
    /// Names of the other sockets, which are closed.
    let otherNames: [String]
    private let listeners: Mutex<[CInt]>

    /// Reads `$LISTEN_FDS`, and checks the descriptors; see sd_listen_fds(3).
    ///
    /// - Throws: ``SystemdFailure`` if the environment is malformed, if it announces more descriptors than are open,
    ///   or if a control socket is not a listening `AF_UNIX` stream.
    init() throws(SystemdFailure) {
        var sockets = try ListenSockets()
        listeners = Mutex(try sockets.takeListeners(named: ControlAddress.socketName))
        otherNames = sockets.names
    }

    /// Sockets of this process, or the error, for a daemon that reports it when it starts.
    static func found() -> Result<PassedSockets, SystemdFailure> {
        Result { () throws(SystemdFailure) in try PassedSockets() }
    }

    /// Returns the listening sockets, which the caller closes, or nothing if they were returned before.
    func takeListeners() -> [CInt] {
        listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
    }

    deinit {
        for listener in takeListeners() { close(listener) }
    }
}
