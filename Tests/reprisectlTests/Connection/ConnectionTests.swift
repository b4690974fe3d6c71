import Dispatch
import Glibc
import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Calls over connections that may close at any time.
@Suite struct ConnectionTests {
    @Test func `a call after the daemon closed the connection uses a new connection`() throws {
        let daemon = try StubDaemon()
        let calls = daemon.calls()
        calls.bundleIdentifier = "org.example.A"
        for _ in 0..<2 {
            let servingGroup = DispatchGroup()
            DispatchQueue(label: "own thread").async(group: servingGroup) {
                close(daemon.serve(#"{"parameters":{"saved":"written"}}"#))
            }
            #expect(try calls.make(TapCall.with { $0.path = "button" }).saved == .written)
            servingGroup.wait()
        }
    }

    @Test func `a disconnected connection is not used again`() throws {
        let daemon = try StubDaemon()
        let connection = DaemonConnection(socket: daemon.path, timeout: .seconds(60))
        for _ in 0..<2 {
            let servingGroup = DispatchGroup()
            DispatchQueue(label: "own thread").async(group: servingGroup) {
                daemon.serve(#"{"parameters":{}}"#)
            }
            _ = try connection.call(TapCall.with { $0.path = "button" }, isRepeatable: false)
            servingGroup.wait()
            connection.disconnect()
        }
    }

    /// Calls a closure with a connection to a daemon.
    ///
    /// - Parameters:
    ///   - reply: The reply to the first call, or `nil` if the daemon does not reply. The daemon then ignores the
    ///     connection, but does not close it.
    ///   - secondReply: The reply to the first call of the second connection.
    private func withConnection(
        _ reply: String?, then secondReply: String, _ body: (DaemonConnection) throws -> Void
    ) throws {
        let daemon = try StubDaemon()
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            let first = reply.map { daemon.serve($0) } ?? daemon.acceptConnection()
            let second = daemon.serve(secondReply)
            for connection in [first, second] { close(connection) }
        }
        let connection = DaemonConnection(socket: daemon.path, timeout: .seconds(60))
        defer {
            shutdown(daemon.listener, CInt(SHUT_RDWR))
            servingGroup.wait()
        }
        try body(connection)
    }

    @Test func `a call after a call without a reply uses a new connection`() throws {
        try withConnection(nil, then: #"{"parameters":{}}"#) { connection in
            let reply = connection.tryCall(HistoryCall(), within: .milliseconds(20))
            #expect(reply == nil)
            _ = try connection.call(TapCall.with { $0.path = "button" }, isRepeatable: false)
        }
    }

    /// Follows an application over connections that end with the given messages, and returns the number of replies.
    private func replyCount(
        _ messages: [[String]], followsOwner: Bool = true
    ) throws -> Int {
        let daemon = try StubDaemon()
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            for connectionMessages in messages {
                let connection = daemon.acceptConnection()
                _ = daemon.call(on: connection)
                for message in connectionMessages { daemon.send(message, on: connection) }
                // The client closes the connection.
                _ = daemon.call(on: connection)
                close(connection)
            }
        }
        let connection = DaemonConnection(
            socket: daemon.path, timeout: .seconds(60), followsOwner: followsOwner)
        var replyCount = 0
        defer {
            connection.disconnect()
            shutdown(daemon.listener, CInt(SHUT_RDWR))
            servingGroup.wait()
        }
        try connection.follow {
            ShowCall()
        } body: { _ in
            replyCount += 1
            return true
        }
        return replyCount
    }

    private static let streamedReply = #"{"continues":true,"parameters":{"text":"a"}}"#
    private static let ownerUnknown =
        #"{"error":"org.reprise.Control.OwnedElsewhere","parameters":{"application":"a"}}"#

    @Test func `a stream that follows an application continues after a takeover`() throws {
        let count = try replyCount([
            [Self.streamedReply, Self.ownerUnknown], [Self.ownerUnknown],
            [Self.streamedReply, #"{"parameters":{"text":"b"}}"#],
        ])
        #expect(count == 3)
    }

    @Test func `a stream ends at a takeover unless it follows the application`() throws {
        #expect(throws: Failure.self) {
            _ = try replyCount(
                [[Self.streamedReply, Self.ownerUnknown]], followsOwner: false)
        }
        // Before the first reply, the error is reported at once.
        #expect(throws: Failure.self) { _ = try replyCount([[Self.ownerUnknown]]) }
    }

    @Test func `after a reply that the daemon is stopping, a new connection is used`() throws {
        let error = #"{"error":"org.reprise.Control.DaemonEnding","parameters":{}}"#
        try withConnection(error, then: #"{"parameters":{"instance":"i","number":1}}"#) {
            connection in
            var replyCount = 0
            try connection.follow {
                MonitorCall()
            } body: { _ in
                replyCount += 1
                return true
            }
            #expect(replyCount == 1)
        }
    }
}
