/// An interface with the functions that carry its methods out.
public struct InterfaceImplementation: Sendable {
    /// A registration that does not fit the definition: a mistake in the program.
    public enum RegistrationError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The interface defines no such method.
        case undefined(method: String)
        /// The method has a function already.
        case repeated(method: String)
        /// The service has an interface of that name already.
        case repeatedInterface(name: String)

        /// One sentence that names the method or the interface.
        public var description: String {
            switch self {
            case .undefined(let method):
                "The interface defines no method \"\(method)\"; add it to the definition or correct the name."
            case .repeated(let method):
                "The method \"\(method)\" is registered twice; remove one registration."
            case .repeatedInterface(let name):
                "The interface \"\(name)\" is given twice; every service has \(InterfaceDefinition.serviceName) already."
            }
        }
    }

    /// Carries out one call: parameters and reply are JSON objects.
    typealias Body = @Sendable ([UInt8], CallContext) async throws -> [UInt8]

    /// The interface.
    public let definition: InterfaceDefinition

    private(set) var bodies: [String: Body] = [:]
    /// The methods that only look.
    private(set) var looking: Set<String> = []
    /// The methods that may have several replies.
    private(set) var streaming: Set<String> = []

    /// An interface none of whose methods is carried out yet; calls of them are answered
    /// `MethodNotImplemented`.
    public init(_ definition: InterfaceDefinition) {
        self.definition = definition
    }

    /// Registers the function that carries a method out.
    ///
    /// The function is called after the parameters were checked against the definition, on the
    /// event loop of the caller's connection: an actor that has this event loop as its executor is
    /// reached without a change of thread. A ``VarlinkError`` that it throws is the reply. Any
    /// other error is logged, once a minute for each method, and never sent: the reply is
    /// `InternalError (message: string)` if the interface declares that, else `io.systemd.System`
    /// with the errno EIO, as systemd's services answer.
    /// - Parameters:
    ///   - method: The method's name without the interface.
    ///   - isLooking: Whether it changes nothing, so that those may call it who may only look.
    ///   - isStreaming: Whether it may have several replies: called with `more` it has a
    ///     ``CallContext/stream``, and is cancelled when nobody takes them.
    ///   - body: Takes the parameters and returns the reply, which must be encoded as a JSON
    ///     object.
    /// - Throws: If the definition lacks the method, or it is registered already.
    public mutating func on<Parameters: Decodable & Sendable, Result: Encodable & Sendable>(
        _ method: String, isLooking: Bool = false, isStreaming: Bool = false,
        _ body: @escaping @Sendable (Parameters, CallContext) async throws -> Result
    ) throws(RegistrationError) {
        if isStreaming { streaming.insert(method) }
        try on(json: method, isLooking: isLooking) { bytes, context in
            let parameters = try Self.decode(Parameters.self, from: bytes)
            let result = try await body(parameters, context)
            await context.roomForReply()
            return try JSONText.encode(result)
        }
    }

    /// Registers a function that takes and gives JSON objects.
    mutating func on(
        json method: String, isLooking: Bool = false, _ body: @escaping Body
    ) throws(RegistrationError) {
        guard definition.method(named: method) != nil else { throw .undefined(method: method) }
        guard bodies.updateValue(body, forKey: method) == nil else {
            throw .repeated(method: method)
        }
        if isLooking { looking.insert(method) }
    }
}

/// No parameters, or an empty reply.
public struct Empty: Codable, Sendable, Equatable {
    /// The only value.
    public init() {}
}

extension InterfaceImplementation {
    /// Parameters that passed the checks against the definition, as the handler's type.
    /// - Throws: `InvalidParameter` naming the parameter at the top that does not fit the type.
    static func decode<Parameters: Decodable>(
        _ type: Parameters.Type, from bytes: [UInt8]
    ) throws -> Parameters {
        do {
            return try JSONText.decode(type, from: bytes)
        } catch let error as DecodingError {
            let name = try error.parameter ?? misfit(type, in: bytes)
            throw VarlinkError.invalidParameter(name ?? "")
        }
    }

    /// The parameter whose number does not fit: the decoder does not say, so it is the one with
    /// whose numbers replaced it finds no such fault.
    private static func misfit<Parameters: Decodable>(
        _ type: Parameters.Type, in bytes: [UInt8]
    ) throws -> String? {
        var scanner = JSONScanner(bytes)
        guard case .object(let members) = try scanner.value() else { return nil }
        for index in members.indices {
            let member = members[index]
            var others = members
            others[index] = JSONValue.Member(
                name: member.name, value: member.value.withSmallNumbers)
            do {
                _ = try JSONText.decode(
                    type, from: Array(JSONText.text(.object(others)).utf8))
                return member.name
            } catch let error as DecodingError where error.parameter != nil {
                return member.name
            } catch is DecodingError {
                continue
            }
        }
        return nil
    }
}

extension DecodingError {
    /// The name of the parameter at the top that could not be decoded, if the error tells it.
    fileprivate var parameter: String? {
        switch self {
        case .keyNotFound(let key, let context):
            context.codingPath.first?.stringValue ?? key.stringValue
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.first?.stringValue
        @unknown default: nil
        }
    }
}

extension JSONValue {
    /// The value with 0 in the place of each number, which fits every type.
    fileprivate var withSmallNumbers: JSONValue {
        switch self {
        case .number: .number("0")
        case .array(let values): .array(values.map(\.withSmallNumbers))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.withSmallNumbers) })
        case .null, .bool, .string: self
        }
    }
}

/// What a handler knows of a call beside its parameters.
public struct CallContext: Sendable {
    /// Who calls.
    public let peer: Peer

    /// What it may call: nothing is to change for one that may only look.
    public let access: Access

    /// The fully qualified method.
    public let method: String

    /// Whether the caller waits for no reply.
    public let oneway: Bool

    /// Takes the replies before the last one, which the function returns; nil: the caller takes one
    /// reply alone, or the method was not registered to have several.
    public let stream: ReplyStream?

    /// Returns when the reply may be made, which takes memory until it has left.
    var roomForReply: @Sendable () async -> Void = {}

    /// Tells on any thread whether the caller waits for the reply and has closed the connection. A function that waits
    /// before it changes something asks then, and throws `CancellationError` instead.
    public internal(set) var hasCallerGone: @Sendable () -> Bool = { false }

    /// A context as a test of a function makes it.
    /// - Parameters:
    ///   - peer: Who calls.
    ///   - access: What it may call.
    ///   - method: The fully qualified method.
    ///   - oneway: Whether the caller waits for no reply.
    ///   - stream: Takes the replies before the last one; nil: the caller takes one alone.
    public init(
        peer: Peer, access: Access = .all, method: String, oneway: Bool = false,
        stream: ReplyStream? = nil
    ) {
        self.peer = peer
        self.access = access
        self.method = method
        self.oneway = oneway
        self.stream = stream
    }
}

/// The replies to a call that asked for `more`, but for the last one.
///
/// The task of the function is cancelled when the caller is gone or the server stops.
public struct ReplyStream: Sendable {
    private let send: @Sendable ([[UInt8]]) async throws(CancellationError) -> Void
    private let noteFollowed: @Sendable (String) -> Void

    /// - Parameters:
    ///   - noteFollowed: takes what ``note(followed:)`` tells.
    ///   - send: sends JSON objects as replies, and returns when the caller reads.
    public init(
        noteFollowed: @escaping @Sendable (String) -> Void = { _ in },
        send: @escaping @Sendable ([[UInt8]]) async throws(CancellationError) -> Void
    ) {
        self.send = send
        self.noteFollowed = noteFollowed
    }

    /// Tells what the caller follows, for those who ask who is connected.
    ///
    /// - Parameter followed: a clause.
    public func note(followed: String) { noteFollowed(followed) }

    /// Sends replies after which others follow. Returns when the caller has not too much to read.
    ///
    /// - Parameter replies: each one JSON object in UTF-8.
    /// - Throws: `CancellationError` if the caller is gone, the server stops, or the function has
    ///   returned; ``NotAnObject`` if a reply is none, and nothing is sent then.
    public func reply(json replies: [[UInt8]]) async throws {
        guard replies.allSatisfy({ $0.first == UInt8(ascii: "{") }) else { throw NotAnObject() }
        try await send(replies)
    }

    /// Sends a reply after which others follow, see ``reply(json:)``.
    ///
    /// - Parameter reply: is encoded as a JSON object.
    public func reply(_ reply: some Encodable) async throws {
        try await self.reply(json: [try JSONText.encode(reply)])
    }
}

/// A reply is not a JSON object: a mistake in the program.
public struct NotAnObject: Error, Equatable, CustomStringConvertible {
    /// One clause.
    public var description: String { "the reply is not a JSON object" }
}
