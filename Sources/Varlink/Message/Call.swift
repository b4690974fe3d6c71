/// Method call, as a client sends it. Source: varlink.org, "Method Call".
public struct Call: Sendable, Equatable {
    /// Fully qualified name of the method, for example `org.varlink.service.GetInfo`.
    public let method: String

    /// Parameters as one JSON object in UTF-8, or `{}` if the call has no parameters.
    public let parameters: [UInt8]

    /// Whether the client expects no reply, not even an error.
    public let oneway: Bool

    /// Whether the client accepts several replies.
    public let more: Bool

    /// Whether the client asks to switch to another protocol after the reply. No method in this package supports that.
    public let upgrade: Bool

    /// Maximum number of values in a call, including the values inside its parameters.
    static let maximumValues = 2048

    /// Empty JSON object, which replaces absent parameters.
    static let noParameters: [UInt8] = Array("{}".utf8)

    /// Parses one message, without its terminating NUL, as strictly as systemd's server does.
    ///
    /// White space is allowed, and the parameters may be absent or null. The parameters must be JSON, but are not
    /// checked against a definition.
    /// - Throws: ``MessageError`` if the message is not a call.
    public init(parsing message: [UInt8]) throws(MessageError) {
        var envelope = CallEnvelope()
        try JSONReadingError.rethrowAsMessageError { () throws(JSONReadingError) in
            var reader = JSONReader(
                message, refusesNUL: true, maximumValues: Self.maximumValues)
            try envelope.read(from: &reader)
        }
        guard let method = envelope.method else { throw .noMethod }
        self.method = method
        parameters = envelope.parametersRange.map { Array(message[$0]) } ?? Self.noParameters
        oneway = envelope.oneway
        more = envelope.more
        upgrade = envelope.upgrade
        if oneway, more { throw .onewayWithMore }
    }

    /// Members of the parameter object, with parsed values.
    var parameterMembers: [JSONValue.Member] {
        var reader = JSONReader(parameters)
        do throws(JSONReadingError) {
            if case .object(let members) = try reader.readValue() { return members }
        } catch {}
        // Unreachable: the initializer accepts only an object.
        return []
    }

    /// Returns the value of a parameter as JSON text without white space around it, or `nil` if the call does not
    /// contain the parameter.
    func value(of parameter: String) -> ArraySlice<UInt8>? {
        var reader = JSONReader(parameters)
        do throws(JSONReadingError) {
            return try reader.valueRange(of: parameter).map { parameters[$0] }
        } catch {
            // Unreachable: the initializer accepts only an object.
            return nil
        }
    }
}

/// Values of the top-level keys of a call.
private struct CallEnvelope {
    var method: String?
    var parametersRange: Range<Int>?
    var (oneway, more, upgrade) = (false, false, false)

    private static let keyNames = JSONNames("method", "parameters", "more", "oneway", "upgrade")

    mutating func read(from reader: inout JSONReader) throws(JSONReadingError) {
        guard let firstByte = reader.peek() else { throw .message(.empty) }
        guard firstByte == UInt8(ascii: "{") else {
            _ = try reader.skipValue()
            throw .message(.notObject)
        }
        var members = try reader.beginStructure(Self.keyNames)
        while try reader.hasNextMember(isFirst: members.isBeforeFirstMember) {
            members.isBeforeFirstMember = false
            let nameOffset = reader.offset
            let name = try reader.readMemberName()
            guard
                let key = try reader.index(
                    of: name, in: Self.keyNames, expecting: members.expectedIndex)
            else {
                let name = try reader.text(at: nameOffset)
                _ = try reader.skipValue()
                throw .message(.unknownKey(name))
            }
            guard members.insert(key) else { throw .message(.repeatedKey("\(Self.keyNames[key])")) }
            try readValue(of: key, from: &reader)
        }
        guard reader.isAtEnd() else { throw reader.malformedError }
    }

    private mutating func readValue(
        of key: Int, from reader: inout JSONReader
    ) throws(JSONReadingError) {
        let firstByte = reader.peek()
        if key == 0, firstByte == UInt8(ascii: "\"") {
            try reader.countValue()
            method = try reader.readString()
            return
        }
        let valueRange = try reader.skipValue()
        let isTrue = firstByte == UInt8(ascii: "t")
        switch (key, firstByte) {
        case (1, UInt8(ascii: "{")): parametersRange = valueRange
        case (1, UInt8(ascii: "n")): break
        case (2, UInt8(ascii: "t")), (2, UInt8(ascii: "f")): more = isTrue
        case (3, UInt8(ascii: "t")), (3, UInt8(ascii: "f")): oneway = isTrue
        case (4, UInt8(ascii: "t")), (4, UInt8(ascii: "f")): upgrade = isTrue
        default: throw .message(.mistyped("\(Self.keyNames[key])"))
        }
    }
}

extension JSONReadingError {
    /// Runs a closure that reads a message, and rethrows the closure's errors as ``MessageError``.
    static func rethrowAsMessageError(
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
