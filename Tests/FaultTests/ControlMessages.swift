import FoundationEssentials
import Varlink

/// Reply to a command that makes a change.
struct SavedReply: Decodable, Sendable {
    /// `durable`, `written` or `no`.
    var saved: String
    /// Reason why the change was not saved.
    var notSavedReason: String?

    /// Whether the change survives at least the exit of the daemon.
    var isSaved: Bool { saved == "durable" || saved == "written" }
}

/// Reply to `Status`, as far as the tests need it.
struct StatusReply: Decodable, Sendable {
    struct Scene: Decodable, Sendable {
        var name: String
        var phase: String
        var launchReason: String?
    }

    struct Application: Decodable, Sendable {
        var bundleIdentifier: String
        var phase: String
        var failure: String?
        var scenes: [Scene]
        var saved: String
        var notSavedReason: String?
        var lastError: String?
    }

    var applications: [Application]
}

/// Reply to `Get` for a text field or a text view.
struct TextReply: Decodable, Sendable {
    struct Range: Decodable, Sendable {
        var lowerBound: Int
        var upperBound: Int
    }

    struct Values: Decodable, Sendable {
        var text: String
        var selectedRange: Range?
    }

    var values: Values
}

/// An error with which the daemon replied.
struct ControlError: Error, CustomStringConvertible {
    /// Name of the error without the name of the interface.
    let name: String
    /// The complete reply.
    let reply: String

    var description: String { reply }
}

/// Parameters of the commands that the tests use. Parameters that are `nil` are omitted.
struct ControlParameters: Encodable, Sendable {
    struct Range: Encodable, Sendable {
        var lowerBound: Int
        var upperBound: Int
    }

    var application: String?
    var scene: String?
    var path: String?
    var text: String?
    var select: Range?
    var indexes: [Int]?
    var key: String?
    var name: String?
    var row: Int?
    var on: Bool?
    var from: Int?
    var to: Int?
    var x: Double?
    var y: Double?
    var scale: Double?
    var url: String?
    var all: Bool?
}

/// Calls and replies in the control interface.
enum ControlMessage {
    private struct Call: Encodable {
        var method: String
        var parameters: ControlParameters
    }

    private struct Refusal: Decodable {
        var error: String?
    }

    private struct Reply<Parameters: Decodable>: Decodable {
        var parameters: Parameters
    }

    /// Returns the bytes of a call, without the NUL.
    static func call(_ method: String, _ parameters: ControlParameters) throws -> [UInt8] {
        try Array(
            JSONEncoder().encode(
                Call(method: "org.reprise.Control.\(method)", parameters: parameters)))
    }

    /// Returns the parameters of a reply.
    ///
    /// - Throws: ``ControlError`` if the daemon refused the call, or a `DecodingError` if the reply has another shape.
    static func parameters<Parameters: Decodable>(
        _ type: Parameters.Type, of reply: String
    ) throws -> Parameters {
        let data = Data(reply.utf8)
        if let error = try JSONDecoder().decode(Refusal.self, from: data).error {
            let name = error.split(separator: ".").last.map(String.init) ?? error
            throw ControlError(name: name, reply: reply)
        }
        return try JSONDecoder().decode(Reply<Parameters>.self, from: data).parameters
    }

    /// Returns the parameters of a reply as a generated type.
    static func parameters<Parameters: JSONMessage>(
        _ type: Parameters.Type, of reply: String
    ) throws -> Parameters {
        switch try ReplyMessage(parsing: Array(reply.utf8)).outcome {
        case .parameters(let bytes): return try JSONText.read(type, from: bytes)
        case .error(let error):
            let name = error.name.split(separator: ".").last.map(String.init) ?? error.name
            throw ControlError(name: name, reply: reply)
        }
    }
}
