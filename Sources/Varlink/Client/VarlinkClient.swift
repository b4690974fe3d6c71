/// A connection to a Varlink service, for a program that waits for each reply; every call blocks
/// its thread.
///
/// After a ``ClientError`` the connection is of no further use: connect again. A ``VarlinkError``
/// leaves it usable.
public final class VarlinkClient {
    /// The socket's path.
    public let path: String

    /// How long connecting, and each call, may take.
    public let timeout: Duration

    /// The most bytes a reply may have.
    public static let maximumReplyBytes = 256 << 20

    private let socket: ClientSocket
    private var frames = MessageFrames(limit: maximumReplyBytes)

    /// Connects to a service.
    /// - Parameters:
    ///   - path: The path of its socket, at most 107 bytes.
    ///   - timeout: How long connecting, and then each call, may take.
    public init(path: String, timeout: Duration = .seconds(30)) throws(ClientError) {
        self.path = path
        self.timeout = timeout
        socket = try ClientSocket(path: path, deadline: .now + timeout, limit: timeout)
    }

    /// A connection that is there already.
    /// - Parameters:
    ///   - descriptor: A stream socket, which is closed with the client.
    ///   - name: What errors name the service by.
    ///   - timeout: How long each call may take.
    public init(connected descriptor: CInt, to name: String, timeout: Duration) {
        path = name
        self.timeout = timeout
        socket = ClientSocket(connected: descriptor)
    }

    /// Whether no call can be made any more: the service has closed the connection, or sent what
    /// nobody asked for.
    public var isOver: Bool { socket.isReadable }

    /// Ends the connection. A call that waits on another thread throws ``ClientError``; this alone may be called
    /// meanwhile.
    public func disconnect() { socket.shutDown() }

    /// Calls a method and gives the reply's parameters as they came: one JSON object in UTF-8.
    /// - Parameters:
    ///   - method: The fully qualified name.
    ///   - json: The parameters, one JSON object in UTF-8.
    ///   - limit: How long the call may take, if not ``timeout``.
    /// - Throws: ``VarlinkError`` when the service refuses, ``ClientError`` when there is no reply.
    public func call(
        _ method: String, json: [UInt8] = Array("{}".utf8), within limit: Duration? = nil
    ) throws -> [UInt8] {
        let timeout = limit ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        let isSent = try send(method, json, .single, deadline, timeout)
        return try outcome(
            of: try nextReply(method, isSent: isSent, deadline: deadline, timeout))
    }

    /// Calls a method with typed parameters, and gives its typed reply.
    /// - Parameters:
    ///   - method: The fully qualified name.
    ///   - parameters: A value that is encoded as a JSON object.
    ///   - type: What the reply is decoded as.
    ///   - limit: How long the call may take, if not ``timeout``.
    /// - Throws: What ``call(_:json:within:)`` throws, and `EncodingError` or `DecodingError` if a
    ///   value is of another shape.
    public func call<Reply: Decodable>(
        _ method: String, _ parameters: some Encodable = Empty(), returning type: Reply.Type,
        within limit: Duration? = nil
    ) throws -> Reply {
        let json = try JSONText.encode(parameters)
        return try JSONText.decode(type, from: try call(method, json: json, within: limit))
    }

    /// Calls a method whose reply nobody wants, not even an error; it may not have been received when
    /// this returns.
    /// - Parameters:
    ///   - method: The fully qualified name.
    ///   - json: The parameters, one JSON object in UTF-8.
    /// - Throws: ``ClientError`` if it could not be sent, or the ``VarlinkError`` with which the service
    ///   closed the connection before.
    public func send(_ method: String, json: [UInt8] = Array("{}".utf8)) throws {
        let deadline = ContinuousClock.now + timeout
        // A service that refuses the connection, or is closing it, still receives bytes, and never reads them.
        // Without a reply, nobody would notice.
        if !isOver, try send(method, json, .oneway, deadline, timeout) { return }
        _ = try outcome(
            of: try nextReply(method, isSent: false, deadline: deadline, timeout))
        throw ClientError.notTaken(path: path, method: method)
    }

    /// Calls a method that may have several replies, and hands each one over as it comes.
    ///
    /// The first one must come in time; then nothing is too late.
    /// - Parameters:
    ///   - method: The fully qualified name.
    ///   - json: The parameters, one JSON object in UTF-8.
    ///   - limit: How long the first reply may take, if not ``timeout``.
    ///   - body: Takes the parameters of a reply, one JSON object in UTF-8.
    /// - Throws: what ``call(_:json:within:)`` throws, and what the body throws; the connection is of no
    ///   further use then, unless it is a ``VarlinkError``.
    public func follow(
        _ method: String, json: [UInt8] = Array("{}".utf8), within limit: Duration? = nil,
        _ body: ([UInt8]) throws -> Void
    ) throws {
        let timeout = limit ?? self.timeout
        var deadline: ContinuousClock.Instant? = .now + timeout
        let isSent = try send(method, json, .more, .now + timeout, timeout)
        while true {
            let reply = try nextReply(method, isSent: isSent, deadline: deadline, timeout)
            try body(try outcome(of: reply))
            guard reply.continues else { return }
            deadline = nil
        }
    }

    /// - Returns: `false` if the service reads no more. It may have sent the reason before.
    private func send(
        _ method: String, _ json: [UInt8], _ replies: Replies, _ deadline: ContinuousClock.Instant,
        _ timeout: Duration
    ) throws(ClientError) -> Bool {
        try check(json, for: method)
        do throws(ClientSocket.Failure) {
            try socket.send(message(method, json, replies), deadline: deadline)
            return true
        } catch .dropped {
            return false
        } catch {
            throw clientError(error, method, timeout)
        }
    }

    /// - Parameters:
    ///   - isSent: whether the call was sent whole.
    ///   - deadline: nil: none.
    private func nextReply(
        _ method: String, isSent: Bool, deadline: ContinuousClock.Instant?, _ timeout: Duration
    ) throws(ClientError) -> ReplyMessage {
        do throws(ClientSocket.Failure) {
            while !frames.hasMessage { try socket.receive(into: &frames, deadline: deadline) }
        } catch .ended where !isSent {
            throw .notTaken(path: path, method: method)
        } catch {
            throw clientError(error, method, timeout)
        }
        do throws(MessageError) {
            return try ReplyMessage(parsing: try frames.next() ?? [])
        } catch {
            throw .badReply(path: path, method: method, error)
        }
    }

    private func outcome(of reply: ReplyMessage) throws(VarlinkError) -> [UInt8] {
        switch reply.outcome {
        case .parameters(let parameters): return parameters
        case .error(let error): throw error
        }
    }

    /// Anything but an object, too many values, or U+0000 in it, would make the service close the connection without a
    /// word.
    private func check(_ json: [UInt8], for method: String) throws(ClientError) {
        do throws(MessageError) {
            // The name of the method, and `more`, are values of the call, too.
            var scanner = JSONScanner(json, refusesNull: true, mostValues: Call.mostValues - 2)
            guard case .object = try scanner.value(depth: 1) else { throw .notObject }
            guard scanner.isAtEnd() else { throw scanner.malformed }
        } catch {
            throw .badParameters(method: method, reason: "\(error)")
        }
    }

    /// How many replies a call wants.
    private enum Replies: String {
        case single = "}"
        case more = #","more":true}"#
        case oneway = #","oneway":true}"#
    }

    private func message(_ method: String, _ json: [UInt8], _ replies: Replies) -> [UInt8] {
        Array(#"{"method":\#(JSONText.string(method)),"parameters":"#.utf8) + json
            + Array(replies.rawValue.utf8) + [0]
    }

    private func clientError(
        _ failure: ClientSocket.Failure, _ method: String, _ timeout: Duration
    ) -> ClientError {
        switch failure {
        case .ended: .disconnected(path: path, method: method)
        case .dropped: .notTaken(path: path, method: method)
        case .timedOut: .timedOut(path: path, timeout)
        case .system(let error): .system(error, path: path)
        }
    }
}
