import Glibc
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// Calls and replies on single connections, and connections whose clients do not read.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    private static let echo =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"a"}}"# + "\0"
    private static let reply = #"{"parameters":{"text":"a"}}"#
    private static let wait = #"{"method":"org.example.Test.Wait"}"# + "\0"
    private static let emptyReply = #"{"parameters":{}}"#

    /// Returns a call whose reply has a text of this length.
    private static func long(_ count: Int) -> String {
        #"{"method":"org.example.Test.Echo","parameters":{"text":"x","times":\#(count)}}"# + "\0"
    }

    /// Returns a call with two large replies, which are never deferred.
    private static func stream() -> String {
        let text = String(repeating: "x", count: 900_000)
        return #"{"method":"org.example.Test.Repeat","parameters":{"text":"\#(text)","times":2},"#
            + #""more":true}"# + "\0"
    }

    /// Returns a queued call that replies as soon as this number of calls have started.
    private static func gather(_ count: Int) -> String {
        #"{"method":"org.example.Test.Gather","parameters":{"queue":"a","count":\#(count)}}"#
            + "\0"
    }

    /// Makes calls on another connection. The event loop meanwhile runs the work that it still has.
    private func makeOtherCalls(_ service: TestService) throws {
        let client = try service.client()
        for _ in 0..<50 { _ = try client.call("org.example.Test.Count") }
    }

    private func waitForUnreadReplies(
        of count: Int, _ registry: ConnectionRegistry
    ) async throws {
        try await waitUntil("replies are unread") {
            registry.clients.count { $0.unreadByteCount > 0 } == count
        }
    }

    // MARK: Calls

    @Test(arguments: [(3, 3), (64, ServerConnection.maximumConcurrentCalls)])
    func `no more calls run together than a turn or the default limit allows`(
        maximumCallsPerTimeSlice: Int, expected: Int
    ) async throws {
        let registry = ConnectionRegistry()
        try await TestService.run(
            limits: .with { $0.maximumCallsPerTimeSlice = maximumCallsPerTimeSlice },
            registry: registry
        ) { service in
            let raw = try service.raw()
            let gather = Self.gather(expected + 1)
            try raw.send(String(repeating: gather, count: expected) + Self.gather(1))
            try await waitUntil("the calls have started") {
                registry.clients.first.map { $0.callCount >= expected } ?? false
            }
            try makeOtherCalls(service)
            #expect(registry.clients.first?.callCount == expected)
            // This call completes the number of calls for which the others wait.
            let other = try service.raw()
            try other.send(gather)
            #expect(try other.receive() != nil)
            for _ in 0...expected { #expect(try raw.receive() != nil) }
        }
    }

    @Test func `no reply waits for a later call, even if calls of one client take several turns`()
        async throws
    {
        try await TestService.run(limits: .with { $0.maximumCallsPerTimeSlice = 1 }) { service in
            let raw = try service.raw()
            try raw.send(String(repeating: Self.echo, count: 5) + Self.wait)
            for _ in 0..<5 { #expect(try raw.receive() == Self.reply) }
            service.release.send()
            #expect(try raw.receive() == Self.emptyReply)
        }
    }

    @Test func `a call is received while an earlier call is still running`() async throws {
        let registry = ConnectionRegistry()
        try await TestService.run(registry: registry) { service in
            let raw = try service.raw()
            try raw.send(Self.wait)
            await service.began.wait()
            try raw.send(Self.echo)
            let count = Self.wait.utf8.count + Self.echo.utf8.count
            try await waitUntil("the second call is received") {
                registry.clients.first?.receivedByteCount == count
            }
            service.release.send()
            #expect(try raw.receive() == Self.emptyReply)
            #expect(try raw.receive() == Self.reply)
        }
    }

    @Test func `calls that have not started when the shutdown timeout expires do not run`()
        async throws
    {
        let service = try await TestService.run(limits: .with { $0.drainTimeout = .zero }) {
            service in
            let raw = try service.raw()
            let oneway = Self.echo.replacing("{\"method", with: "{\"oneway\":true,\"method")
            try raw.send(Self.wait + String(repeating: oneway, count: 5))
            await service.began.wait()
            service.server.stop()
            #expect(try raw.receive() == nil)
            return service
        }
        #expect(service.echoes.count == 0)
    }

    // MARK: Clients that do not read

    @Test func `queued calls create their replies in order while any replies are unread`()
        async throws
    {
        let limits = ServerLimits.with { $0.unreadReplyTimeout = .seconds(3600) }
        try await TestService.run(limits: limits) { service in
            let stuck = try service.raw()
            try stuck.send(Self.long(3 << 20))
            try await waitForUnreadReplies(of: 1, service.server.registry)
            let raw = try service.raw()
            let count = ServerConnection.maximumConcurrentCalls
            try raw.send(String(repeating: Self.gather(count), count: count))
            for _ in 0..<count { #expect(try raw.receive() != nil) }
            #expect(service.gatheredReplies.numbers.withLock { $0 } == Array(1...count))
            withExtendedLifetime(stuck) {}
        }
    }

    @Test func `only calls of methods that have returned more than 64 KiB are deferred`()
        async throws
    {
        var limits = ServerLimits.with {
            $0.maximumUnreadBytesPerUser = 100_000
            $0.unreadReplyTimeout = .seconds(3600)
        }
        limits.readCheckInterval = .seconds(3600)
        try await TestService.run(limits: limits) { service in
            var stuck = try (0..<2).map { _ in try service.raw() }
            for client in stuck { try client.send(Self.stream()) }
            try await waitForUnreadReplies(of: 2, service.server.registry)
            let raw = try service.raw()
            // The parameters of the first two replies have exactly 64 KiB.
            let text = 65_536 - #"{"text":""}"#.utf8.count
            for times in [text, text, text + 1] {
                try raw.send(Self.long(times))
                #expect(
                    try raw.receive()?.utf8.count
                        == times + #"{"parameters":{"text":""}}"#.utf8.count)
            }
            try raw.send(Self.echo)
            try makeOtherCalls(service)
            #expect(service.echoes.count == 3)
            stuck.removeAll()
            #expect(try raw.receive() == Self.reply)
        }
    }

    @Test
    func `clients that stop reading are closed until the unread replies are within the limit`()
        async throws
    {
        let time = Mutex(NIODeadline.uptimeNanoseconds(1 << 60))
        let registry = ConnectionRegistry(now: { time.withLock { $0 } })
        let refused = AwaitableState<[Refusal]>([])
        var limits = ServerLimits.with {
            $0.maximumUnreadBytesPerUser = 100_000
            $0.unreadReplyTimeout = .seconds(3600)
        }
        limits.readCheckInterval = .milliseconds(1)
        try await TestService.run(
            limits: limits, registry: registry,
            onRefusal: { refusal, _, _ in refused.change { $0.append(refusal) } }
        ) { service in
            let clients = try (0..<3).map { _ in try service.raw() }
            // At first, each client reads a large reply.
            for client in clients {
                try client.send(Self.long(3 << 20))
                #expect(try client.receive()?.hasSuffix("\"}}") == true)
            }
            try await waitForUnreadReplies(of: 0, registry)
            try makeOtherCalls(service)
            for client in clients { try client.send(Self.stream()) }
            try await waitForUnreadReplies(of: 3, registry)
            try makeOtherCalls(service)
            #expect(refused.state == [])
            time.withLock { $0 = $0 + .seconds(1) }
            await refused.wait { $0.count >= 2 }
            // A single connection may exceed the limit.
            #expect(clients.count { (try? $0.receive()) != nil } == 1)
            #expect(refused.state == [.unread, .unread])
        }
    }

    @Test(arguments: [true, false])
    func `a connection that is closing does not wait for a client that leaves a few bytes unread`(
        stops: Bool
    ) async throws {
        let log = LogRecorder()
        let registry = ConnectionRegistry()
        var limits = ServerLimits.with {
            $0.unreadReplyTimeout = stops ? .seconds(3600) : .milliseconds(1)
            $0.drainTimeout = .seconds(3600)
        }
        limits.unreadReplyTimeoutAtStop = .milliseconds(1)
        try await TestService.run(
            limits: limits, registry: registry, logger: log.logger()
        ) { service in
            let raw = try service.raw()
            let size = 10_000 + #"{"parameters":{"text":""}}"#.utf8.count + 1
            var sentByteCount = 0
            var arrivedByteCount: CInt = 0
            // As soon as the socket's buffer is full, one reply stays in the server.
            repeat {
                try raw.send(Self.long(10_000))
                sentByteCount += size
                let expected = sentByteCount
                try await waitUntil("the reply is written") {
                    registry.clients.first?.sentByteCount == expected
                }
                try await service.server.group.next().submit {}.get()
                try #require(ioctl(raw.descriptor, UInt(FIONREAD), &arrivedByteCount) == 0)
            } while Int(arrivedByteCount) == sentByteCount
            #expect(registry.clients.map(\.unreadByteCount) == [0])
            if stops {
                try raw.send(Self.wait)
                await service.began.wait()
                service.server.stop()
            } else {
                try raw.send("x\0")
            }
            await log.wait { entries in
                entries.contains {
                    $0.message == "A connection is closed, because its peer does not read."
                }
            }
            try await waitUntil("the connection is closed") { registry.count == 0 }
            withExtendedLifetime(raw) {}
        }
    }

    @Test func `a client that has read earlier replies does not keep the server from stopping`()
        async throws
    {
        var limits = ServerLimits.with {
            $0.unreadReplyTimeout = .seconds(3600)
            $0.drainTimeout = .seconds(3600)
        }
        limits.readCheckInterval = .seconds(3600)
        limits.unreadReplyTimeoutAtStop = .milliseconds(1)
        let raw = try await TestService.run(limits: limits) { service in
            let raw = try service.raw()
            try raw.send(Self.long(3 << 20))
            #expect(try raw.receive()?.hasSuffix("\"}}") == true)
            // The client reads neither of these replies until the server has stopped.
            try raw.send(Self.wait + Self.long(3 << 20))
            await service.began.wait()
            service.server.stop()
            return raw
        }
        #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
    }

    @Test func `queued calls end if their client disconnects without reading the replies`()
        async throws
    {
        let line =
            #"{"method":"org.example.Test.Line","parameters":{"text":"a","times":1000000}}"# + "\0"
        let registry = ConnectionRegistry()
        let limits = ServerLimits.with {
            $0.unreadReplyTimeout = .seconds(3600)
            $0.drainTimeout = .seconds(3600)
        }
        // The server stops as soon as all calls have ended.
        try await TestService.run(limits: limits, registry: registry) { service in
            let raw = try service.raw()
            try raw.send(String(repeating: line, count: ServerConnection.maximumConcurrentCalls))
            try await waitForUnreadReplies(of: 1, registry)
            withExtendedLifetime(raw) {}
        }
        #expect(registry.count == 0)
    }
}
