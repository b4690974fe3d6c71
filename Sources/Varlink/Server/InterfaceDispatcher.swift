/// Interface together with the functions that implement its methods.
///
/// `varlink-swift` generates a dispatcher for each interface. The dispatcher reads the parameters, calls the method's
/// function, and writes the reply.
public protocol InterfaceDispatcher: Sendable {
    /// Definition of the interface.
    var definition: InterfaceDefinition { get }

    /// Returns the properties of a method, or `nil` if no function implements it.
    /// - Parameter method: The index of the method in the definition.
    func traits(of method: Int) -> MethodTraits?

    /// Handles a call and returns the parameters of the last reply.
    ///
    /// The service calls this function on the event loop of the caller's connection. Calling an actor whose executor is
    /// this event loop needs no thread switch.
    ///
    /// If the function throws a ``VarlinkError`` or an ``InterfaceError``, the service replies with this error. The
    /// service logs any other error, at most once a minute for each method, and does not show it to the caller.
    /// Instead, the service replies with `InternalError (message: string)` if the interface declares this error, and
    /// otherwise with `io.systemd.System` and the errno EIO, as systemd's services do.
    /// - Returns: One JSON object in UTF-8.
    func answer(_ request: MethodRequest) async throws -> [UInt8]
}

/// Properties of a method, which the service checks before it handles a call.
public struct MethodTraits: Sendable, Equatable {
    /// Whether the method is read-only, so that clients with read-only access may call it.
    public var isReadOnly: Bool

    /// Whether the method may reply several times. During a call with `more`, the function's task is cancelled if the
    /// client disconnects or the server stops.
    public var isStreaming: Bool

    /// Names of the string parameters that identify the queue of a call, or `nil` if the method has no queue.
    ///
    /// A method can have a queue only if its function enqueues its work before the function first suspends. Calls that
    /// arrive together on one connection and belong to the same queue are started in order, without waiting for the
    /// replies to earlier calls. Methods may share a queue. A call without a queue starts after the replies to all
    /// earlier calls on its connection.
    public var queue: [String]?

    /// Creates the properties of a method.
    public init(isReadOnly: Bool = false, isStreaming: Bool = false, queue: [String]? = nil) {
        self.isReadOnly = isReadOnly
        self.isStreaming = isStreaming
        self.queue = queue
    }
}

/// Call to a method of a known interface.
public struct MethodRequest: Sendable {
    /// Index of the method in the interface definition.
    public let method: Int

    /// Information about the call, except its parameters.
    public let context: CallContext

    let call: Call
    let observeCall: @Sendable (Call, Peer) -> Void

    /// Parameters as one JSON object in UTF-8.
    public var parameters: [UInt8] { call.parameters }

    /// Reads the parameters and, if they match the method's definition, notifies the service's observer.
    /// - Throws: `InvalidParameter` with the name of the first parameter that is unknown, repeated or missing, or that
    ///   has the wrong type.
    public func read<Parameters: JSONReadable>() throws(VarlinkError) -> Parameters {
        let parameters: Parameters
        do throws(JSONReadingError) {
            var reader = JSONReader(call.parameters)
            parameters = try reader.readAll(Parameters.self)
        } catch .invalidParameter(let name) {
            throw .invalidParameter(name)
        } catch {
            // Unreachable: text that is not JSON was refused earlier.
            throw .invalidParameter("")
        }
        observeCall(call, context.peer)
        return parameters
    }

    /// Checks that a call to a method without parameters passes no parameters.
    /// - Throws: `InvalidParameter` with the name of an unknown parameter.
    public func check<Parameters: JSONReadable>(
        _ type: Parameters.Type
    ) throws(VarlinkError) {
        let _: Parameters = try read()
    }

    /// Returns the sender for intermediate replies, or `nil` if the caller accepts only one reply.
    public func replies<Reply: JSONMessage>() -> ReplySender<Reply>? {
        context.stream.map { ReplySender(stream: $0) }
    }

    /// Returns the sender for intermediate replies.
    /// - Throws: `ExpectedMore` if the caller accepts only one reply.
    public func requiredReplies<Reply: JSONMessage>() throws(VarlinkError) -> ReplySender<Reply> {
        guard let stream = context.stream else { throw .expectedMore }
        return ReplySender(stream: stream)
    }

    /// Waits until the server has capacity for the reply, then encodes the reply.
    public func reply(_ reply: some JSONWritable) async throws -> [UInt8] {
        await context.waitForReplyCapacity()
        return try JSONText.write(reply)
    }

    /// Reply without fields.
    public var emptyReply: [UInt8] { Call.noParameters }

    /// Error for a method that no function implements.
    public var notImplemented: VarlinkError { .methodNotImplemented(context.method) }
}

/// Sender for the intermediate replies to a call with `more`, that is, all replies except the last.
public struct ReplySender<Reply: JSONMessage>: Sendable {
    /// Stream over which the replies are sent.
    public let stream: ReplyStream

    /// Sends a reply. Waits if the caller has too many unread replies.
    /// - Throws: `CancellationError` if the caller has disconnected, the server is stopping, or the function has
    ///   returned.
    public func send(_ reply: Reply) async throws {
        try await stream.reply(json: [try JSONText.write(reply)])
    }

    /// Creates a sender that uses a stream.
    public init(stream: ReplyStream) {
        self.stream = stream
    }
}
