/// A connection to a Varlink service, for a program that waits for each reply; every call blocks
/// its thread.
///
/// After a ``ClientError`` the connection is of no further use: connect again. A ``VarlinkError``
/// leaves it usable.
package final class VarlinkClient {
    /// The socket's path.
    package let path: String

    /// How long connecting, and each call, may take.
    package let timeout: Duration

    /// The most bytes a reply may have.
    package static let maximumReplyBytes = 256 << 20

    private let socket: ClientSocket
    private var frames = MessageFrames(limit: maximumReplyBytes)

    /// Connects to a service.
    /// - Parameters:
    ///   - path: The path of its socket, at most 107 bytes.
    ///   - timeout: How long connecting, and then each call, may take.
    package init(path: String, timeout: Duration = .seconds(30)) throws(ClientError) {
        self.path = path
        self.timeout = timeout
        socket = try ClientSocket(path: path, deadline: .now + timeout, limit: timeout)
    }

    /// A connection that is there already.
    /// - Parameters:
    ///   - descriptor: A stream socket, which is closed with the client.
    ///   - name: What errors name the service by.
    ///   - timeout: How long each call may take.
    package init(connected descriptor: CInt, to name: String, timeout: Duration) {
        path = name
        self.timeout = timeout
        socket = ClientSocket(connected: descriptor)
    }

    /// Whether no call can be made any more: the service has closed the connection, or sent what
    /// nobody asked for.
    package var isOver: Bool { socket.isReadable }

    /// Calls a method and gives the reply's parameters as they came: one JSON object in UTF-8.
    /// - Parameters:
    ///   - method: The fully qualified name.
    ///   - json: The parameters, one JSON object in UTF-8.
    ///   - limit: How long the call may take, if not ``timeout``.
    /// - Throws: ``VarlinkError`` when the service refuses, ``ClientError`` when there is no reply.
    package func call(
        _ method: String, json: [UInt8] = Array("{}".utf8), within limit: Duration? = nil
    ) throws -> [UInt8] {
        try check(json, for: method)
        let timeout = limit ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        do throws(ClientSocket.Failure) {
            do throws(ClientSocket.Failure) {
                try socket.send(message(method, json), deadline: deadline)
            } catch .ended {
                // The service may have said why before it closed.
            }
            while !frames.hasMessage { try socket.receive(into: &frames, deadline: deadline) }
        } catch {
            throw clientError(error, method, timeout)
        }
        let reply: ReplyMessage
        do throws(MessageError) {
            reply = try ReplyMessage(parsing: try frames.next() ?? [])
        } catch {
            throw ClientError.badReply(path: path, method: method, error)
        }
        switch reply.outcome {
        case .parameters(let parameters): return parameters
        case .error(let error): throw error
        }
    }

    /// Anything but an object would make the service close the connection without a word.
    private func check(_ json: [UInt8], for method: String) throws(ClientError) {
        do throws(MessageError) {
            var scanner = JSONScanner(json)
            guard case .object = try scanner.value(depth: 1) else { throw .notObject }
            guard scanner.isAtEnd() else { throw scanner.malformed }
        } catch {
            throw .badParameters(method: method, reason: "\(error)")
        }
    }

    private func message(_ method: String, _ json: [UInt8]) -> [UInt8] {
        Array(#"{"method":\#(JSONText.string(method)),"parameters":"#.utf8) + json
            + [UInt8(ascii: "}"), 0]
    }

    private func clientError(
        _ failure: ClientSocket.Failure, _ method: String, _ timeout: Duration
    ) -> ClientError {
        switch failure {
        case .ended: .disconnected(path: path, method: method)
        case .timedOut: .timedOut(path: path, timeout)
        case .system(let error): .system(error, path: path)
        }
    }
}
