/// Asynchronous connection to a Varlink service.
///
/// Calls are made one after another on a thread of the connection, so that no thread of the caller is blocked. A stream
/// of replies occupies the connection until it ends: use another connection for calls at the same time.
public actor VarlinkConnection {
    private let thread: ConnectionThread
    /// Client that only the actor uses, except that any thread may disconnect it.
    private nonisolated(unsafe) let client: VarlinkClient
    /// Method whose stream of replies occupies the connection, or `nil`.
    private var streaming: String?

    /// Executor of the actor, a thread of its own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Connects to a service. Blocks the calling thread until the connection is established.
    /// - Parameters:
    ///   - path: The path of the service's socket, at most 107 bytes.
    ///   - timeout: Timeout for connecting, and then for each call and the first reply in each stream.
    public init(path: String, timeout: Duration = .seconds(30)) throws(ClientError) {
        client = try VarlinkClient(path: path, timeout: timeout)
        thread = ConnectionThread()
    }

    /// Calls a method and returns its reply.
    public func call<Call: MethodCall>(
        _ call: Call
    ) throws(CallFailure<Call.Refusal>) -> Call.Reply {
        do {
            try checkIdle(for: Call.qualifiedMethod)
            return try client.call(call)
        } catch {
            throw CallFailure(error, method: Call.qualifiedMethod)
        }
    }

    /// Returns the replies to a call with `more`. The call is made when the first reply is requested.
    public nonisolated func replies<Call: MethodCall>(
        to call: Call
    ) -> Replies<Call> {
        Replies(connection: self, call: call)
    }

    /// Waits for the next reply in a stream. Returns `nil` after the last reply.
    /// - Parameter stream: State of the stream after the previous reply, or `nil` to make the call.
    func next<Call: MethodCall>(
        after stream: VarlinkClient.Stream?, of call: Call
    ) throws -> (reply: [UInt8], VarlinkClient.Stream)? {
        var stream = try stream ?? begin(call)
        do {
            if let reply = try client.next(&stream) { return (reply, stream) }
        } catch let error as VarlinkError {
            streaming = nil
            throw error
        }
        streaming = nil
        return nil
    }

    /// Makes a call with `more`.
    private func begin<Call: MethodCall>(_ call: Call) throws -> VarlinkClient.Stream {
        try checkIdle(for: Call.qualifiedMethod)
        let stream = try client.begin(Call.qualifiedMethod, json: try JSONText.write(call))
        streaming = Call.qualifiedMethod
        return stream
    }

    /// Shuts down the connection. A call that is waiting fails.
    nonisolated func disconnect() { client.disconnect() }

    private func checkIdle(for method: String) throws(ClientError) {
        if let streaming { throw .occupied(by: streaming, method: method) }
    }
}

/// Replies to a call with `more`, in the order in which the service sends them.
///
/// If a consumer stops before the last reply, the connection is shut down, because the client could not
/// tell later replies from the replies to another call.
public struct Replies<Call: MethodCall>: AsyncSequence,
    Sendable
{
    let connection: VarlinkConnection
    let call: Call

    /// Creates an iterator, which makes a call of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(connection: connection, call: call)
    }

    /// Iterator over the replies to one call.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let call: Call
        private let guardian: StreamGuard
        private var stream: VarlinkClient.Stream?

        init(connection: VarlinkConnection, call: Call) {
            self.call = call
            guardian = StreamGuard(connection)
        }

        /// Waits for the next reply, or returns `nil` after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(CallFailure<Call.Refusal>) -> Call.Reply? {
            do {
                guard !guardian.isOver else { return nil }
                let connection = guardian.connection
                let (call, current) = (call, stream)
                let next = try await withTaskCancellationHandler {
                    try await connection.next(after: current, of: call)
                } onCancel: {
                    connection.disconnect()
                }
                guard let (reply, stream) = next else {
                    guardian.isOver = true
                    return nil
                }
                self.stream = stream
                return try JSONText.read(Call.Reply.self, from: reply)
            } catch {
                // After an error in a reply, the connection can be used for other calls.
                if error is VarlinkError { guardian.isOver = true }
                throw CallFailure(error, method: Call.qualifiedMethod)
            }
        }
    }
}

/// Owner of a stream. Shuts down the connection if the stream has not ended.
private final class StreamGuard {
    let connection: VarlinkConnection
    var isOver = false

    init(_ connection: VarlinkConnection) {
        self.connection = connection
    }

    deinit {
        if !isOver { connection.disconnect() }
    }
}
