import Dispatch
import Glibc
import RepriseControl
import Synchronization

/// Error for a condition that a client or a daemon did not meet in time.
struct ConditionTimeout: Error, CustomStringConvertible {
    let description: String
}

/// Daemon with one scene, for a terminal that is attached to the scene. A test decides when the scene changes.
final class SceneDaemon: Sendable {
    private struct State {
        /// Messages that reply to successive calls, keyed by method name. The last message is repeated.
        var answers: [String: [[String]?]]
        /// Messages that reply to successive calls that follow the scene. The last message is repeated.
        var followAnswers: [String]
        var calls: [String] = []
        var connections: Set<CInt> = []
        /// Connection that receives the changes of the scene.
        var follower: CInt?
        /// Connection with a call that still waits for its reply.
        var waitingConnection: CInt?
        var acceptsConnections = true
        var refusalCount = 0
    }

    let socket: StubDaemon
    private let state: Mutex<State>
    /// Semaphore that is signalled whenever a client calls or connects.
    private let stateDidChange = DispatchSemaphore(value: 0)
    private let servingGroup = DispatchGroup()

    /// Creates a daemon that serves each connection on a separate thread.
    ///
    /// - Parameters:
    ///   - answers: The replies, keyed by method name. The default is an empty reply.
    ///   - followAnswers: The replies to successive calls that follow the scene.
    init(_ answers: [String: Answer], following followAnswers: [Answer]) throws {
        socket = try StubDaemon()
        state = Mutex(
            State(
                answers: try answers.mapValues { try $0.queue() },
                followAnswers: try followAnswers.map { try Self.followMessage($0) }))
        DispatchQueue(label: "own thread").async(group: servingGroup) { [self] in acceptAll() }
    }

    /// Stops the daemon after its clients have exited.
    func stop() {
        shutdown(socket.listener, CInt(SHUT_RDWR))
        servingGroup.wait()
    }

    // MARK: Calls

    /// Calls that the daemon received, such as `Tap {"path":"button"}`.
    var calls: [String] { state.withLock(\.calls) }

    func callCount(_ method: String) -> Int { calls.count { $0.hasPrefix("\(method) ") } }

    /// Waits until the daemon has received a number of calls of a method.
    func waitForCalls(_ method: String, count: Int) throws {
        try wait("\(method) is called \(count) times") { callCount(method) >= count }
    }

    /// Waits until the daemon has refused a number of connections.
    func waitForRefusals(count: Int) throws {
        try wait("\(count) connections are refused") { state.withLock(\.refusalCount) >= count }
    }

    private func wait(_ expected: String, until condition: () -> Bool) throws {
        let deadline = DispatchTime.now() + .seconds(120)
        while !condition() {
            guard stateDidChange.wait(timeout: deadline) == .success else {
                throw ConditionTimeout(description: "It never happened that \(expected): \(calls)")
            }
        }
    }

    // MARK: Events

    /// Sends a change of the scene to the client that follows it.
    func update(_ reply: AttachCall.Reply) throws {
        let message = try Self.continuingMessage(reply)
        state.withLock { send(message, to: $0.follower) }
    }

    /// Ends the client's call that follows the scene.
    func failFollower(_ error: ControlError) throws {
        let message = try Self.followMessage(.error(error))
        state.withLock { send(message, to: $0.follower) }
    }

    /// Replies to the call that was answered with ``Answer/silence``.
    func sendReply(_ reply: TapCall.Reply) throws {
        let message = try StubDaemon.message(reply)
        state.withLock { send(message, to: $0.waitingConnection) }
    }

    /// Closes all connections, and refuses new ones until ``becomeAvailable()`` is called.
    func becomeUnavailable() {
        state.withLock { state in
            state.acceptsConnections = false
            for connection in state.connections { shutdown(connection, CInt(SHUT_RDWR)) }
        }
    }

    /// Refuses new connections until ``becomeAvailable()`` is called.
    func refuseConnections() { state.withLock { $0.acceptsConnections = false } }

    func becomeAvailable() { state.withLock { $0.acceptsConnections = true } }

    private func send(_ message: String, to connection: CInt?) {
        if let connection { socket.send(message, on: connection) }
    }

    // MARK: Serving

    private func acceptAll() {
        while case let connection = socket.acceptConnection(), connection >= 0 {
            let isAccepted = state.withLock { state in
                if state.acceptsConnections {
                    state.connections.insert(connection)
                } else {
                    state.refusalCount += 1
                    close(connection)
                }
                return state.acceptsConnections
            }
            stateDidChange.signal()
            guard isAccepted else { continue }
            DispatchQueue(label: "own thread").async(group: servingGroup) { [self] in
                serve(connection)
            }
        }
    }

    private func serve(_ connection: CInt) {
        while let call = socket.call(on: connection) {
            let isOpen = answer(call, on: connection)
            stateDidChange.signal()
            if !isOpen { break }
        }
        // Another thread must not use the number of a closed descriptor.
        state.withLock { state in
            state.connections.remove(connection)
            if state.follower == connection { state.follower = nil }
            if state.waitingConnection == connection { state.waitingConnection = nil }
            _ = close(connection)
        }
    }

    /// Replies to a call, and returns whether the connection stays open.
    private func answer(_ call: String, on connection: CInt) -> Bool {
        let (method, parameters) = StubDaemon.parts(of: call)
        return state.withLock { state in
            state.calls.append("\(method) \(parameters)")
            if parameters.hasSuffix(#","more":true"#) {
                let message =
                    state.followAnswers.count > 1
                    ? state.followAnswers.removeFirst() : state.followAnswers[0]
                state.follower = connection
                send(message, to: connection)
                return true
            }
            var queue = state.answers[method] ?? [[#"{"parameters":{}}"#]]
            let messages = queue.count > 1 ? queue.removeFirst() : queue[0]
            state.answers[method] = queue
            guard let messages else {
                state.waitingConnection = connection
                return true
            }
            if messages.isEmpty { return false }
            send(messages.joined(separator: "\0"), to: connection)
            return true
        }
    }

    private static func followMessage(_ answer: Answer) throws -> String {
        if case .reply(let reply) = answer, let rendering = reply as? AttachCall.Reply {
            return try continuingMessage(rendering)
        }
        return (try answer.messages() ?? []).joined(separator: "\0")
    }

    /// Returns the message for a reply that is followed by further replies.
    private static func continuingMessage(_ reply: AttachCall.Reply) throws -> String {
        #"{"parameters":\#(try StubDaemon.text(reply)),"continues":true}"#
    }
}
