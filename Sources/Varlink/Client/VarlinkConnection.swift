import Synchronization

/// Asynchronous connection to a Varlink service.
///
/// The connection makes calls one after another on its own thread, so that they do not block the caller's thread. A
/// stream of replies occupies the connection until the stream ends. Use another connection for concurrent calls.
public actor VarlinkConnection {
    private let thread: ConnectionThread
    /// Client for the actor's calls. Other threads may only disconnect it.
    private nonisolated(unsafe) let client: VarlinkClient
    /// Method whose stream of replies occupies the connection, or `nil` if the connection is idle.
    private var streamingMethod: String?

    /// Executor that runs the actor on the connection's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Connects to a service. Blocks the calling thread until the connection is established.
    /// - Parameters:
    ///   - path: The path of the service's socket, at most 107 bytes.
    ///   - timeout: Timeout for connecting, and then for each call and the first reply in each stream.
    public init(path: String, timeout: Duration = .seconds(30)) throws(ClientError) {
        do throws(SocketError) {
            thread = try ConnectionThread()
        } catch {
            throw .system(error, path: path)
        }
        client = try VarlinkClient(path: path, timeout: timeout)
    }

    /// Calls a method and returns its reply.
    ///
    /// After a timeout or any other connection error, the connection is shut down, because a late reply would be
    /// mistaken for the reply to another call. A call cannot be cancelled after it has been sent.
    public func call<Call: MethodCall>(
        _ call: Call
    ) throws(CallFailure<Call.Refusal>) -> Call.Reply {
        do {
            try Task.checkCancellation()
            try checkIdle(for: Call.qualifiedMethod)
            return try client.call(call)
        } catch {
            disconnect(after: error)
            throw CallFailure(error, method: Call.qualifiedMethod)
        }
    }

    /// Returns the replies to a call with `more`. The call is made when the first reply is requested.
    public nonisolated func replies<Call: MethodCall>(
        to call: Call
    ) -> Replies<Call> {
        Replies(connection: self, call: call)
    }

    /// Waits for the next reply in a stream, or returns `nil` after the last reply.
    /// - Parameters:
    ///   - stream: State of the stream after the previous reply, or `nil` to make the call.
    ///   - owner: Owner of the stream. It records whether the stream occupies the connection.
    func next<Call: MethodCall>(
        after stream: VarlinkClient.Stream?, of call: Call, for owner: StreamOwner
    ) throws -> (reply: [UInt8], VarlinkClient.Stream)? {
        do {
            var stream = try stream ?? beginStream(call, for: owner)
            let reply = try client.next(&stream)
            if !stream.expectsMoreReplies { endStream(owner) }
            return reply.map { ($0, stream) }
        } catch {
            // An error reply ends the stream, but the connection can still be used for other calls.
            if error is VarlinkError { endStream(owner) }
            disconnect(after: error)
            throw error
        }
    }

    /// Makes a call with `more`.
    private func beginStream<Call: MethodCall>(
        _ call: Call, for owner: StreamOwner
    ) throws -> VarlinkClient.Stream {
        try Task.checkCancellation()
        try checkIdle(for: Call.qualifiedMethod)
        let stream = try client.beginStream(Call.qualifiedMethod, json: try JSONText.write(call))
        streamingMethod = Call.qualifiedMethod
        owner.markRunning()
        return stream
    }

    private func endStream(_ owner: StreamOwner) {
        if owner.markEnded() { streamingMethod = nil }
    }

    /// Shuts down the connection. Any waiting call fails.
    nonisolated func disconnect() { client.disconnect() }

    /// Shuts down the connection after an error that leaves the connection's state unknown.
    private func disconnect(after error: any Error) {
        switch error as? ClientError {
        case .badParameters, .occupied, nil: break
        default: client.disconnect()
        }
    }

    private func checkIdle(for method: String) throws(ClientError) {
        if let streamingMethod { throw .occupied(by: streamingMethod, method: method) }
    }
}

/// Replies to a call with `more`, in the order in which the service sends them.
///
/// If a consumer stops before the last reply, the connection is shut down, because the client could not distinguish
/// later replies from the replies to another call.
public struct Replies<Call: MethodCall>: AsyncSequence,
    Sendable
{
    let connection: VarlinkConnection
    let call: Call

    /// Creates an iterator. Each iterator makes its own call.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(connection: connection, call: call)
    }

    /// Iterator over the replies to one call.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let call: Call
        private let owner: StreamOwner
        private var stream: VarlinkClient.Stream?

        init(connection: VarlinkConnection, call: Call) {
            self.call = call
            owner = StreamOwner(connection)
        }

        /// Waits for the next reply, or returns `nil` after the last reply.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(CallFailure<Call.Refusal>) -> Call.Reply? {
            do {
                guard !owner.hasEnded else { return nil }
                let (call, currentStream, owner) = (call, stream, owner)
                let nextReply = try await withTaskCancellationHandler {
                    try await owner.connection.next(after: currentStream, of: call, for: owner)
                } onCancel: {
                    owner.abandon()
                }
                guard let (reply, stream) = nextReply else { return nil }
                self.stream = stream
                return try JSONText.read(Call.Reply.self, from: reply)
            } catch {
                throw CallFailure(error, method: Call.qualifiedMethod)
            }
        }
    }
}

/// Owner of a stream of replies. The owner shuts down the connection if the stream is abandoned.
final class StreamOwner: Sendable {
    private enum State {
        /// The call has not been made.
        case idle
        /// The stream occupies the connection.
        case running
        /// The stream has ended.
        case ended
    }

    let connection: VarlinkConnection
    private let state = Mutex(State.idle)

    init(_ connection: VarlinkConnection) {
        self.connection = connection
    }

    deinit { abandon() }

    /// Whether the stream has ended.
    var hasEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// Records that the call has been made.
    func markRunning() { state.withLock { $0 = .running } }

    /// Records that the stream has ended. Returns whether the stream occupied the connection.
    func markEnded() -> Bool {
        state.withLock { state in
            defer { state = .ended }
            return if case .running = state { true } else { false }
        }
    }

    /// Shuts down the connection if the stream occupies it.
    func abandon() {
        if state.withLock({ if case .running = $0 { true } else { false } }) {
            connection.disconnect()
        }
    }
}
