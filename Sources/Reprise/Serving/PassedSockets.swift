import ExactText
import Glibc
import Synchronization
import Systemd

/// Sockets that the service manager passed to this process.
///
/// Create this object before the process opens descriptors or starts threads. Later, a descriptor that the manager
/// announced but did not pass may belong to a file that the process has opened itself.
final class PassedSockets: Sendable {
    /// Name of the control socket in the socket unit.
    static let controlName = "varlink"

    /// Names of the other sockets, which the daemon does not use.
    let otherSocketNames: [String]
    /// Listening `AF_UNIX` stream sockets that have not been consumed yet: control sockets, and sockets with other
    /// names.
    private let listeners: Mutex<(control: [CInt], other: [CInt])>

    /// Reads `$LISTEN_FDS` and checks the descriptors (see sd_listen_fds(3)).
    ///
    /// - Throws: ``SystemdError`` if the environment is malformed, if it announces more descriptors than are
    ///   open, or if a control socket is not a listening `AF_UNIX` stream socket.
    init() throws(SystemdError) {
        var sockets = try ListenSockets()
        let controlListeners = try sockets.consumeListeners(named: Self.controlName)
        otherSocketNames = sockets.names
        listeners = Mutex((control: controlListeners, other: sockets.consumeListeners()))
    }

    /// Returns the sockets passed to this process, or an error that the daemon reports at startup.
    static func fromEnvironment() -> Result<PassedSockets, SystemdError> {
        Result { () throws(SystemdError) in try PassedSockets() }
    }

    /// Returns the control sockets, which this object still owns.
    ///
    /// - Throws: ``ControlSocketsError`` if the service manager passed only listening sockets with other names. Clients
    ///   of these sockets would wait forever, and the manager would start the daemon repeatedly.
    func controlListeners() throws(ControlSocketsError) -> [CInt] {
        let (controlListeners, hasOtherListeners) = listeners.withLock {
            ($0.control, !$0.other.isEmpty)
        }
        if controlListeners.isEmpty, hasOtherListeners {
            throw .noControlSocket(names: otherSocketNames)
        }
        return controlListeners
    }

    /// Returns the control sockets, which the caller must close.
    ///
    /// The array is empty if the sockets have already been consumed.
    func consumeControlListeners() -> [CInt] {
        listeners.withLock { listeners in
            defer { listeners.control = [] }
            return listeners.control
        }
    }

    /// Returns all listening sockets that have not been consumed yet, regardless of their names.
    ///
    /// The caller must close the sockets.
    func consumeAllListeners() -> [CInt] {
        listeners.withLock { listeners in
            defer { listeners = ([], []) }
            return listeners.control + listeners.other
        }
    }

    deinit {
        for listener in consumeAllListeners() { close(listener) }
    }
}

/// Reason why the sockets that the service manager passed cannot be used.
enum ControlSocketsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The service manager passed only listening sockets that are not named as control sockets.
    case noControlSocket(names: [String])

    /// Sentence that states what is wrong and what to do.
    var description: String {
        switch self {
        case .noControlSocket(let names):
            "the service manager passed \(names.joined(separator: ", ")), but none of them is named "
                + "\(PassedSockets.controlName): write FileDescriptorName=\(PassedSockets.controlName) into "
                + "the socket unit, then run 'systemctl daemon-reload' and restart the socket unit and the "
                + "service."
        }
    }
}
