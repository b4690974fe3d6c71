/// Reply to a call, as a server sends it. Source: varlink.org, "Method Reply".
public struct ReplyMessage: Sendable, Equatable {
    /// Result of a call.
    public enum Outcome: Sendable, Equatable {
        /// Parameters of the reply, as one JSON object in UTF-8.
        case parameters([UInt8])
        /// Error that the service returns instead of parameters.
        case error(VarlinkError)
    }

    /// Parameters or error in the reply.
    public let outcome: Outcome

    /// Whether further replies to the same call follow. Only a reply to a call with `more` may have this flag.
    public let continues: Bool

    /// Creates a reply.
    /// - Parameters:
    ///   - outcome: Result of the call.
    ///   - continues: Whether further replies to the same call follow.
    public init(_ outcome: Outcome, continues: Bool = false) {
        self.outcome = outcome
        self.continues = continues
    }

    /// Parses one message, without its terminating NUL.
    ///
    /// Unknown top-level keys are ignored, because a newer server may send them.
    /// - Throws: ``MessageError`` if the message is not a reply.
    public init(parsing message: [UInt8]) throws(MessageError) {
        var parameters = Call.noParameters
        var error: String?
        var continues = false
        try JSONReadingError.rethrowAsMessageError { () throws(JSONReadingError) in
            var reader = JSONReader(message)
            guard reader.peek() != nil else { throw .message(.empty) }
            try reader.enterContainer("{")
            var isFirst = true
            while try reader.hasNextMember(isFirst: isFirst) {
                isFirst = false
                reader.skipSpace()
                let key = try reader.readString()
                guard reader.consume(":") else { throw reader.malformedError }
                let firstByte = reader.peek()
                let valueOffset = reader.offset
                let valueRange = try reader.skipValue()
                switch (key, firstByte) {
                case ("parameters", UInt8(ascii: "{")): parameters = Array(message[valueRange])
                case ("error", UInt8(ascii: "\"")):
                    reader.offset = valueOffset
                    error = try reader.readString()
                case ("continues", UInt8(ascii: "t")): continues = true
                case ("continues", UInt8(ascii: "f")): continues = false
                case (_, UInt8(ascii: "n")): break
                case ("parameters", _), ("error", _), ("continues", _):
                    throw .message(.mistyped(key))
                default: break
                }
            }
            guard reader.isAtEnd() else { throw reader.malformedError }
        }
        outcome =
            error.map { .error(VarlinkError(name: $0, parameters: parameters)) }
            ?? .parameters(parameters)
        self.continues = continues
    }

    /// Encoded message, including its NUL.
    public var message: [UInt8] {
        var bytes: [UInt8] = []
        switch outcome {
        case .parameters(let parameters):
            bytes.reserveCapacity(parameters.count + 34)
            bytes.append(contentsOf: #"{"parameters":"#.utf8)
            bytes.append(contentsOf: parameters)
        case .error(let error):
            bytes.append(
                contentsOf: #"{"error":\#(JSONText.stringLiteral(error.name)),"parameters":"#.utf8)
            bytes.append(contentsOf: error.parameters)
        }
        if continues { bytes.append(contentsOf: #","continues":true"#.utf8) }
        bytes.append(contentsOf: [UInt8(ascii: "}"), 0])
        return bytes
    }
}
