import Dispatch
import ExactText
import RepriseControl
package import Varlink

/// Outcome of a call to the daemon, as reported to a page.
package enum CallOutcome: Sendable {
    /// The daemon replied with this JSON object.
    case reply([UInt8])
    /// The daemon refused the call and would refuse it again.
    case refused(Refusal)
    /// The daemon may not have performed the call, so the page repeats it.
    case unavailable(String)

    /// Refusal of a call, as the page receives it.
    package struct Refusal: Encodable, Sendable {
        /// Name of the error, without the name of its interface.
        package var error: String
        /// Sentence for the user.
        package var message: String
        /// Current text, or `nil` unless the call was refused because the text had changed.
        package var text: String?
    }
}

/// Operation that a page performs on a scene.
package enum SceneOperation {
    /// Makes the call that a page requests.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - json: The parameters of the call. They must contain `operation`, so that the daemon performs a repeated call
    ///     only once.
    ///   - sockets: The sockets of the daemons.
    /// - Returns: The outcome, or `nil` if the method is not an operation or the parameters are not valid.
    package static func perform(
        _ method: String, _ json: [UInt8], sockets: DaemonSockets
    ) async -> CallOutcome? {
        guard let call = decode(method, json) else { return nil }
        return await make(call, sockets)
    }

    private static let calls: [any OperationCall.Type] = [
        ReplaceTextCall.self, TypeCall.self, TapCall.self, SelectCall.self, EditCall.self,
        MoveCall.self, DeleteCall.self, UndoDeleteCall.self, ScrollCall.self, ZoomCall.self,
        LoadCall.self, BackCall.self, ForwardCall.self, DismissCall.self,
    ]

    private static func decode(_ method: String, _ json: [UInt8]) -> (any OperationCall)? {
        guard let type = calls.first(where: { $0.method == method }) else { return nil }
        do {
            let call = try type.init(json: json)
            return call.operation == nil ? nil : call
        } catch {
            return nil
        }
    }

    private static func make<Call: OperationCall>(
        _ call: Call, _ sockets: DaemonSockets
    ) async -> CallOutcome {
        do {
            let reply = try await sockets.withOwner(of: call.application) { connection, _ in
                try await connection.call(call)
            }
            return .reply(try JSONText.write(reply))
        } catch let failure as CallFailure<Call.Refusal> {
            return CallOutcome(failure)
        } catch {
            return .unavailable("\(error)")
        }
    }
}

extension OperationCall {
    fileprivate init(json: [UInt8]) throws { self = try JSONText.read(Self.self, from: json) }
}

extension CallOutcome {
    /// Creates the outcome of a failed call.
    package init(_ failure: CallFailure<some InterfaceError & Equatable>) {
        switch failure {
        case .refused(let error as ControlError):
            self = error.isTemporary ? .unavailable("\(error)") : .refused(Refusal(error))
        case .refused(let error): self = .refused(Refusal(error: "", message: "\(error)"))
        case .error(let error): self = .refused(Refusal(error: error.name, message: "\(error)"))
        case .connection(.badParameters):
            self = .refused(Refusal(error: "BadParameters", message: "\(failure)"))
        case .connection, .cancelled: self = .unavailable("\(failure)")
        case .unreadable:
            self = .refused(Refusal(error: "Unreadable", message: "\(failure)"))
        }
    }
}

extension CallOutcome.Refusal {
    fileprivate init(_ error: ControlError) {
        let name = error.varlinkError.name
        self.init(error: String(name.split(separator: ".").last ?? ""), message: "\(error)")
        if case .textChanged(_, let text) = error { self.text = text }
    }

    /// Creates the refusal to send to a page after its stream has failed, or returns `nil` if the page is to reconnect
    /// without showing a reason.
    init?(streamFailure failure: CallFailure<ControlError>) {
        switch (CallOutcome(failure), failure) {
        case (.refused(let refusal), _): self = refusal
        case (_, .refused(let error)) where error.isApplicationStopped: self.init(error)
        default: return nil
        }
    }
}

extension ControlError {
    /// Whether the same call can succeed later.
    fileprivate var isTemporary: Bool {
        switch self {
        case .daemonEnding, .startFailed, .tooManyCommands, .tooManyConnections: true
        default: isApplicationStopped
        }
    }

    /// Whether the application is not running on any host to which the server can connect.
    fileprivate var isApplicationStopped: Bool {
        switch self {
        case .applicationNotRunning, .ownedElsewhere: true
        default: false
        }
    }
}

extension VarlinkConnection {
    /// Connects to the daemon without blocking a thread that other tasks need.
    package static func connect(_ socket: String) async throws -> VarlinkConnection {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try VarlinkConnection(path: socket, timeout: .seconds(10))
                    })
            }
        }
    }
}
