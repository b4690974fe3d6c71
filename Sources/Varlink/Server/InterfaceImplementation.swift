/// Interface together with the closures that implement its methods, for a definition that is known only at run time.
///
/// If the definition is known at build time, generate a dispatcher with `varlink-swift` instead.
public struct InterfaceImplementation: InterfaceDispatcher {
    /// Error for an invalid registration, which is a programming error.
    public enum RegistrationError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The interface does not define the method.
        case undefined(method: String)
        /// The method already has a function.
        case repeated(method: String)
        /// The service already has an interface with this name.
        case repeatedInterface(name: String)

        /// Sentence that names the method or the interface.
        public var description: String {
            switch self {
            case .undefined(let method):
                "The interface defines no method \"\(method)\"; add it to the definition or correct the name."
            case .repeated(let method):
                "The method \"\(method)\" is registered twice; remove one registration."
            case .repeatedInterface(let name):
                "The interface \"\(name)\" is implemented twice; every service already implements \(InterfaceDefinition.serviceName)."
            }
        }
    }

    /// Function that implements a method. Its parameters and its reply are JSON objects.
    typealias Body = @Sendable ([UInt8], CallContext) async throws -> [UInt8]

    /// Definition of the interface.
    public let definition: InterfaceDefinition

    private struct Method: Sendable {
        let body: Body
        var traits = MethodTraits()
    }

    /// Registered methods, keyed by their index in the definition.
    private var methods: [Int: Method] = [:]

    /// Creates an implementation without functions. If a method has no function, the service refuses its calls with
    /// `MethodNotImplemented`.
    public init(_ definition: InterfaceDefinition) {
        self.definition = definition
    }

    /// Registers the function that implements a method.
    ///
    /// The service first checks the parameters against the definition. It then calls the function on the event loop of
    /// the caller's connection. Calling an actor whose executor is this event loop needs no thread switch.
    ///
    /// If the function throws a ``VarlinkError``, the service replies with this error. The service logs any other
    /// error, at most once a minute for each method, and does not show it to the caller. Instead, the service replies
    /// with `InternalError (message: string)` if the interface declares this error, and otherwise with
    /// `io.systemd.System` and the errno EIO, as systemd's services do.
    /// - Parameters:
    ///   - method: The name of the method without the interface.
    ///   - isReadOnly: Whether the method is read-only, so that clients with read-only access may call it.
    ///   - isStreaming: Whether the method may reply several times. If it is called with `more`, the function receives
    ///     a ``CallContext/stream``, and its task is cancelled if the client disconnects or the server stops.
    ///   - queue: Names of the string parameters that identify the queue of a call, or `nil` if the method has no
    ///     queue; see ``MethodTraits/queue``.
    ///   - body: A function that receives the parameters and returns the reply, which is encoded as a JSON object.
    /// - Throws: An error if the definition does not declare the method, or if the method is already registered.
    public mutating func on<Parameters: Decodable & Sendable, Result: Encodable & Sendable>(
        _ method: String, isReadOnly: Bool = false, isStreaming: Bool = false,
        queue: [String]? = nil,
        _ body: @escaping @Sendable (Parameters, CallContext) async throws -> Result
    ) throws(RegistrationError) {
        let traits = MethodTraits(isReadOnly: isReadOnly, isStreaming: isStreaming, queue: queue)
        try on(json: method, traits) { bytes, context in
            let parameters = try Self.decode(Parameters.self, from: bytes)
            let result = try await body(parameters, context)
            await context.waitForReplyCapacity()
            return try JSONText.encode(result)
        }
    }

    /// Registers a function whose parameters and reply are JSON objects.
    mutating func on(
        json method: String, _ traits: MethodTraits = MethodTraits(), _ body: @escaping Body
    ) throws(RegistrationError) {
        guard let index = definition.methods.firstIndex(where: { $0.name == method }) else {
            throw .undefined(method: method)
        }
        guard methods.updateValue(Method(body: body, traits: traits), forKey: index) == nil else {
            throw .repeated(method: method)
        }
    }

    /// Returns the properties of a method, or `nil` if it has no function.
    public func traits(of method: Int) -> MethodTraits? { methods[method]?.traits }

    /// Handles a call and returns the parameters of the last reply.
    public func answer(_ request: MethodRequest) async throws -> [UInt8] {
        guard let method = methods[request.method] else { throw request.notImplemented }
        let fields = definition.methods[request.method].parameters
        if let name = definition.invalidParameterName(
            in: request.call.parameterMembers, for: fields)
        {
            throw VarlinkError.invalidParameter(name)
        }
        request.observeCall(request.call, request.context.peer)
        return try await method.body(request.parameters, request.context)
    }
}

/// Structure without fields, for methods that have no parameters or an empty reply.
public struct Empty: Codable, JSONMessage, Equatable {
    /// Creates the only value of this type.
    public init() {}

    private static let jsonNames = JSONNames()

    /// Reads an object without members.
    public static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
        var members = try reader.beginStructure(jsonNames)
        while try reader.nextMember(of: &members) != nil {}
        return Self()
    }

    /// Writes an object without members.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.endObject()
    }
}

extension InterfaceImplementation {
    /// Decodes parameters as the function's parameter type. The parameters already match the definition.
    /// - Throws: `InvalidParameter` with the name of the top-level parameter that does not match the type.
    static func decode<Parameters: Decodable>(
        _ type: Parameters.Type, from bytes: [UInt8]
    ) throws -> Parameters {
        do {
            return try JSONText.decode(type, from: bytes)
        } catch let error as DecodingError {
            let name = try error.parameterName ?? outOfRangeParameterName(type, in: bytes)
            throw VarlinkError.invalidParameter(name ?? "")
        }
    }

    /// Returns the name of the parameter that contains an out-of-range number. The decoder's error does not name this
    /// parameter.
    ///
    /// The method replaces the numbers in one parameter at a time with 0, until the decoder no longer throws this
    /// error.
    private static func outOfRangeParameterName<Parameters: Decodable>(
        _ type: Parameters.Type, in bytes: [UInt8]
    ) throws -> String? {
        var reader = JSONReader(bytes)
        guard case .object(let members) = try reader.readValue() else { return nil }
        for index in members.indices {
            let member = members[index]
            var modifiedMembers = members
            modifiedMembers[index] = JSONValue.Member(
                name: member.name, value: member.value.replacingNumbersWithZero)
            do {
                _ = try JSONText.decode(
                    type, from: Array(JSONText.text(.object(modifiedMembers)).utf8))
                return member.name
            } catch let error as DecodingError where error.parameterName != nil {
                return member.name
            } catch is DecodingError {
                continue
            }
        }
        return nil
    }
}

extension DecodingError {
    /// Name of the top-level parameter that could not be decoded, or `nil` if the error does not name it.
    fileprivate var parameterName: String? {
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
    /// Copy of the value in which every number is replaced with 0, which is in range for every numeric type.
    fileprivate var replacingNumbersWithZero: JSONValue {
        switch self {
        case .number: .number("0")
        case .array(let values): .array(values.map(\.replacingNumbersWithZero))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.replacingNumbersWithZero) })
        case .null, .bool, .string: self
        }
    }
}

/// Information about a call, except its parameters.
public struct CallContext: Sendable {
    /// Process that made the call.
    public let peer: Peer

    /// Access rights of the caller. A caller with read-only access must not change anything.
    public let access: Access

    /// Fully qualified name of the method.
    public let method: String

    /// Whether the caller expects no reply.
    public let oneway: Bool

    /// Stream for intermediate replies: all replies except the last.
    ///
    /// The stream is `nil` if the caller accepts only one reply, or if the method was not registered as streaming.
    public let stream: ReplyStream?

    /// Closure that waits until the reply may be encoded. The wait limits the memory that unsent replies use.
    var waitForReplyCapacity: @Sendable () async -> Void = {}

    /// Closure that returns whether the caller has closed the connection while waiting for the reply.
    ///
    /// The closure can be called on any thread. A function that waits before it changes anything should call the
    /// closure after the wait, and throw `CancellationError` if the closure returns `true`.
    public internal(set) var hasCallerDisconnected: @Sendable () -> Bool = { false }

    /// Creates a context for testing a function.
    /// - Parameters:
    ///   - peer: Process that makes the call.
    ///   - access: Access rights of the caller.
    ///   - method: The fully qualified name of the method.
    ///   - oneway: Whether the caller expects no reply.
    ///   - stream: Stream for intermediate replies, or `nil` if the caller accepts only one reply.
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

/// Stream for the intermediate replies to a call with `more`: all replies except the last.
///
/// The function's task is cancelled when the caller disconnects or the server stops.
public struct ReplyStream: Sendable {
    private let send: @Sendable ([[UInt8]]) async throws(CancellationError) -> Void
    private let onFollowedObjectChange: @Sendable (String) -> Void

    /// Creates a stream.
    /// - Parameters:
    ///   - onFollowedObjectChange: A closure that receives the argument of ``report(followed:)``.
    ///   - send: A closure that sends JSON objects as replies and returns when the caller is ready for more.
    public init(
        onFollowedObjectChange: @escaping @Sendable (String) -> Void = { _ in },
        send: @escaping @Sendable ([[UInt8]]) async throws(CancellationError) -> Void
    ) {
        self.send = send
        self.onFollowedObjectChange = onFollowedObjectChange
    }

    /// Records what the caller follows, for the list of connected clients.
    ///
    /// - Parameter followed: A phrase that describes what the caller follows.
    public func report(followed: String) { onFollowedObjectChange(followed) }

    /// Sends intermediate replies. Waits if the caller has too many unread replies.
    ///
    /// - Parameter replies: The replies, each of which is one JSON object in UTF-8.
    /// - Throws: `CancellationError` if the caller has disconnected, the server is stopping, or the function has
    ///   returned. Throws ``NotAnObject`` and sends nothing if a reply is not an object.
    public func reply(json replies: [[UInt8]]) async throws {
        guard replies.allSatisfy({ $0.first == UInt8(ascii: "{") }) else { throw NotAnObject() }
        try await send(replies)
    }

    /// Sends an intermediate reply. See ``reply(json:)``.
    ///
    /// - Parameter reply: A value that is encoded as a JSON object.
    public func reply(_ reply: some Encodable) async throws {
        try await self.reply(json: [try JSONText.encode(reply)])
    }
}

/// Error for a reply that is not a JSON object. Such a reply is a programming error.
public struct NotAnObject: Error, Equatable, CustomStringConvertible {
    /// Description of the error, without a full stop.
    public var description: String { "the reply is not a JSON object" }
}
