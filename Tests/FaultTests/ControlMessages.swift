import FoundationEssentials
import Varlink

/// What a command that changes something answers.
struct SavedReply: Decodable, Sendable {
    /// `durable`, `written` or `no`.
    var saved: String
    /// Why not.
    var notSavedReason: String?

    /// Whether the change survives at least the end of the daemon.
    var isSaved: Bool { saved == "durable" || saved == "written" }
}

/// What `Status` answers, as far as the tests look at it.
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

/// What `Get` answers of a text field or a text view.
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

/// An error that the daemon answered.
struct ControlError: Error, CustomStringConvertible {
    /// Its name, without that of the interface.
    let name: String
    /// The whole reply.
    let reply: String

    var description: String { reply }
}

/// The parameters of the commands that are used here; what is nil is left out.
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

/// One call of the control interface, and what its reply means.
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

    /// The bytes of a call, without the NUL.
    static func call(_ method: String, _ parameters: ControlParameters) throws -> [UInt8] {
        try Array(
            JSONEncoder().encode(
                Call(method: "org.reprise.Control.\(method)", parameters: parameters)))
    }

    /// The parameters of a reply.
    ///
    /// - Throws: ``ControlError`` if it is a refusal; a `DecodingError` if it is of another shape.
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

    /// The parameters of a reply, as a generated type.
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
