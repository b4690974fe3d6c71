import ExactText
import Glibc
import LinuxIO
import Logging
import Varlink
import VarlinkServing

/// Where a control socket is.
enum ControlAddress: Sendable, CustomStringConvertible {
    /// On sockets that were passed in.
    case inherited([CInt])
    /// On a socket of its own; who may call is asked of the kernel for each connection.
    case path(String, mode: UInt32)

    /// The name that the socket unit gives to the control socket.
    static let socketName = "varlink"

    /// The sockets that were passed in, else the first of the usual places, which is made ready.
    ///
    /// - Parameters:
    ///   - passed: The sockets that the service manager passed.
    ///   - socket: the path that the program states.
    ///   - folder: the name of the program's folders.
    init(
        _ passed: PassedSockets, socket: String?, configured: Configuration.Control,
        environment: [String: String], folder: String, _ logger: Logger
    ) throws {
        let descriptors = passed.takeListeners()
        if !descriptors.isEmpty {
            self = .inherited(descriptors)
            return
        }
        if !passed.otherNames.isEmpty {
            logger.warning(
                "sockets were passed in, but none is named \(Self.socketName): set FileDescriptorName=\(Self.socketName) in the socket unit",
                metadata: ["names": "\(passed.otherNames.joined(separator: ", "))"])
        }
        let path = try DaemonLocations.controlSocket(
            option: socket, configured: configured.socket, environment: environment,
            folder: folder)
        try VarlinkServer.prepare(path: path)
        self = .path(path, mode: configured.observers == nil ? 0o600 : 0o666)
    }

    /// The sockets that were passed in, in words; nil if there are none.
    var passed: String? {
        guard case .inherited(let descriptors) = self else { return nil }
        return descriptors.map { UnixAddress.path(of: $0) ?? "a socket without a path" }
            .joined(separator: ", ")
    }

    /// Where that is, in words.
    var description: String {
        switch self {
        case .inherited: "\(passed ?? ""), which the service manager passed"
        case .path(let path, _): path
        }
    }
}
