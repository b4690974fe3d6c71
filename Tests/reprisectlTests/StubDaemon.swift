import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import reprisectl

/// A socket that replies to calls like a daemon.
final class StubDaemon: Sendable {
    let scratch: ScratchDirectory
    let path: String
    let listener: CInt

    init() throws {
        scratch = try ScratchDirectory()
        path = scratch.file("control")
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isListening = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
                == 0 && listen(listener, 8) == 0
        }
        try #require(isListening)
    }

    deinit { close(listener) }

    /// Lock that is held while a program is started, or while a connection exists that no program may inherit.
    static let inheritance = Mutex(())

    /// Waits for the next connection. Returns a negative number if no more connections can arrive.
    func acceptConnection() -> CInt {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, -1)
        return Self.inheritance.withLock { _ in
            let connection = accept(listener, nil, nil)
            if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
            return connection
        }
    }

    /// Returns calls that use connections to this socket.
    func calls() -> SceneCalls {
        let wakeSemaphore = DispatchSemaphore(value: 0)
        return SceneCalls(
            { [path] in DaemonConnection(socket: path) },
            waitForReply: { hasReply in
                while !hasReply() { wakeSemaphore.wait() }
                return true
            },
            wakeMainLoop: { wakeSemaphore.signal() })
    }

    /// Replies to the first call of the next connection.
    ///
    /// - Returns: The connection, which stays open.
    @discardableResult
    func serve(_ reply: String) -> CInt {
        let connection = acceptConnection()
        _ = call(on: connection)
        send(reply, on: connection)
        return connection
    }

    /// Replies to all calls of the next connection until the client closes it.
    ///
    /// - Parameter replies: The parameters of the reply to each method, as a JSON object.
    func serve(_ replies: [String: String]) {
        let connection = acceptConnection()
        while let call = call(on: connection) {
            let reply = replies.first { call.contains("\"\($0.key)\"") }
            send(#"{"parameters":\#(reply?.value ?? "{}")}"#, on: connection)
        }
        close(connection)
    }

    /// Replies to the calls of the next connection in order, until the client closes it.
    func serve(inOrder replies: [String]) {
        let connection = acceptConnection()
        var rest = replies[...]
        while call(on: connection) != nil { send(rest.popFirst() ?? "{}", on: connection) }
        close(connection)
    }

    /// Calls a closure with calls to which a daemon replies.
    ///
    /// - Parameter replies: The parameters of the reply to each method.
    static func withCalls(
        _ replies: [String: any JSONWritable & Sendable], _ body: (SceneCalls) throws -> Void
    ) throws {
        let texts = try replies.mapValues { try text($0) }
        try withCalls(servedBy: { $0.serve(texts) }, body)
    }

    /// Calls a closure with calls to which a daemon replies in order.
    ///
    /// - Parameter replies: The messages, for example from ``message(_:)``.
    static func withCalls(
        inOrder replies: [String], _ body: (SceneCalls) throws -> Void
    ) throws {
        try withCalls(servedBy: { $0.serve(inOrder: replies) }, body)
    }

    private static func withCalls(
        servedBy serve: @escaping @Sendable (StubDaemon) -> Void,
        _ body: (SceneCalls) throws -> Void
    ) throws {
        let daemon = try StubDaemon()
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) { serve(daemon) }
        let calls = daemon.calls()
        defer {
            calls.disconnect()
            servingGroup.wait()
        }
        try body(calls)
    }

    /// Returns the message that contains a reply.
    static func message(_ reply: some JSONWritable) throws -> String {
        #"{"parameters":\#(try text(reply))}"#
    }

    static func text(_ reply: some JSONWritable) throws -> String {
        String(decoding: try JSONText.write(reply), as: UTF8.self)
    }

    /// Returns the method of a call, such as `Tap`, and the JSON text of its parameters.
    ///
    /// If the client expects several replies, the text ends with `,"more":true`.
    static func parts(of call: String) -> (method: String, parameters: String) {
        let text = call.replacing("{\"method\":\"org.reprise.Control.", with: "")
        let method = String(text.prefix { $0 != "\"" })
        let parameters = text.dropFirst("\(method)\",\"parameters\":".count).dropLast()
        return (method, String(parameters))
    }

    /// Returns the next call, or `nil` if the client closed the connection.
    func call(on connection: CInt) -> String? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(connection, &piece, piece.count, CInt(MSG_PEEK)), count > 0 {
            let end = piece[..<count].firstIndex(of: 0)
            _ = read(connection, &piece, end.map { $0 + 1 } ?? count)
            bytes += piece[..<(end ?? count)]
            if end != nil { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    func send(_ reply: String, on connection: CInt) {
        let bytes = Array((reply + "\0").utf8)
        // A client may close the connection before it has read everything.
        _ = bytes.withUnsafeBytes {
            Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
    }
}
