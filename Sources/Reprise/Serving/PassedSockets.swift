import Glibc
import Synchronization
import Systemd

/// Sockets that the service manager passed to this process.
///
/// Create this object before the process opens descriptors and starts threads. Later, a descriptor that the manager
/// announced but did not pass may be a descriptor that the process opened itself.
final class PassedSockets: Sendable {
    /// Listening `AF_UNIX` stream sockets that no caller has taken yet.
    private struct Listeners {
        /// Sockets that have the name of a control socket.
        var control: [CInt]
        /// Sockets that have other names.
        var other: [CInt]
    }

    /// Names of the other sockets, which the daemon does not use.
    let otherNames: [String]
    private let listeners: Mutex<Listeners>

    /// Reads `$LISTEN_FDS` and checks the descriptors; see sd_listen_fds(3).
    ///
    /// - Throws: ``SystemdFailure`` if the environment is malformed, if it announces more descriptors than are
    ///   open, or if a control socket is not a listening `AF_UNIX` stream socket.
    init() throws(SystemdFailure) {
        var sockets = try ListenSockets()
        let control = try sockets.takeListeners(named: ControlAddress.socketName)
        otherNames = sockets.names
        listeners = Mutex(Listeners(control: control, other: sockets.takeListeners()))
    }

    /// Returns the sockets of this process, or the error, which a daemon reports when it starts.
    static func found() -> Result<PassedSockets, SystemdFailure> {
        Result { () throws(SystemdFailure) in try PassedSockets() }
    }

    /// Returns the control sockets, which this object still owns.
    ///
    /// - Throws: ``ControlAddressError`` if the service manager passed only listening sockets with other names.
    ///   Clients that connect to them would wait forever, and the manager would repeatedly start the daemon.
    func controlListeners() throws(ControlAddressError) -> [CInt] {
        let (control, hasOther) = listeners.withLock { ($0.control, !$0.other.isEmpty) }
        if control.isEmpty, hasOther { throw .noControlSocket(names: otherNames) }
        return control
    }

    /// Returns the control sockets, which the caller has to close. The array is empty if they were returned before.
    func takeControlListeners() -> [CInt] {
        listeners.withLock { listeners in
            defer { listeners.control = [] }
            return listeners.control
        }
    }

    /// Returns every listening socket that was not returned before, whatever its name. The caller has to close
    /// them.
    func takeAllListeners() -> [CInt] {
        listeners.withLock { listeners in
            defer { listeners = Listeners(control: [], other: []) }
            return listeners.control + listeners.other
        }
    }

    deinit {
        for listener in takeAllListeners() { close(listener) }
    }
}
