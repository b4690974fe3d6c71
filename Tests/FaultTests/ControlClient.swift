import DaemonHost
import Varlink

/// A connection to a daemon that makes one call at a time.
struct ControlClient: Sendable {
    private let socket: RawSocket

    /// Connects to the daemon.
    init(_ host: Host) throws {
        socket = try RawSocket(host.socket)
    }

    /// Types the string with the given number into a field.
    func type(_ number: Int, into field: Field) throws -> SavedReply {
        let caret = field.caret(number)
        return try call(
            "Type",
            ControlParameters(
                application: field.application, scene: field.scene, path: field.path,
                text: field.text(number), select: .init(lowerBound: caret, upperBound: caret)))
    }

    /// Returns the content of a field.
    func content(of field: Field) throws -> TextReply.Values {
        let reply: TextReply = try call(
            "Get",
            ControlParameters(
                application: field.application, scene: field.scene, path: field.path))
        return reply.values
    }

    /// Saves all objects of an application durably.
    func preserve(_ application: String = "org.reprise.ChildViews") throws -> SavedReply {
        try call("Preserve", ControlParameters(application: application))
    }

    /// Launches an application that failed.
    func launch(_ application: String = "org.reprise.ChildViews") throws {
        struct Launched: Decodable {}
        let _: Launched = try call("Launch", ControlParameters(application: application))
    }

    /// Returns the status of an application.
    func status(
        of application: String = "org.reprise.ChildViews"
    ) throws -> StatusReply.Application {
        let reply: StatusReply = try call("Status", ControlParameters())
        guard let found = reply.applications.first(where: { $0.bundleIdentifier == application })
        else { throw Violation("status does not tell of \(application)") }
        return found
    }

    /// Makes a call and returns the parameters of its reply.
    ///
    /// - Throws: ``DaemonEnded`` if the daemon does not reply, or ``ControlError`` if it refuses the call.
    func call<Reply: Decodable>(
        _ method: String, _ parameters: ControlParameters = ControlParameters()
    ) throws -> Reply {
        try socket.send(try ControlMessage.call(method, parameters))
        guard let reply = try socket.receive() else { throw DaemonEnded() }
        return try ControlMessage.parameters(Reply.self, of: reply)
    }

    /// Makes a call and returns its reply as a generated type.
    ///
    /// - Throws: ``DaemonEnded`` if the daemon does not reply, or ``ControlError`` if it refuses the call.
    func call<Reply: JSONMessage>(
        _ method: String, _ parameters: ControlParameters = ControlParameters()
    ) throws -> Reply {
        try socket.send(try ControlMessage.call(method, parameters))
        guard let reply = try socket.receive() else { throw DaemonEnded() }
        return try ControlMessage.parameters(Reply.self, of: reply)
    }
}

/// Error for a daemon that exited before it replied.
struct DaemonEnded: Error {}
