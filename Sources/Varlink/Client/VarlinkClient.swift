/// Synchronous connection to a Varlink service. Every call blocks the calling thread until the reply arrives.
///
/// After a ``ClientError``, the connection can no longer be used: create a new client. After a ``VarlinkError``, the
/// connection remains usable.
public final class VarlinkClient {
    /// Path of the socket.
    public let path: String

    /// Timeout for connecting, and for each call.
    public let timeout: Duration

    /// Maximum size of a reply, in bytes.
    public static let maximumReplyBytes = 256 << 20

    private let socket: ClientSocket
    private var frames = MessageFrames(limit: maximumReplyBytes)

    /// Connects to a service.
    /// - Parameters:
    ///   - path: The path of the service's socket, at most 107 bytes.
    ///   - timeout: Timeout for connecting, and then for each call.
    public init(path: String, timeout: Duration = .seconds(30)) throws(ClientError) {
        self.path = path
        self.timeout = timeout
        socket = try ClientSocket(path: path, deadline: .now + timeout, timeout: timeout)
    }

    /// Creates a client that uses an existing connection.
    /// - Parameters:
    ///   - descriptor: A stream socket, which the client closes when it is destroyed.
    ///   - name: The name that identifies the service in error messages.
    ///   - timeout: Timeout for each call.
    public init(connected descriptor: CInt, to name: String, timeout: Duration) {
        path = name
        self.timeout = timeout
        socket = ClientSocket(connected: descriptor)
    }

    /// Whether the connection can no longer be used, because the service has closed it or has sent an unexpected
    /// message.
    public var isClosed: Bool { socket.isReadable }

    /// Shuts down the connection. If a call is waiting on another thread, that call throws ``ClientError``. This is the
    /// only method that may be called while another call is in progress.
    public func disconnect() { socket.shutDown() }

    /// Calls a method and returns the reply's parameters as one JSON object in UTF-8.
    /// - Parameters:
    ///   - method: The fully qualified name of the method.
    ///   - json: The parameters as one JSON object in UTF-8.
    ///   - limit: Timeout for this call, or `nil` to use ``timeout``.
    /// - Throws: ``VarlinkError`` if the service refuses the call, or ``ClientError`` if no reply arrives.
    public func call(
        _ method: String, json: [UInt8] = Array("{}".utf8), within limit: Duration? = nil
    ) throws -> [UInt8] {
        let timeout = limit ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        let isCallSent = try send(method, json, .single, deadline, timeout)
        return try parameters(
            of: try nextReply(method, isCallSent: isCallSent, deadline: deadline, timeout))
    }

    /// Calls a method with typed parameters and returns its typed reply.
    /// - Parameters:
    ///   - method: The fully qualified name of the method.
    ///   - parameters: A value that is encoded as a JSON object.
    ///   - type: The type of the reply.
    ///   - limit: Timeout for this call, or `nil` to use ``timeout``.
    /// - Throws: The errors that ``call(_:json:within:)`` throws, `EncodingError` if the parameters cannot be encoded,
    ///   or `DecodingError` if the reply does not match the type.
    public func call<Reply: Decodable>(
        _ method: String, _ parameters: some Encodable = Empty(), returning type: Reply.Type,
        within limit: Duration? = nil
    ) throws -> Reply {
        let json = try JSONText.encode(parameters)
        return try JSONText.decode(type, from: try call(method, json: json, within: limit))
    }

    /// Calls a method and returns its reply.
    /// - Parameters:
    ///   - call: The parameters, whose type identifies the method.
    ///   - limit: Timeout for this call, or `nil` to use ``timeout``.
    /// - Throws: The errors that ``call(_:json:within:)`` throws, ``JSONWritingError`` if the parameters cannot be
    ///   written, or ``JSONReadingError`` if the reply does not match its type.
    public func call<Call: MethodCall>(
        _ call: Call, within limit: Duration? = nil
    ) throws -> Call.Reply {
        let json = try JSONText.write(call)
        return try JSONText.read(
            Call.Reply.self, from: try self.call(Call.qualifiedMethod, json: json, within: limit))
    }

    /// Calls a method without waiting for a reply or an error.
    ///
    /// The service may not yet have received the call when this method returns.
    /// - Parameters:
    ///   - method: The fully qualified name of the method.
    ///   - json: The parameters as one JSON object in UTF-8.
    /// - Throws: ``ClientError`` if the call could not be sent, or the ``VarlinkError`` that the service sent before it
    ///   closed the connection.
    public func send(_ method: String, json: [UInt8] = Array("{}".utf8)) throws {
        let deadline = ContinuousClock.now + timeout
        // After the service has refused or closed the connection, the socket still accepts bytes, but the service never
        // reads them. Because a `oneway` call has no reply, the loss would go unnoticed.
        if !isClosed, try send(method, json, .oneway, deadline, timeout) { return }
        _ = try parameters(
            of: try nextReply(method, isCallSent: false, deadline: deadline, timeout))
        throw ClientError.notReceived(path: path, method: method)
    }

    /// Calls a method that may reply several times, and passes each reply to a closure as soon as it arrives.
    ///
    /// The timeout applies only to the first reply.
    /// - Parameters:
    ///   - method: The fully qualified name of the method.
    ///   - json: The parameters as one JSON object in UTF-8.
    ///   - limit: Timeout for the first reply, or `nil` to use ``timeout``.
    ///   - body: A closure that receives the parameters of each reply as one JSON object in UTF-8.
    /// - Throws: The errors that ``call(_:json:within:)`` throws, and any error that `body` throws. Unless the error is
    ///   a ``VarlinkError`` from the service, the connection can no longer be used.
    public func follow(
        _ method: String, json: [UInt8] = Array("{}".utf8), within limit: Duration? = nil,
        _ body: ([UInt8]) throws -> Void
    ) throws {
        var stream = try beginStream(method, json: json, within: limit)
        while let reply = try next(&stream) { try body(reply) }
    }

    /// State of a stream of replies.
    struct Stream: Sendable {
        let method: String
        let timeout: Duration
        /// Whether the complete call was sent.
        let isCallSent: Bool
        /// Time at which to stop waiting, or `nil` after the first reply.
        var deadline: ContinuousClock.Instant?
        /// Whether another reply follows.
        var expectsMoreReplies = true
    }

    /// Makes a call that accepts several replies.
    func beginStream(
        _ method: String, json: [UInt8], within limit: Duration? = nil
    ) throws(ClientError) -> Stream {
        let timeout = limit ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        let isCallSent = try send(method, json, .more, deadline, timeout)
        return Stream(method: method, timeout: timeout, isCallSent: isCallSent, deadline: deadline)
    }

    /// Waits for the next reply in a stream, or returns `nil` after the last reply.
    func next(_ stream: inout Stream) throws -> [UInt8]? {
        guard stream.expectsMoreReplies else { return nil }
        let reply = try nextReply(
            stream.method, isCallSent: stream.isCallSent, deadline: stream.deadline, stream.timeout)
        let parameters = try parameters(of: reply)
        stream.deadline = nil
        stream.expectsMoreReplies = reply.continues
        return parameters
    }

    /// Sends a call.
    /// - Returns: `false` if the service stopped reading before it received the complete call. The service may have
    ///   sent the reason as a reply.
    private func send(
        _ method: String, _ json: [UInt8], _ replyMode: ReplyMode,
        _ deadline: ContinuousClock.Instant,
        _ timeout: Duration
    ) throws(ClientError) -> Bool {
        try checkParameters(json, for: method)
        do throws(ClientSocket.Failure) {
            try socket.send(encodedCall(method, json, replyMode), deadline: deadline)
            return true
        } catch .connectionLost {
            return false
        } catch {
            throw clientError(error, method, timeout)
        }
    }

    /// Waits for the next reply.
    /// - Parameters:
    ///   - isCallSent: Whether the complete call was sent.
    ///   - deadline: Time at which to stop waiting, or `nil` to wait without a limit.
    private func nextReply(
        _ method: String, isCallSent: Bool, deadline: ContinuousClock.Instant?, _ timeout: Duration
    ) throws(ClientError) -> ReplyMessage {
        do throws(ClientSocket.Failure) {
            while !frames.hasMessage { try socket.receive(into: &frames, deadline: deadline) }
        } catch .endOfInput where !isCallSent {
            throw .notReceived(path: path, method: method)
        } catch {
            throw clientError(error, method, timeout)
        }
        do throws(MessageError) {
            return try ReplyMessage(parsing: try frames.next() ?? [])
        } catch {
            throw .badReply(path: path, method: method, error)
        }
    }

    private func parameters(of reply: ReplyMessage) throws(VarlinkError) -> [UInt8] {
        switch reply.outcome {
        case .parameters(let parameters): return parameters
        case .error(let error): throw error
        }
    }

    /// Rejects parameters that would make the service close the connection without a reply.
    ///
    /// Parameters are rejected if they are not a JSON object, have too many values, are nested too deeply, or contain
    /// U+0000.
    private func checkParameters(_ json: [UInt8], for method: String) throws(ClientError) {
        do throws(JSONReadingError) {
            // The method name and the `more` flag count as values too, and the call itself adds a level of nesting.
            var reader = JSONReader(
                json, refusesNUL: true, maximumValues: Call.maximumValues - 2)
            reader.depth = 1
            let firstByte = reader.peek()
            _ = try reader.skipValue()
            guard firstByte == UInt8(ascii: "{") else { throw .message(.notObject) }
            guard reader.isAtEnd() else { throw reader.malformedError }
        } catch .message(let error) {
            throw .badParameters(method: method, reason: "\(error)")
        } catch {
            throw .badParameters(method: method, reason: "\(error)")
        }
    }

    /// Number of replies that a call expects. The raw value is the text that ends the call's JSON object.
    private enum ReplyMode: String {
        case single = "}"
        case more = #","more":true}"#
        case oneway = #","oneway":true}"#
    }

    private func encodedCall(_ method: String, _ json: [UInt8], _ replyMode: ReplyMode) -> [UInt8] {
        Array(#"{"method":\#(JSONText.stringLiteral(method)),"parameters":"#.utf8) + json
            + Array(replyMode.rawValue.utf8) + [0]
    }

    private func clientError(
        _ failure: ClientSocket.Failure, _ method: String, _ timeout: Duration
    ) -> ClientError {
        switch failure {
        case .endOfInput: .disconnected(path: path, method: method)
        case .connectionLost: .notReceived(path: path, method: method)
        case .timedOut: .timedOut(path: path, timeout)
        case .system(let error): .system(error, path: path)
        }
    }
}
