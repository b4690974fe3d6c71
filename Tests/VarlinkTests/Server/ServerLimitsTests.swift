import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// Limits that a server applies to its clients, tested over a real socket.
struct ServerLimitsTests {
    private static let echo =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"a"}}"# + "\0"
    private static let reply = #"{"parameters":{"text":"a"}}"#
    private static let wait = #"{"method":"org.example.Test.Wait","oneway":true}"# + "\0"
    private static let unread = "A connection is closed, because its peer does not read."

    /// Returns a call whose reply is slightly larger than a number of bytes.
    private static func large(_ count: Int) -> String {
        #"{"method":"org.example.Test.Echo","parameters":{"text":"x","times":\#(count)}}"# + "\0"
    }

    // MARK: Connections

    @Test func `a connection over the user's limit gets an error and is closed`()
        async throws
    {
        let log = LogRecorder()
        var limits = ServerLimits()
        limits.maximumConnectionsPerUser = 2
        limits.makeTooManyConnectionsError = { VarlinkError(name: "org.example.Test.Full\($0)") }
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
            #expect(
                metadata["reason"] == "the user has 2 connections, which is the maximum for a user")
            #expect(metadata["uid"] == "\(geteuid())")
            for raw in both {
                try raw.send(Self.echo)
                #expect(try raw.receive() == Self.reply)
            }
        }
    }

    @Test func `connections of all users together are limited`() async throws {
        var limits = ServerLimits()
        limits.maximumConnections = 1
        limits.makeTooManyConnectionsError = { VarlinkError(name: "org.example.Test.Full\($0)") }
        try await TestService.run(limits: limits) { service in
            let first = try service.raw()
            try first.send(Self.echo)
            #expect(try first.receive() == Self.reply)
            #expect(
                try service.raw().receive()
                    == #"{"error":"org.example.Test.Full1","parameters":{}}"#)
            #expect(service.server.registry.count == 1)
        }
    }

    @Test func `a closed connection does not count, even while its call runs`()
        async throws
    {
        try await TestService.run(limits: .with { $0.maximumConnectionsPerUser = 1 }) { service in
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

    @Test func `the calls of many short-lived clients all run`()
        async throws
    {
        try await TestService.run(limits: .with { $0.maximumConnectionsPerUser = 4 }) { service in
            let oneway = Self.echo.replacing("}}\0", with: #"},"oneway":true}"# + "\0")
            for _ in 0..<500 { try service.raw().send(oneway) }
            try await waitUntil("all are carried out") { service.echoes.count == 500 }
        }
    }

    // MARK: Unread replies

    @Test func `the client that has not read for the longest time is closed first`()
        async throws
    {
        let log = LogRecorder()
        try await TestService.run(
            limits: .with {
                $0.maximumUnreadBytesPerUser = 4 << 20; $0.readCheckInterval = .milliseconds(1)
            },
            logger: log.logger()
        ) { service in
            let stuck = try (0..<3).map { _ in try service.raw() }
            let client = try service.client()
            for (index, raw) in stuck.enumerated() {
                try raw.send(Self.large(3 << 20))
                // The reply exists when the server has replied to a later call.
                while service.echoes.count <= index {
                    _ = try client.call("org.example.Test.Count")
                }
            }
            // Two unread replies exceed the limit, so the second closed the first, and the third closed the second.
            for raw in stuck.dropLast() {
                #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
            }
            let last = try #require(stuck.last)
            #expect(
                try last.receive()?.utf8.count == 3 << 20 + #"{"parameters":{"text":""}}"#.count)
            #expect(log.messages(from: .notice) == [Self.unread])
        }
    }

    @Test func `calls that start together stop creating replies at the limit on unread bytes`()
        async throws
    {
        var limits = ServerLimits.with { $0.maximumUnreadBytesPerUser = 4 << 20 }
        limits.readCheckInterval = .seconds(3600)
        let registry = ConnectionRegistry()
        try await TestService.run(limits: limits, registry: registry) { service in
            let stuck = try (0..<10).map { _ in try service.raw() }
            for raw in stuck {
                try raw.send(
                    Self.large(3 << 20).replacing("}}", with: #","late":true}}"#))
            }
            try await waitUntil("all have begun") { service.echoes.count == 10 }
            service.release.send()
            func unread() -> Int { registry.clients.count { $0.unreadByteCount > 0 } }
            try await waitUntil("two are too much") { unread() >= 2 }
            // The remaining work of the calls is done before these jobs run.
            for _ in 0..<3 { try await service.server.group.next().submit {}.get() }
            #expect(unread() == 2)
            // The server still replies to calls with small replies.
            _ = try service.client().call("org.example.Test.Count")
        }
    }

    @Test func `a single reply may exceed the limit`() async throws {
        try await TestService.run(limits: .with { $0.maximumUnreadBytesPerUser = 1000 }) {
            service in
            let raw = try service.raw()
            try raw.send(Self.large(1 << 20) + Self.echo)
            #expect(try #require(try raw.receive()).utf8.count > 1 << 20)
            #expect(try raw.receive() == Self.reply)
        }
    }

    @Test func `a client that reads nothing for too long is closed`() async throws {
        let log = LogRecorder()
        var limits = ServerLimits()
        limits.unreadReplyTimeout = .milliseconds(1)
        limits.readCheckInterval = .seconds(3600)
        try await TestService.run(limits: limits, logger: log.logger()) { service in
            let raw = try service.raw()
            try raw.send(Self.large(3 << 20))
            await log.wait(for: Self.unread)
            #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
            #expect(log.messages(from: .notice) == [Self.unread])
        }
    }

    @Test
    func `clients that read get every reply, even if their replies exceed the limit together`()
        async throws
    {
        let log = LogRecorder()
        let limits = ServerLimits.with {
            $0.maximumUnreadBytesPerUser = 1 << 20; $0.unreadReplyTimeout = .seconds(3600)
            // On a busy machine, a reader may pause for longer than the usual second.
            $0.readCheckInterval = .seconds(3600)
        }
        try await TestService.run(limits: limits, logger: log.logger()) { service in
            let readers = try (0..<5).map { _ in try service.raw() }
            let size = 3 << 20
            for raw in readers { try raw.send(Self.large(size)) }
            let whole = size + #"{"parameters":{"text":""}}"#.utf8.count + 1
            // Each client reads a few bytes at a time, so that most clients have unread bytes.
            var read = readers.map { _ in 0 }
            while read.contains(where: { $0 < whole }) {
                var entries = zip(readers, read).map { raw, count in
                    pollfd(
                        fd: count < whole ? raw.descriptor : -1, events: Int16(POLLIN), revents: 0)
                }
                try #require(poll(&entries, nfds_t(entries.count), 60_000) > 0)
                for index in entries.indices where entries[index].revents != 0 {
                    read[index] += try readers[index].receive(atMost: 100_000)
                }
            }
            #expect(read == readers.map { _ in whole })
            #expect(log.messages(from: .notice).isEmpty)
        }
    }

    @Test func `unread replies of all users together are limited`() async throws {
        let log = LogRecorder()
        let limits = ServerLimits.with {
            $0.maximumUnreadBytesPerUser = 1 << 20; $0.readCheckInterval = .milliseconds(1)
        }
        let users = TestService.Counter()
        try await TestService.run(limits: limits, logger: log.logger()) { service in
            service.server.state.withLock {
                $0.identifyPeer = { _ in
                    users.add()
                    return Peer(pid: 1, uid: uid_t(1000 + users.count), gid: 1)
                }
            }
            let stuck = try (0..<2).map { _ in try service.raw() }
            for raw in stuck { try raw.send(Self.large(3 << 20)) }
            await log.wait(for: Self.unread)
            #expect(log.messages(from: .notice) == [Self.unread])
            // One connection stays open, because a single reply may have any size.
            #expect(stuck.count { (try? $0.receive()) != nil } == 1)
        }
    }

    @Test func `limits can be as large as Int.max`() async throws {
        let limits = ServerLimits.with {
            $0.maximumConnectionsPerUser = .max
            $0.maximumConnections = .max
            $0.maximumUnreadBytesPerUser = .max
            $0.maximumCallsPerTimeSlice = .max
        }
        #expect(limits.maximumConnectionsIncludingClosed == .max)
        #expect(limits.maximumUnreadBytesOfAllUsers == .max)
        try await TestService.run(limits: limits) { service in
            let raw = try service.raw()
            try raw.send(Self.large(3 << 20) + Self.echo)
            #expect(try #require(try raw.receive()).utf8.count > 3 << 20)
            #expect(try raw.receive() == Self.reply)
        }
    }

    @Test
    func `a client with a running call that reads nothing does not keep the server from stopping`()
        async throws
    {
        let raw = try await TestService.run(
            limits: .with {
                $0.unreadReplyTimeout = .seconds(3600)
                $0.unreadReplyTimeoutAtStop = .milliseconds(1)
                $0.drainTimeout = .seconds(3600)
            }
        ) { service in
            let raw = try service.raw()
            try raw.send(#"{"method":"org.example.Test.Wait"}"# + "\0" + Self.large(3 << 20))
            await service.began.wait()
            service.server.stop()
            return raw
        }
        #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
    }

    @Test func `a client that reads nothing does not keep the server from stopping`() async throws {
        // The server has stopped while the socket is still open.
        let raw = try await TestService.run(
            limits: .with {
                $0.unreadReplyTimeout = .seconds(3600)
                $0.unreadReplyTimeoutAtStop = .milliseconds(1)
                $0.drainTimeout = .seconds(3600)
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

    @Test func `after a stop, the shorter timeout applies to a client that reads nothing`()
        async throws
    {
        let raw = try await TestService.run(
            limits: .with {
                $0.unreadReplyTimeout = .milliseconds(1)
                $0.unreadReplyTimeoutAtStop = .seconds(3600)
                $0.drainTimeout = .seconds(3600)
            }
        ) { service in
            let raw = try service.raw()
            try raw.send(#"{"method":"org.example.Test.Wait"}"# + "\0" + Self.large(3 << 20))
            await service.began.wait()
            service.server.stop()
            return raw
        }
        #expect(throws: SocketError.self) { while try raw.receive() != nil {} }
    }

    // MARK: Descriptors

    @Test func `listening without free descriptors fails and identifies the system call`()
        async
    {
        await #expect(processExitsWith: .success) {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let scratch = try ScratchDirectory()
            let server = try VarlinkServer(
                info: ServiceInfo(vendor: "", product: "", version: "", url: ""), interfaces: [],
                group: group, logger: .quiet)
            let path = scratch.file("socket")
            let bound = try ListeningSocket(path: scratch.file("inherited"), mode: 0o600)
            var descriptors: [CInt] = []
            while descriptors.last != -1 { descriptors.append(dup(0)) }
            let error = SocketError(call: "eventfd", errno: EMFILE)
            await #expect(throws: ListenError.system(error, path: path)) {
                try await server.listen(path: path)
            }
            let name = "descriptor \(bound.descriptor)"
            await #expect(throws: ListenError.system(error, path: name)) {
                try await server.listen(inheritedDescriptor: bound.descriptor)
            }
            #expect(server.state.withLock { $0.listeners.isEmpty })
            for descriptor in descriptors { close(descriptor) }
            try await server.listen(path: path)
            server.stop()
            try await group.shutdownGracefully()
        }
    }

    @Test func `without free descriptors, accepting pauses until some are free`() async {
        await #expect(processExitsWith: .success) {
            let log = LogRecorder()
            try await TestService.run(logger: log.logger()) { service in
                let first = try service.raw()
                try first.send(Self.echo)
                #expect(try first.receive() == Self.reply)
                let second = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
                var descriptors: [CInt] = []
                while true {
                    let descriptor = dup(second)
                    if descriptor < 0 { break }
                    descriptors.append(descriptor)
                }
                #expect(UnixAddress.connectSocket(second, to: service.path) == 0)
                await log.wait(for: "A connection could not be accepted.")
                for _ in 0..<100 {
                    try first.send(Self.echo)
                    #expect(try first.receive() == Self.reply)
                }
                #expect(service.server.refusalLog.suppressedCount(of: .acceptFailed) == 0)
                for descriptor in descriptors { close(descriptor) }
                let raw = RawSocket(descriptor: second)
                try raw.send(Self.echo)
                #expect(try raw.receive() == Self.reply)
            }
        }
    }

    // MARK: The log

    @Test func `a user's refusals are logged once a minute, with the number that was suppressed`()
        throws
    {
        let log = LogRecorder()
        let time = Mutex(NIODeadline.uptimeNanoseconds(0))
        let tasks = Mutex<[(TimeAmount, @Sendable () -> Void)]>([])
        let loggedFlags = Mutex<[Bool]>([])
        let refusals = RefusalLog(
            log.logger(),
            onRefusal: { _, _, isLogged in loggedFlags.withLock { $0.append(isLogged) } },
            now: { time.withLock { $0 } },
            schedule: { amount, body in tasks.withLock { $0.append((amount, body)) } })
        let (one, other) = (Peer(pid: 1, uid: 1, gid: 1), Peer(pid: 2, uid: 2, gid: 2))
        refusals.log(.malformed, "so", one)
        #expect(tasks.withLock { $0.isEmpty })
        time.withLock { $0 = $0 + .seconds(20) }
        for number in 1..<10 { refusals.log(.malformed, "so \(number)", one) }
        refusals.log(.malformed, "so", other)
        refusals.log(.notPermitted, "so", one)
        let malformed = "A connection is closed without a reply"
        #expect(
            log.messages(from: .notice)
                == ["\(malformed).", "\(malformed).", "A call is refused."])
        #expect(
            loggedFlags.withLock { $0.count { $0 } } == 3 && loggedFlags.withLock { $0.count } == 12
        )
        let (amount, runTask) = try #require(tasks.withLock { $0.count == 1 ? $0[0] : nil })
        #expect(amount == .seconds(40))
        time.withLock { $0 = $0 + .seconds(40) }
        runTask()
        #expect(log.entries.count == 4)
        #expect(log.entries.last?.message == "\(malformed): 9 more within a minute.")
        #expect(log.entries.last?.metadata == ["reason": "so 9", "pid": "1", "uid": "1"])
        // The next minute has begun.
        refusals.log(.malformed, "so", one)
        #expect(log.entries.count == 4)
        #expect(refusals.suppressedCount(of: .malformed) == 1)
    }

    /// Log of refusals whose time and timers the test controls.
    private final class TestRefusalLog: Sendable {
        let recorder = LogRecorder()
        private let time = Mutex(NIODeadline.uptimeNanoseconds(0))
        private let timers = Mutex<[@Sendable () -> Void]>([])

        func log() -> RefusalLog {
            RefusalLog(
                recorder.logger(), now: { self.time.withLock { $0 } },
                schedule: { _, body in self.timers.withLock { $0.append(body) } })
        }

        func setTime(_ seconds: Int64) {
            time.withLock { $0 = NIODeadline.uptimeNanoseconds(0) + .seconds(seconds) }
        }

        func runTimers() {
            let bodies = timers.withLock { timers in
                defer { timers = [] }
                return timers
            }
            for body in bodies { body() }
        }
    }

    @Test func `a late timer extends the minute until the suppressed refusals are logged`() {
        let refusals = TestRefusalLog()
        let log = refusals.log()
        let peer = Peer(pid: 1, uid: 1, gid: 1)
        func refuse(at seconds: Int64) -> Int {
            refusals.setTime(seconds)
            log.log(.malformed, "so", peer)
            return refusals.recorder.entries.count
        }
        for seconds: Int64 in [0, 59, 59] { #expect(refuse(at: seconds) == 1) }
        // The timer is late. Refusals before it fires are suppressed as well.
        #expect(refuse(at: 61) == 1)
        refusals.runTimers()
        let last = refusals.recorder.entries.last
        #expect(last?.message.hasSuffix(": 3 more within a minute.") == true)
        #expect(refuse(at: 121) == 3)
        #expect(refuse(at: 180) == 3)
        #expect(log.suppressedCount(of: .malformed) == 1)
    }

    @Test func `refusals are rate-limited per user even with many users`() {
        let refusals = TestRefusalLog()
        let log = refusals.log()
        func refuse(_ uid: uid_t, at seconds: Int64) {
            refusals.setTime(seconds)
            log.log(.malformed, "so", Peer(pid: 1, uid: uid, gid: 1))
        }
        refuse(0, at: 0)
        refuse(0, at: 0)
        for uid: uid_t in 1..<1010 { refuse(uid, at: 30) }
        // The minute of these users has not ended yet.
        for uid: uid_t in [1, 500, 1009] { refuse(uid, at: 59) }
        #expect(refusals.recorder.entries.count == 1010)
        #expect(log.suppressedCount(of: .malformed) == 4)
        // Suppressed refusals are logged even if refusals of other users followed after the minute.
        refuse(2000, at: 61)
        refusals.runTimers()
        #expect(log.suppressedCount(of: .malformed) == 0)
        #expect(refusals.recorder.entries.count == 1010 + 1 + 4)
    }

    @Test func `text from a client is truncated and escaped in the log`() async throws {
        let log = LogRecorder()
        try await TestService.run(authorize: { _ in .none }, logger: log.logger()) { service in
            let raw = try service.raw()
            let long = String(repeating: "x", count: 100_000)
            try raw.send(#"{"method":"a\nb\#(long)"}"# + "\0")
            #expect(try raw.receive() != nil)
        }
        let reason = try #require(log.entries.first?.metadata["reason"])
        #expect(reason.utf8.count < 300)
        #expect(reason.contains(#"a\nbxxx"#))
    }

    @Test func `the refusal handler is called for every refusal`() async throws {
        let refused = AwaitableState<[Refusal]>([])
        try await TestService.run(
            limits: .with { $0.maximumRequestBytes = 100 }, authorize: { _ in .none },
            onRefusal: { refusal, _, _ in refused.change { $0.append(refusal) } }
        ) { service in
            let raw = try service.raw()
            try raw.send(Self.echo)
            _ = try raw.receive()
            try raw.send("x\0")
            #expect(try raw.receive() == nil)
            let other = try service.raw()
            try other.send(String(repeating: "x", count: 101))
            #expect(try other.receive() == nil)
            #expect(refused.state == [.notPermitted, .malformed, .requestTooLarge])
        }
    }

    @Test
    func `calls of a disconnected client run up to a limit, and the rest is dropped and logged`()
        async throws
    {
        let log = LogRecorder()
        try await TestService.run(
            limits: .with { $0.maximumCallsPerTimeSlice = 3 }, logger: log.logger()
        ) { service in
            let oneway = Self.echo.replacing("}}\0", with: #"},"oneway":true}"# + "\0")
            try service.raw().send(Self.wait + String(repeating: oneway, count: 10))
            await service.began.wait()
            try await waitUntil("it has gone") { service.server.registry.count == 0 }
            service.release.send()
            await log.wait(for: "Calls are dropped, because their client has disconnected.")
            #expect(service.echoes.count == 3)
        }
    }

    @Test func `a connection that cannot be set up is logged and closed`() async throws {
        let log = LogRecorder()
        let error = SocketError(call: "getsockopt(SO_PEERGROUPS)", errno: ENOPROTOOPT)
        try await TestService.run(logger: log.logger()) { service in
            service.server.state.withLock {
                $0.identifyPeer = { _ throws(SocketError) in throw error }
            }
            let raw = try service.raw()
            #expect(try raw.receive() == nil)
        }
        #expect(
            log.messages(from: .warning) == ["A connection could not be set up, and is closed."])
        #expect(log.entries.last?.metadata["reason"] == "\(error)")
    }

    // MARK: Clients

    @Test func `a client is listed until it disconnects, even if its call still runs`()
        async throws
    {
        let registry = ConnectionRegistry()
        try await TestService.run(registry: registry) { service in
            let raw = try service.raw()
            try raw.send(Self.echo)
            _ = try raw.receive()
            let client = try #require(registry.clients.first)
            #expect(client.callCount == 1)
            #expect(client.peer.pid == getpid())
            #expect(client.receivedByteCount == Self.echo.utf8.count)
            #expect(client.sentByteCount == Self.reply.utf8.count + 1)
            #expect(client.streamingMethod == nil && client.unreadByteCount == 0)
            do {
                let other = try service.raw()
                try other.send(Self.wait)
                await service.began.wait()
                #expect(registry.clients.count == 2)
            }
            try await waitUntil("it has gone") { registry.count == 1 }
            #expect(registry.clients.count == 1)
        }
    }

    @Test func `a client is listed as following only for a method that can reply several times`()
        async throws
    {
        let registry = ConnectionRegistry()
        try await TestService.run(registry: registry) { service in
            let raw = try service.raw()
            try raw.send(#"{"method":"org.example.Test.Wait","more":true}"# + "\0")
            await service.began.wait()
            #expect(registry.clients.map(\.streamingMethod) == [nil])
            service.release.send()
            #expect(try raw.receive() == #"{"parameters":{}}"#)
            try raw.send(#"{"method":"org.example.Test.Follow","more":true}"# + "\0")
            #expect(try raw.receive() == #"{"parameters":{},"continues":true}"#)
            #expect(registry.clients.map(\.streamingMethod) == ["org.example.Test.Follow"])
        }
    }

    @Test func `stopping a server does not affect another server's connections`() async throws {
        let registry = ConnectionRegistry()
        try await TestService.run(registry: registry) { service in
            let raw = try service.raw()
            try raw.send(Self.echo)
            #expect(try raw.receive() == Self.reply)
            try await TestService.run(registry: registry) { other in
                _ = try other.client().call("org.example.Test.Count")
            }
            try raw.send(Self.echo)
            #expect(try raw.receive() == Self.reply)
        }
    }
}

extension LogRecorder {
    /// Waits until a message has been logged.
    fileprivate func wait(for message: String) async {
        await wait(until: { $0.contains { $0.message == message } })
    }
}

extension RawSocket {
    /// Receives at most a number of bytes, and returns the number of received bytes.
    fileprivate func receive(atMost count: Int) throws -> Int {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &bytes, count, 0)
        guard received > 0 else {
            throw SocketError(call: "recv", errno: received == 0 ? ECONNRESET : errno)
        }
        return received
    }
}
