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

    /// Maximum number of values in a call, including the values inside its parameters. Each value takes about a
    /// microsecond to parse.
    static let mostValues = 2048

    let members: [JSONValue.Member]

    /// Parses one message without its NUL, as strictly as systemd's server does.
    ///
    /// White space is allowed, and the parameters may be absent or null.
    /// - Throws: The reason why the message is not a call.
    public init(parsing message: [UInt8]) throws(MessageError) {
        var scanner = JSONScanner(message, refusesNull: true, mostValues: Self.mostValues)
        guard !scanner.isAtEnd() else { throw .empty }
        guard message[scanner.offset] == UInt8(ascii: "{") else {
            _ = try scanner.value()
            throw .notObject
        }
        var method: String?
        var parameters = Self.noParameters
        var members: [JSONValue.Member] = []
        var (oneway, more, upgrade) = (false, false, false)
        var seen: [String] = []
        try scanner.object { scanner, key throws(MessageError) in
            guard !seen.contains(key) else { throw .repeatedKey(key) }
            seen.append(key)
            scanner.skipSpace()
            let start = scanner.offset
            switch (key, try scanner.value(depth: 1)) {
            case ("method", .string(let name)): method = name
            case ("parameters", .object(let object)):
                members = object
                parameters = Array(message[start..<scanner.offset])
            case ("parameters", .null): break
            case ("oneway", .bool(let flag)): oneway = flag
            case ("more", .bool(let flag)): more = flag
            case ("upgrade", .bool(let flag)): upgrade = flag
            case ("method", _), ("parameters", _), ("oneway", _), ("more", _), ("upgrade", _):
                throw .mistyped(key)
            default: throw .unknownKey(key)
            }
        }
        guard scanner.isAtEnd() else { throw scanner.malformed }
        guard let method else { throw .noMethod }
        self.method = method
        self.parameters = parameters
        self.members = members
        self.oneway = oneway
        self.more = more
        self.upgrade = upgrade
        if oneway, more { throw .onewayWithMore }
    }

    /// Returns the value of a parameter, or `nil` if the call does not contain it.
    func value(of parameter: String) -> JSONValue? {
        members.first { $0.name.utf8.elementsEqual(parameter.utf8) }?.value
    }

    static let noParameters: [UInt8] = Array("{}".utf8)
}
