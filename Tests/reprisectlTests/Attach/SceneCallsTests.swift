import Dispatch
import Glibc
import RepriseControl
import Testing

@testable import reprisectl

/// Calls of the terminal client, and their connection.
@Suite struct SceneCallsTests {
    @Test func `after a timeout, the next call uses another connection`() throws {
        let daemon = try StubDaemon()
        let reply = try StubDaemon.message(HistoryCall.Reply())
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            let silent = daemon.acceptConnection()
            let connection = daemon.serve(reply)
            // The client closes the connection.
            _ = daemon.call(on: connection)
            for descriptor in [silent, connection] { close(descriptor) }
        }
        let wakeSemaphore = DispatchSemaphore(value: 0)
        var timeouts = [Duration.seconds(60), .milliseconds(20)]
        let calls = SceneCalls(
            { DaemonConnection(socket: daemon.path, timeout: timeouts.popLast()) },
            waitForReply: { hasReply in
                while !hasReply() { wakeSemaphore.wait() }
                return true
            },
            wakeMainLoop: { wakeSemaphore.signal() })
        defer {
            calls.disconnect()
            shutdown(daemon.listener, CInt(SHUT_RDWR))
            servingGroup.wait()
        }
        #expect(throws: SceneCalls.CallError.self) {
            _ = try calls.make(applicationCall: HistoryCall())
        }
        _ = try calls.make(applicationCall: HistoryCall())
    }

    @Test func `if the user exits during a call, the connection is closed`() throws {
        let daemon = try StubDaemon()
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            let connection = daemon.acceptConnection()
            while daemon.call(on: connection) != nil {}
            close(connection)
        }
        let calls = SceneCalls(
            { DaemonConnection(socket: daemon.path, timeout: .seconds(3600)) },
            waitForReply: { _ in false }, wakeMainLoop: {})
        let error = #expect(throws: SceneCalls.CallError.self) {
            _ = try calls.make(applicationCall: HistoryCall())
        }
        #expect(error?.sentence == "the client is exiting")
        #expect(servingGroup.wait(timeout: .now() + .seconds(60)) == .success)
    }

    @Test func `a call wakes the client after the reply has been stored`() throws {
        let daemon = try StubDaemon()
        let reply = try StubDaemon.message(HistoryCall.Reply())
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            let connection = daemon.serve(reply)
            _ = daemon.call(on: connection)
            close(connection)
        }
        let didWake = DispatchSemaphore(value: 0)
        let didCheck = DispatchSemaphore(value: 0)
        let calls = SceneCalls(
            { DaemonConnection(socket: daemon.path) },
            waitForReply: { hasReply in
                didWake.wait()
                defer { didCheck.signal() }
                return hasReply()
            },
            wakeMainLoop: {
                didWake.signal()
                didCheck.wait()
            })
        defer {
            calls.disconnect()
            servingGroup.wait()
        }
        _ = try calls.make(applicationCall: HistoryCall())
    }
}
