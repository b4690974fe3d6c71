import Glibc
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// What a server bears of its clients, over a real socket.
struct ServerLimitsTests {
    private static let echo =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"a"}}"# + "\0"
    private static let reply = #"{"parameters":{"text":"a"}}"#
    private static let wait = #"{"method":"org.example.Test.Wait","oneway":true}"# + "\0"
    private static let unread = "A connection is closed, as its peer does not read."

    /// A call whose reply has so many bytes, and some more.
    private static func large(_ count: Int) -> String {
        #"{"method":"org.example.Test.Echo","parameters":{"text":"x","times":\#(count)}}"# + "\0"
    }

    // MARK: Connections

    @Test func `a connection over the user's limit gets the error for it, then the close`()
        async throws
    {
        let log = LogRecorder()
        var limits = ServerLimits()
        limits.connectionsPerUser = 2
        limits.tooManyConnections = { VarlinkError(name: "org.example.Test.Full\($0)") }
        try await TestService.run(limits: limits, logger: log.logger()) { service in
            let both = [try service.raw(), try service.raw()]
            for raw in both {
                try raw.send(Self.echo)
                #expect(try raw.receive() == Self.reply)
            }
            for _ in 0..<10 {
                let third = try service.raw()
                #expect(
                    try third.receive() == #"{"error":"org.example.Test.Full2","parameters":{}}"#)
                #expect(try third.receive() == nil)
            }
            #expect(log.messages(from: .notice) == ["A connection is refused and closed."])
            let metadata = try #require(log.entries.last).metadata
            #expect(metadata["reason"] == "the user has 2 connections, as many as one may have")
            #expect(metadata["uid"] == "\(geteuid())")
            for raw in both {
                try raw.send(Self.echo)
                #expect(try raw.receive() == Self.reply)
            }
        }
    }

    @Test func `all users together have a limit, too`() async throws {
        var limits = ServerLimits()
        limits.connections = 1
        limits.tooManyConnections = { VarlinkError(name: "org.example.Test.Full\($0)") }
        try await TestService.run(limits: limits) { service in
            let first = try service.raw()
            try first.send(Self.echo)
            #expect(try first.receive() == Self.reply)
            #expect(
                try service.raw().receive()
                    == #"{"error":"org.example.Test.Full1","parameters":{}}"#)
            #expect(service.server.register.all.count == 1)
        }
    }

    @Test func `one that has closed counts no more, also while its call is carried out`()
        async throws
    {
        try await TestService.run(limits: .with { $0.connectionsPerUser = 1 }) { service in
            try service.raw().send(Self.wait)
            await service.began.wait()
            var reply: String?
            for _ in 0..<10_000 where reply == nil {
                let next = try service.raw()
                do { try next.send(Self.echo) } catch { continue }
                reply = try next.receive()
            }
            #expect(reply == Self.reply)
        }
    }

    // MARK: Unread replies

    @Test func `of those who read nothing the one is closed that has not read for longest`()
        async throws
    {
        let log = LogRecorder()
        try await TestService.run(
            limits: .with { $0.unsentBytes = 4 << 20 }, logger: log.logger()
        ) { service in
            let stuck = try (0..<3).map { _ in try service.raw() }
            let client = try service.client()
            for (index, raw) in stuck.enumerated() {
                try raw.send(Self.large(3 << 20))
                // Its reply is made when another call is answered behind it.
                while service.echoes.count <= index {
                    _ = try client.call("org.example.Test.Count")
                }
            }
            // Two are too much: the first went for the second, and that for the third.
            for raw in stuck.dropLast() {
                #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
            }
            let last = try #require(stuck.last)
            #expect(
                try last.receive()?.utf8.count == 3 << 20 + #"{"parameters":{"text":""}}"#.count)
            #expect(log.messages(from: .notice) == [Self.unread])
        }
    }

    @Test func `a single reply may be larger than the limit`() async throws {
        try await TestService.run(limits: .with { $0.unsentBytes = 1000 }) { service in
            let raw = try service.raw()
            try raw.send(Self.large(1 << 20) + Self.echo)
            #expect(try #require(try raw.receive()).utf8.count > 1 << 20)
            #expect(try raw.receive() == Self.reply)
        }
    }

    @Test func `one that reads nothing for long is closed`() async throws {
        let log = LogRecorder()
        var limits = ServerLimits()
        limits.unsentTime = .milliseconds(1)
        try await TestService.run(limits: limits, logger: log.logger()) { service in
            let raw = try service.raw()
            try raw.send(Self.large(3 << 20))
            while log.messages(from: .notice).isEmpty { await Task.yield() }
            #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
            #expect(log.messages(from: .notice) == [Self.unread])
        }
    }

    @Test func `one that reads nothing does not keep the server from stopping`() async throws {
        // The server has come to its end while the socket is open.
        let raw = try await TestService.run(
            limits: .with {
                $0.unsentTime = .seconds(3600); $0.drain = .seconds(3600)
            }
        ) { service in
            let raw = try service.raw()
            try raw.send(Self.large(3 << 20))
            let client = try service.client()
            while service.echoes.count == 0 { _ = try client.call("org.example.Test.Count") }
            service.server.stop()
            return raw
        }
        #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
    }

    // MARK: Descriptors

    @Test func `without free descriptors accepting pauses, and goes on when there are some`() async
    {
        await #expect(processExitsWith: .success) {
            let log = LogRecorder()
            try await TestService.run(logger: log.logger()) { service in
                let first = try service.raw()
                try first.send(Self.echo)
                #expect(try first.receive() == Self.reply)
                let second = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
                var taken: [CInt] = []
                while true {
                    let descriptor = dup(second)
                    if descriptor < 0 { break }
                    taken.append(descriptor)
                }
                #expect(UnixAddress.connectSocket(second, to: service.path) == 0)
                let message = "A connection could not be accepted"
                while log.count(message) == 0 { await Task.yield() }
                for _ in 0..<100 {
                    try first.send(Self.echo)
                    #expect(try first.receive() == Self.reply)
                }
                #expect(service.server.refusals.heldBack(message) == 0)
                for descriptor in taken { close(descriptor) }
                let raw = RawSocket(descriptor: second)
                try raw.send(Self.echo)
                #expect(try raw.receive() == Self.reply)
            }
        }
    }

    // MARK: The log

    @Test func `what a user does is told once a minute, with how often it was before`() {
        let log = LogRecorder()
        let time = Mutex(NIODeadline.uptimeNanoseconds(0))
        let refusals = RefusalLog(log.logger(), now: { time.withLock { $0 } })
        let (one, other) = (Peer(pid: 1, uid: 1, gid: 1), Peer(pid: 2, uid: 2, gid: 2))
        for _ in 0..<10 { refusals.tell("It is refused", "so", one) }
        refusals.tell("It is refused", "so", other)
        refusals.tell("It is closed", "so", one)
        #expect(
            log.messages(from: .notice) == ["It is refused.", "It is refused.", "It is closed."])
        #expect(log.entries.allSatisfy { $0.metadata["before"] == nil })
        time.withLock { $0 = $0 + .minutes(1) }
        refusals.tell("It is refused", "so", one)
        #expect(log.entries.count == 4)
        #expect(
            log.entries.last?.metadata
                == ["reason": "so", "pid": "1", "uid": "1", "before": "9"])
    }
}
