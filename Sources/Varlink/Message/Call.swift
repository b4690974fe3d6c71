/// Method call, as a client sends it. Source: varlink.org, "Method Call".
public struct Call: Sendable, Equatable {
    /// Fully qualified name of the method, for example `org.varlink.service.GetInfo`.
    public let method: String

    /// Parameters as one JSON object in UTF-8, `{}` if the call has none.
    public let parameters: [UInt8]

    /// Whether the client expects no reply, not even an error.
    public let oneway: Bool

    /// Whether the client accepts several replies.
    public let more: Bool

    /// Whether the client asks to switch to another protocol after the reply. No method of this package supports
    /// that.
    public let upgrade: Bool

    /// Maximum number of values in a call, including the values inside its parameters.
    static let maximumValues = 2048

    static let noParameters: [UInt8] = Array("{}".utf8)

    /// Parses one message without its NUL, as strictly as systemd's server does.
    ///
    /// White space is allowed, and the parameters may be absent or null. The parameters are checked to be JSON, but are
    /// not compared with a definition.
    /// - Throws: The reason why the message is not a call.
    public init(parsing message: [UInt8]) throws(MessageError) {
        var envelope = CallEnvelope()
        try JSONReadingError.asMessageError { () throws(JSONReadingError) in
            var reader = JSONReader(
                message, refusesNull: true, maximumValues: Self.maximumValues)
            try envelope.read(from: &reader)
        }
        guard let method = envelope.method else { throw .noMethod }
        self.method = method
        parameters = envelope.parameters.map { Array(message[$0]) } ?? Self.noParameters
        oneway = envelope.oneway
        more = envelope.more
        upgrade = envelope.upgrade
        if oneway, more { throw .onewayWithMore }
    }

    /// Members of the parameters, as trees.
    var members: [JSONValue.Member] {
        var reader = JSONReader(parameters)
        do throws(JSONReadingError) {
            if case .object(let members) = try reader.value() { return members }
        } catch {}
        return []  // The parameters are an object, which was checked when the message was parsed.
    }

    /// Returns the value of a parameter as JSON text without white space around it, or `nil` if the call does not
    /// contain the parameter.
    func value(of parameter: String) -> ArraySlice<UInt8>? {
        var reader = JSONReader(parameters)
        do throws(JSONReadingError) {
            return try reader.value(of: parameter).map { parameters[$0] }
        } catch {
            // Not reached: the parameters are an object.
            return nil
        }
    }
}

/// Top-level keys of a call.
private struct CallEnvelope {
    var method: String?
    var parameters: Range<Int>?
    var (oneway, more, upgrade) = (false, false, false)
    private var seen: [String] = []

    mutating func read(from reader: inout JSONReader) throws(JSONReadingError) {
        guard let first = reader.peek() else { throw .message(.empty) }
        guard first == UInt8(ascii: "{") else {
            _ = try reader.skipValue()
            throw .message(.notObject)
        }
        try reader.enter("{")
        while try reader.hasNextMember(isFirst: seen.isEmpty) {
            reader.skipSpace()
            let key = try reader.string()
            guard reader.take(":") else { throw reader.malformed }
            guard !seen.contains(key) else { throw .message(.repeatedKey(key)) }
            seen.append(key)
            try readValue(of: key, from: &reader)
        }
        guard reader.isAtEnd() else { throw reader.malformed }
    }

    private mutating func readValue(
        of key: String, from reader: inout JSONReader
    ) throws(JSONReadingError) {
        let first = reader.peek()
        switch (key, first) {
        case ("method", UInt8(ascii: "\"")):
            try reader.countValue()
            method = try reader.string()
            return
        default: break
        }
        let value = try reader.skipValue()
        switch (key, first) {
        case ("parameters", UInt8(ascii: "{")): parameters = value
        case ("parameters", UInt8(ascii: "n")): break
        case ("oneway", UInt8(ascii: "t")): oneway = true
        case ("more", UInt8(ascii: "t")): more = true
        case ("upgrade", UInt8(ascii: "t")): upgrade = true
        case ("oneway", UInt8(ascii: "f")), ("more", UInt8(ascii: "f")),
            ("upgrade", UInt8(ascii: "f")):
            break
        case ("method", _), ("parameters", _), ("oneway", _), ("more", _), ("upgrade", _):
            throw .message(.mistyped(key))
        default: throw .message(.unknownKey(key))
        }
    }
}

extension JSONReadingError {
    /// Runs a body that reads a message, and throws the reason why the bytes are not a message.
    static func asMessageError(
        _ body: () throws(JSONReadingError) -> Void
    ) throws(MessageError) {
        do throws(JSONReadingError) {
            try body()
        } catch {
            switch error {
            case .message(let error): throw error
            case .invalidParameter(let name): throw .mistyped(name)
            }
        }
    }
}
