import Testing

@testable import Varlink

struct ServerConnectionTests {
    typealias Action = ServerConnection.Action

    private static func call(_ name: String, _ rest: String = "") -> String {
        "{\"method\":\"\(name)\"\(rest)}\0"
    }

    private let emptyReply = ReplyMessage.Outcome.parameters(Array("{}".utf8))
    private let reply = Array("{\"parameters\":{}}\0".utf8)

    /// Returns the methods to perform, or a description of another action.
    private func name(_ action: Action) -> String {
        if case .perform(let calls) = action {
            calls.map(\.method).joined(separator: " ")
        } else {
            "\(action)"
        }
    }

    @Test func `an idle connection reads input`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(machine.handleStart() == .wait(read: true))
        #expect(machine.handleReceivedBytes("{\"method\"") == .wait(read: true))
    }

    @Test func `pipelined calls run one after another, in order`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(name(machine.handleReceivedBytes(Self.call("A") + Self.call("B") + "{")) == "A")
        #expect(machine.handleReceivedBytes("x") == .wait(read: false))
        var (message, next) = machine.handleOutcome(emptyReply)
        #expect(message == reply)
        #expect(name(next) == "B")
        (message, next) = machine.handleOutcome(.error(.permissionDenied))
        #expect(message == ReplyMessage(.error(.permissionDenied)).message)
        #expect(next == .wait(read: true))
    }

    @Test func `a oneway call gets no reply, not even an error`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(name(machine.handleReceivedBytes(Self.call("A", #","oneway":true"#))) == "A")
        #expect(machine.handleOutcome(.error(.permissionDenied)).message == nil)
        #expect(name(machine.handleReceivedBytes(Self.call("B", #","oneway":false"#))) == "B")
        #expect(machine.handleOutcome(emptyReply).message == reply)
    }

    @Test func `during a call, input is read only until another complete call waits`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        _ = machine.handleReceivedBytes(Self.call("A"))
        #expect(machine.handleReceivedBytes("{\"method\":") == .wait(read: true))
        #expect(machine.handleReceivedBytes("\"B\"}\0") == .wait(read: false))
        #expect(name(machine.handleOutcome(emptyReply).next) == "B")
    }

    @Test func `during a call, no input is read if the peer does not read or has ended its input`()
    {
        var machine = ServerConnection(maximumRequestBytes: 100)
        _ = machine.handleReceivedBytes(Self.call("A"))
        #expect(machine.wantsBytes == true)
        #expect(machine.handleWritabilityChange(to: false) == .wait(read: false))
        #expect(machine.handleWritabilityChange(to: true) == .wait(read: true))
        #expect(machine.handleInputEnd() == .wait(read: false))
        #expect(machine.wantsBytes == false)
    }

    @Test func `while the peer does not read, no call starts and no input is read`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        _ = machine.handleReceivedBytes(Self.call("A") + Self.call("B"))
        #expect(machine.handleWritabilityChange(to: false) == .wait(read: false))
        let (message, next) = machine.handleOutcome(emptyReply)
        #expect(message == reply)
        #expect(next == .wait(read: false))
        #expect(machine.handleReceivedBytes("x") == .wait(read: false))
        #expect(name(machine.handleWritabilityChange(to: true)) == "B")
    }

    @Test(
        arguments: [
            "\0", "x\0", "[]\0", "{}\0", call("A", ",\"x\":1"), call("A", #","parameters":[]"#),
        ])
    func `an invalid message closes the connection without a reply`(text: String) {
        var machine = ServerConnection(maximumRequestBytes: 100)
        guard case .close(let reason?) = machine.handleReceivedBytes(text) else {
            Issue.record("not closed")
            return
        }
        #expect(!reason.description.isEmpty)
        let pendingByteCount = machine.pendingByteCount
        #expect(machine.handleReceivedBytes(Self.call("A")) == .wait(read: false))
        #expect(machine.pendingByteCount == pendingByteCount)
    }

    @Test func `an invalid message closes the connection after earlier calls are answered`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(name(machine.handleReceivedBytes(Self.call("A") + "x\0" + Self.call("B"))) == "A")
        let (message, next) = machine.handleOutcome(emptyReply)
        #expect(message == reply)
        #expect(next == .close(.notJSON(offset: 0)))
    }

    @Test func `an oversized call closes the connection after earlier calls are answered`() {
        var machine = ServerConnection(maximumRequestBytes: 20)
        #expect(name(machine.handleReceivedBytes(Self.call("A"))) == "A")
        #expect(
            machine.handleReceivedBytes(String(repeating: "x", count: 21)) == .wait(read: false))
        #expect(machine.handleOutcome(emptyReply).next == .close(.tooLarge(limit: 20)))
    }

    @Test func `an oversized call gets the configured error`() {
        let error = VarlinkError(name: "a.b.TooLarge")
        var machine = ServerConnection(maximumRequestBytes: 20, makeTooLargeError: { error })
        #expect(
            machine.handleReceivedBytes(String(repeating: "x", count: 21))
                == .refuse(ReplyMessage(.error(error)).message, .tooLarge(limit: 20)))
        #expect(machine.handleReceivedBytes("x") == .wait(read: false))
    }

    @Test func `an oversized call gets no error after the peer disconnects`() {
        var machine = ServerConnection(
            maximumRequestBytes: 20, makeTooLargeError: { VarlinkError(name: "a.b.TooLarge") })
        _ = machine.handleWritabilityChange(to: false)
        #expect(
            machine.handleReceivedBytes(String(repeating: "x", count: 21)) == .wait(read: false))
        #expect(machine.handleDisconnection() == .close(.tooLarge(limit: 20)))
    }

    @Test func `a call with too many values gets an error and closes the connection`() {
        let values = (0..<Call.maximumValues).map { _ in "1" }.joined(separator: ",")
        var machine = ServerConnection(maximumRequestBytes: 1 << 20)
        #expect(
            machine.handleReceivedBytes(
                #"{"method":"A","parameters":{"a":["# + values + "]}}\0" + Self.call("B"))
                == .refuse(
                    ReplyMessage(.error(.invalidParameter("parameters"))).message,
                    .tooManyValues(limit: Call.maximumValues)))
    }

    @Test func `at the end of input, complete calls are answered and the rest is dropped`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(
            name(machine.handleReceivedBytes(Self.call("A") + Self.call("B") + "{\"meth")) == "A")
        #expect(machine.handleInputEnd() == .wait(read: false))
        #expect(machine.handleReceivedBytes(Self.call("C")) == .wait(read: false))
        #expect(name(machine.handleOutcome(emptyReply).next) == "B")
        let (message, next) = machine.handleOutcome(emptyReply)
        #expect(message == reply)
        #expect(next == .close(nil))
        #expect(machine.pendingByteCount == 6)
    }

    @Test func `an idle connection closes at the end of input`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(machine.handleInputEnd() == .close(nil))
        #expect(machine.handleDisconnection() == .wait(read: false))
    }

    @Test func `after the peer disconnects, only oneway calls run`() {
        var machine = ServerConnection(maximumRequestBytes: 200)
        _ = machine.handleWritabilityChange(to: false)
        let oneway = #","oneway":true"#
        let calls =
            Self.call("A") + Self.call("B", oneway) + Self.call("C") + Self.call("D", oneway)
        #expect(machine.handleReceivedBytes(calls + Self.call("E")) == .wait(read: false))
        #expect(name(machine.handleDisconnection()) == "B")
        var (message, next) = machine.handleOutcome(emptyReply)
        #expect(message == nil)
        #expect(name(next) == "D")
        (message, next) = machine.handleOutcome(emptyReply)
        #expect(message == nil)
        #expect(next == .close(nil))
    }

    @Test func `the reply of a running call is dropped if the peer disconnects`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(name(machine.handleReceivedBytes(Self.call("A") + Self.call("B"))) == "A")
        #expect(machine.handleDisconnection() == .wait(read: false))
        let (message, next) = machine.handleOutcome(emptyReply)
        #expect(message == nil)
        #expect(next == .close(nil))
    }

    @Test func `only a limited number of calls runs after a disconnect, and the rest is dropped`() {
        var machine = ServerConnection(maximumRequestBytes: 1000, remainingCallsAfterDisconnect: 2)
        let oneway = Self.call("A", #","oneway":true"#)
        #expect(
            name(machine.handleReceivedBytes(oneway + oneway + Self.call("B") + oneway + oneway))
                == "A")
        #expect(machine.handleDisconnection() == .wait(read: false))
        #expect(name(machine.handleOutcome(emptyReply).next) == "A")
        #expect(machine.droppedCallCount == 0)
        #expect(machine.handleOutcome(emptyReply).next == .close(nil))
        #expect(machine.droppedCallCount == 2)
        #expect(machine.pendingByteCount == 0)
    }

    @Test func `calls within the limit are not dropped after a disconnect`() {
        var machine = ServerConnection(maximumRequestBytes: 1000, remainingCallsAfterDisconnect: 2)
        _ = machine.handleWritabilityChange(to: false)
        let oneway = Self.call("A", #","oneway":true"#)
        _ = machine.handleReceivedBytes(oneway + oneway)
        #expect(name(machine.handleDisconnection()) == "A")
        #expect(name(machine.handleOutcome(emptyReply).next) == "A")
        #expect(machine.handleOutcome(emptyReply).next == .close(nil))
        #expect(machine.droppedCallCount == 0)
    }

    @Test func `the limit on calls after a disconnect does not apply to connected clients`() {
        var machine = ServerConnection(maximumRequestBytes: 100, remainingCallsAfterDisconnect: 0)
        #expect(name(machine.handleReceivedBytes(Self.call("A") + Self.call("B"))) == "A")
        #expect(name(machine.handleOutcome(emptyReply).next) == "B")
        #expect(machine.handleOutcome(emptyReply).next == .wait(read: true))
        #expect(machine.droppedCallCount == 0)
    }

    @Test func `a continued reply requires a running call and a client that accepts it`() {
        let continued = Array("{\"parameters\":{},\"continues\":true}\0".utf8)
        let empty = Array("{}".utf8)
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(machine.encodeIntermediateReply(empty) == nil)
        _ = machine.handleReceivedBytes(Self.call("A", #","more":true"#))
        #expect(machine.encodeIntermediateReply(empty) == continued)
        _ = machine.handleOutcome(emptyReply)
        #expect(machine.encodeIntermediateReply(empty) == nil)
        _ = machine.handleReceivedBytes(Self.call("B", #","oneway":true"#))
        #expect(machine.encodeIntermediateReply(empty) == nil)
        _ = machine.handleOutcome(emptyReply)
        _ = machine.handleReceivedBytes(Self.call("C", #","more":true"#))
        _ = machine.handleDisconnection()
        #expect(machine.encodeIntermediateReply(empty) == nil)
    }

    @Test func `a call with more to a method that replies once gets one reply`() {
        var machine = ServerConnection(maximumRequestBytes: 100)
        #expect(name(machine.handleReceivedBytes(Self.call("A", #","more":true"#))) == "A")
        #expect(machine.handleOutcome(emptyReply).message == reply)
    }

    // MARK: Calls that run together

    /// Creates a connection on which calls of the same method run together if the method is Q or R.
    private static func queueing(remainingCallsAfterDisconnect: Int = 64) -> ServerConnection {
        ServerConnection(
            maximumRequestBytes: 2000, remainingCallsAfterDisconnect: remainingCallsAfterDisconnect
        ) { call in
            guard ["Q", "R"].contains(call.method) else { return nil }
            return CallQueueIdentity(
                interfaceName: call.method, parameterNames: [], parameterValues: [])
        }
    }

    @Test func `calls of a queue run together up to the limit and are answered in order`() {
        var machine = Self.queueing()
        let count = ServerConnection.maximumConcurrentCalls
        let calls = (0..<count + 2).map { _ in Self.call("Q") }.joined()
        let all = repeatElement("Q", count: count).joined(separator: " ")
        #expect(name(machine.handleReceivedBytes(calls)) == all)
        let outcomes = (0..<count).map {
            ReplyMessage.Outcome.parameters(Array("{\"a\":\($0)}".utf8))
        }
        let (messages, next) = machine.handleOutcome(outcomes)
        #expect(messages == outcomes.map { ReplyMessage($0).message })
        #expect(name(next) == "Q Q")
    }

    @Test func `a call of another queue or of no queue waits for the replies`() {
        var machine = Self.queueing()
        let calls = ["Q", "Q", "R", "A", "A", "R", "Q"].map { Self.call($0) }.joined()
        var names = [name(machine.handleReceivedBytes(calls))]
        for count in [2, 1, 1, 1, 1, 1] {
            let (messages, next) = machine.handleOutcome(Array(repeating: emptyReply, count: count))
            #expect(messages == Array(repeating: reply, count: count))
            names.append(name(next))
        }
        #expect(names.dropLast() == ["Q Q", "R", "A", "A", "R", "Q"])
        #expect(names.last == "\(Action.wait(read: true))")
    }

    @Test func `a decoded call that waits stops reading and counts as buffered`() {
        var machine = Self.queueing()
        let parameters = #"{"a":"b"}"#
        _ = machine.handleReceivedBytes(
            Self.call("Q") + Self.call("A", #","parameters":"# + parameters))
        #expect(machine.wantsBytes == false)
        #expect(machine.pendingByteCount == parameters.utf8.count)
        #expect(machine.handleWritabilityChange(to: false) == .wait(read: false))
        #expect(machine.handleOutcome(emptyReply).next == .wait(read: false))
        #expect(name(machine.handleWritabilityChange(to: true)) == "A")
        #expect(machine.pendingByteCount == 0)
        #expect(machine.wantsBytes == true)
    }

    @Test func `a queued oneway call gets no reply`() {
        var machine = Self.queueing()
        let calls = Self.call("Q") + Self.call("Q", #","oneway":true"#) + Self.call("Q")
        #expect(name(machine.handleReceivedBytes(calls)) == "Q Q Q")
        let error = ReplyMessage.Outcome.error(.permissionDenied)
        let (messages, next) = machine.handleOutcome([emptyReply, emptyReply, error])
        #expect(messages == [reply, ReplyMessage(error).message])
        #expect(next == .wait(read: true))
    }

    @Test func `an invalid message after queued calls closes the connection after their replies`() {
        var machine = Self.queueing()
        #expect(name(machine.handleReceivedBytes(Self.call("Q") + Self.call("Q") + "x\0")) == "Q Q")
        #expect(machine.wantsBytes == false)
        let (messages, next) = machine.handleOutcome([emptyReply, emptyReply])
        #expect(messages == [reply, reply])
        #expect(next == .close(.notJSON(offset: 0)))
    }

    @Test(arguments: [#","oneway":true"#, ""])
    func `after a disconnect, a decoded call runs only if it is oneway`(rest: String) {
        var machine = Self.queueing()
        #expect(
            name(
                machine.handleReceivedBytes(Self.call("Q") + Self.call("Q") + Self.call("A", rest)))
                == "Q Q")
        #expect(machine.handleDisconnection() == .wait(read: false))
        let (messages, next) = machine.handleOutcome([emptyReply, emptyReply])
        #expect(messages.isEmpty)
        #expect(name(next) == (rest.isEmpty ? "\(Action.close(nil))" : "A"))
    }

    @Test func `queued calls of a disconnected client count toward the limit`() {
        var machine = Self.queueing(remainingCallsAfterDisconnect: 3)
        _ = machine.handleWritabilityChange(to: false)
        let oneway = Self.call("Q", #","oneway":true"#)
        _ = machine.handleReceivedBytes(oneway + oneway + Self.call("Q") + oneway + oneway)
        #expect(name(machine.handleDisconnection()) == "Q Q")
        #expect(machine.handleOutcome([emptyReply, emptyReply]).next == .close(nil))
        #expect(machine.droppedCallCount == 2)
    }
}

extension ServerConnection {
    fileprivate mutating func handleReceivedBytes(_ text: String) -> Action {
        Array(text.utf8).withUnsafeBytes { handleReceivedBytes($0) }
    }
}

extension ServerConnection {
    /// Handles the outcomes of running calls.
    fileprivate mutating func handleOutcome(_ outcomes: [ReplyMessage.Outcome]) -> (
        messages: [[UInt8]], next: Action
    ) {
        var (messages, next) = ([[UInt8]](), Action.wait(read: false))
        for outcome in outcomes {
            let message: [UInt8]?
            (message, next) = handleOutcome(outcome)
            if let message { messages.append(message) }
        }
        return (messages, next)
    }
}
