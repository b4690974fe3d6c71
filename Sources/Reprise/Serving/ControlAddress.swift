import ExactText
import Glibc
import LinuxIO
import Logging
import Varlink
import VarlinkServing

/// Sockets on which a daemon offers its control interface.
struct ControlSockets: Sendable, CustomStringConvertible {
    /// Control sockets that the service manager passed.
    ///
    /// If it passed none, the daemon creates a socket.
    let inheritedSockets: PassedSockets
    /// Paths of the sockets, except inherited sockets that have no path.
    let paths: [String]
    /// Permissions of a socket file that the daemon creates.
    ///
    /// The permissions need not protect the methods, because the kernel identifies each peer, and the daemon decides
    /// per connection which methods the peer may call.
    let mode: UInt32

    /// Description of the control sockets that the service manager passed, or `nil` if it passed none.
    let passedSocketsDescription: String?

    /// Creates an address from the sockets that the service manager passed, or prepares a path for a new socket.
    ///
    /// - Parameters:
    ///   - passedSockets: The sockets that the service manager passed.
    ///   - socket: The path that the program specifies, or `nil` if it specifies none.
    ///   - directoryName: The name of the program's directories.
    /// - Throws: ``ControlSocketsError`` if none of the passed sockets is a control socket, ``LocationError`` if
    ///   there is no path, or `ListenError` if the path cannot be used.
    init(
        _ passedSockets: PassedSockets, socket: String?, settings: Configuration.Control,
        environment: [String: String], directoryName: String, _ logger: Logger
    ) throws {
        let hasObservers = settings.observerGroup != nil
        inheritedSockets = passedSockets
        let listeners = try passedSockets.controlListeners()
        if !listeners.isEmpty {
            self.passedSocketsDescription = listeners.map {
                UnixAddress.path(of: $0) ?? "a socket without a path"
            }
            .joined(separator: ", ")
            paths = listeners.compactMap(UnixAddress.path)
            mode = hasObservers ? 0o666 : 0o660
            return
        }
        self.passedSocketsDescription = nil
        if !passedSockets.otherSocketNames.isEmpty {
            logger.warning(
                "The sockets \(passedSockets.otherSocketNames.joined(separator: ", ")), which the service manager passed, are not used: a control socket has FileDescriptorName=\(PassedSockets.controlName) in its socket unit"
            )
        }
        let path = try DaemonLocations.controlSocket(
            option: socket, configuredPath: settings.socketPath, environment: environment,
            directoryName: directoryName)
        try VarlinkServer.prepare(path: path)
        paths = [path]
        mode = hasObservers ? 0o666 : 0o600
    }

    /// Description of the sockets, for use in messages.
    var description: String {
        passedSocketsDescription.map { "\($0), which the service manager passed" }
            ?? paths.joined(separator: ", ")
    }
}
