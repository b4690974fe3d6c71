import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// Limits on connections and unread replies, tested with connections that belong to no server.
@Suite(.timeLimit(.minutes(10))) struct ConnectionRegistryTests {
    private final class TestTime: Sendable {
        private let value = Mutex(NIODeadline.uptimeNanoseconds(1 << 60))
        var now: NIODeadline { value.withLock { $0 } }
        func advance(by amount: TimeAmount) { value.withLock { $0 = $0 + amount } }
    }

    /// Register whose time the test advances.
    private struct RegistryFixture: Sendable {
        let time: TestTime
        let registry: ConnectionRegistry
        private let channel: any Channel
        private let service: VarlinkService

        init(_ channel: any Channel) throws {
            let time = TestTime()
            self.time = time
            self.channel = channel
            registry = ConnectionRegistry(now: { time.now })
            service = try VarlinkService(
                info: ServiceInfo(vendor: "", product: "", version: "", url: ""), interfaces: [],
                logger: .quiet)
        }

        /// Creates a connection of a user without adding it to the register.
        func connection(of uid: uid_t, _ limits: ServerLimits) -> Connection {
            Connection(
                channel: channel, peer: Peer(pid: 1, uid: uid, gid: 1), service: service,
                access: .all, limits: limits, registry: registry,
                refusalLog: RefusalLog(.quiet, schedule: { _, _ in }),
                yielder: EventLoopYielder(on: channel.eventLoop), memoryTrimmer: MemoryTrimmer())
        }

        /// Creates a connection of a user and adds it to the register.
        func add(
            _ uid: uid_t, _ limits: ServerLimits, descriptor: CInt = -1
        ) throws -> Connection {
            let connection = connection(of: uid, limits)
            try registry.add(connection, descriptor)
            return connection
        }

        /// Updates the number of unread bytes, and returns the connections to close.
        func updateUnread(
            _ bytes: Int, _ connection: Connection, hasPeerRead: Bool = false
        ) -> [ObjectIdentifier] {
            registry.update(unreadByteCount: bytes, of: connection, hasPeerRead: hasPeerRead)
                .map { ObjectIdentifier($0) }
        }
    }

    private func withRegistry(_ body: (RegistryFixture) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        let channel = try await NIOPipeBootstrap(group: group)
            .takingOwnershipOfDescriptor(input: ends[0]).get()
        try await body(try RegistryFixture(channel))
        try await channel.close()
        close(ends[1])
        try await group.shutdownGracefully()
    }

    private static let unread = ServerLimits.with {
        $0.maximumUnreadBytesPerUser = 100
        $0.readCheckInterval = .seconds(1)
    }

    // MARK: Unread replies

    @Test
    func `one connection may exceed the limit on unread bytes, and two may reach it together`()
        async throws
    {
        try await withRegistry { fixture in
            let (a, b) = (try fixture.add(1, Self.unread), try fixture.add(1, Self.unread))
            #expect(fixture.updateUnread(200, a) == [])
            fixture.time.advance(by: .seconds(10))
            #expect(fixture.updateUnread(200, a) == [])
            #expect(fixture.updateUnread(50, a, hasPeerRead: true) == [])
            #expect(fixture.updateUnread(50, b) == [])
            fixture.time.advance(by: .seconds(10))
            #expect(fixture.updateUnread(50, b) == [])
            #expect(fixture.registry.hasUnreadReplies)
            #expect(fixture.updateUnread(0, a, hasPeerRead: true) == [])
            #expect(fixture.registry.hasUnreadReplies)
            #expect(fixture.updateUnread(0, b, hasPeerRead: true) == [])
            #expect(!fixture.registry.hasUnreadReplies)
        }
    }

    @Test
    func `after the interval, the connection that has not read for the longest time is closed`()
        async throws
    {
        try await withRegistry { fixture in
            let idle = try fixture.add(1, Self.unread)
            let (a, b) = (try fixture.add(1, Self.unread), try fixture.add(1, Self.unread))
            #expect(fixture.updateUnread(60, a) == [])
            fixture.time.advance(by: .milliseconds(500))
            #expect(fixture.updateUnread(41, b) == [])
            fixture.time.advance(by: .nanoseconds(499_999_999))
            #expect(fixture.updateUnread(41, b) == [])
            fixture.time.advance(by: .nanoseconds(1))
            #expect(fixture.updateUnread(41, b) == [ObjectIdentifier(a)])
            #expect(fixture.updateUnread(41, b) == [])
            // Closed connections and connections without unread bytes do not count.
            fixture.time.advance(by: .seconds(10))
            #expect(fixture.updateUnread(200, b) == [])
            #expect(fixture.updateUnread(0, idle) == [])
        }
    }

    @Test func `reading makes a connection the last candidate for closing`() async throws {
        try await withRegistry { fixture in
            let (a, b) = (try fixture.add(1, Self.unread), try fixture.add(1, Self.unread))
            #expect(fixture.updateUnread(60, a) == [])
            fixture.time.advance(by: .milliseconds(500))
            #expect(fixture.updateUnread(41, b) == [])
            fixture.time.advance(by: .milliseconds(500))
            #expect(fixture.updateUnread(60, a, hasPeerRead: true) == [])
            fixture.time.advance(by: .milliseconds(500))
            #expect(fixture.updateUnread(60, a) == [ObjectIdentifier(b)])
        }
    }

    @Test
    func `a user's limit closes only that user's connections, the total limit any connection`()
        async throws
    {
        try await withRegistry { fixture in
            let other = try fixture.add(2, Self.unread)
            let (a, b) = (try fixture.add(1, Self.unread), try fixture.add(1, Self.unread))
            #expect(fixture.updateUnread(90, other) == [])
            fixture.time.advance(by: .seconds(1))
            #expect(fixture.updateUnread(60, a) == [])
            #expect(fixture.updateUnread(41, b) == [])
            fixture.time.advance(by: .seconds(1))
            let closed = fixture.updateUnread(41, b)
            #expect(closed == [ObjectIdentifier(a)] || closed == [ObjectIdentifier(b)])
            // All users together may have four times as many unread bytes.
            let remaining = closed == [ObjectIdentifier(a)] ? 41 : 60
            for uid: uid_t in 3...4 {
                let connection = try fixture.add(uid, Self.unread)
                #expect(fixture.updateUnread(100, connection) == [])
            }
            let last = try fixture.add(5, Self.unread)
            #expect(fixture.updateUnread(400 - 90 - remaining - 200, last) == [])
            #expect(
                fixture.updateUnread(401 - 90 - remaining - 200, last) == [ObjectIdentifier(other)])
        }
    }

    @Test func `a closed connection has no unread bytes`() async throws {
        try await withRegistry { fixture in
            let registry = fixture.registry
            let a = try fixture.add(1, Self.unread)
            #expect(fixture.updateUnread(60, a) == [])
            #expect(registry.hasUnreadReplies)
            #expect(registry.clients.map(\.unreadByteCount) == [60])
            registry.recordClosure(a, pendingByteCount: 0)
            #expect(!registry.hasUnreadReplies)
            #expect(registry.clients.isEmpty && registry.count == 0)
            #expect(fixture.updateUnread(60, a) == [])
            #expect(!registry.hasUnreadReplies)
        }
    }

    @Test func `calls with large replies wait while too much is unread, then all continue`()
        async throws
    {
        try await withRegistry { fixture in
            let registry = fixture.registry
            let stuck = try (1...2).map { _ in try fixture.add(1, Self.unread) }
            let waiting = try (1...2).map { _ in try fixture.add(1, Self.unread) }
            let closedConnection = try fixture.add(1, Self.unread)
            let other = try fixture.add(2, Self.unread)
            let large = "a.b.Large"
            registry.recordLargeReplies(of: large)
            for isClosed in [false, true] {
                #expect(fixture.updateUnread(60, stuck[0], hasPeerRead: true) == [])
                await registry.waitForReplyCapacity(waiting[0], large)
                #expect(fixture.updateUnread(41, stuck[1], hasPeerRead: true) == [])
                // Other methods, other users and connections that have closed do not wait.
                await registry.waitForReplyCapacity(waiting[0], "a.b.Small")
                await registry.waitForReplyCapacity(other, large)
                if !isClosed { registry.recordClosure(closedConnection, pendingByteCount: 0) }
                await registry.waitForReplyCapacity(closedConnection, large)
                let resumedCount = AwaitableState(0)
                await withTaskGroup { tasks in
                    for connection in waiting {
                        tasks.addImmediateTask {
                            await registry.waitForReplyCapacity(connection, large)
                            resumedCount.change { $0 += 1 }
                        }
                    }
                    #expect(resumedCount.state == 0)
                    if isClosed {
                        registry.recordClosure(stuck[0], pendingByteCount: 0)
                    } else {
                        #expect(fixture.updateUnread(0, stuck[0], hasPeerRead: true) == [])
                    }
                }
                #expect(resumedCount.state == 2)
                #expect(fixture.updateUnread(0, stuck[1], hasPeerRead: true) == [])
            }
        }
    }

    @Test func `calls to each method that has returned large replies wait`() async throws {
        try await withRegistry { fixture in
            let registry = fixture.registry
            let stuck = try (1...2).map { _ in try fixture.add(1, Self.unread) }
            let waiting = try (1...2).map { _ in try fixture.add(1, Self.unread) }
            let methods = ["a.b.First", "a.b.Second"]
            for method in methods { registry.recordLargeReplies(of: method) }
            for connection in stuck { #expect(fixture.updateUnread(60, connection) == []) }
            let resumedCount = AwaitableState(0)
            await withTaskGroup { tasks in
                for (connection, method) in zip(waiting, methods) {
                    tasks.addImmediateTask {
                        await registry.waitForReplyCapacity(connection, method)
                        resumedCount.change { $0 += 1 }
                    }
                }
                #expect(resumedCount.state == 0)
                #expect(fixture.updateUnread(0, stuck[0], hasPeerRead: true) == [])
            }
            #expect(resumedCount.state == 2)
        }
    }

    @Test func `a connection with unread replies also waits for the total limit`() async throws {
        try await withRegistry { fixture in
            let registry = fixture.registry
            let users = try (1...4).map { try fixture.add(uid_t($0), Self.unread) }
            for user in users { #expect(fixture.updateUnread(100, user) == []) }
            let other = try fixture.add(9, Self.unread)
            registry.recordLargeReplies(of: "a.b.Large")
            await registry.waitForReplyCapacity(users[0], "a.b.Large")
            #expect(fixture.updateUnread(101, users[1]) == [])
            await registry.waitForReplyCapacity(other, "a.b.Large")
            let resumedCount = AwaitableState(0)
            await withTaskGroup { tasks in
                tasks.addImmediateTask {
                    await registry.waitForReplyCapacity(users[0], "a.b.Large")
                    resumedCount.change { $0 += 1 }
                }
                #expect(resumedCount.state == 0)
                #expect(fixture.updateUnread(100, users[1]) == [])
            }
            #expect(resumedCount.state == 1)
        }
    }

    // MARK: Connections

    @Test
    func `connections are limited per user and in total, and a closed connection frees a place`()
        async throws
    {
        try await withRegistry { fixture in
            let registry = fixture.registry
            let limits = ServerLimits.with {
                $0.maximumConnectionsPerUser = 2
                $0.maximumConnections = 3
            }
            let first = try fixture.add(1, limits)
            _ = try fixture.add(1, limits)
            #expect(throws: ConnectionRegistry.LimitExceeded.user(2)) {
                try fixture.add(1, limits)
            }
            _ = try fixture.add(2, limits)
            #expect(throws: ConnectionRegistry.LimitExceeded.all(3)) {
                try fixture.add(3, limits)
            }
            #expect(registry.count == 3)
            registry.recordClosure(first, pendingByteCount: 0)
            #expect(registry.count == 2)
            _ = try fixture.add(1, limits)
            #expect(throws: ConnectionRegistry.LimitExceeded.user(2)) {
                try fixture.add(1, limits)
            }
            registry.remove(first)
            #expect(throws: ConnectionRegistry.LimitExceeded.user(2)) {
                try fixture.add(1, limits)
            }
            #expect(registry.count == 3)
        }
    }

    @Test func `up to 64 times the limit of connections may be closed but still running calls`()
        async throws
    {
        try await withRegistry { fixture in
            let registry = fixture.registry
            let limits = ServerLimits.with { $0.maximumConnectionsPerUser = 1 }
            var closed: [Connection] = []
            for _ in 0..<64 {
                let connection = try fixture.add(1, limits)
                registry.recordClosure(connection, pendingByteCount: 0)
                closed.append(connection)
            }
            #expect(throws: ConnectionRegistry.LimitExceeded.includingClosed(64, limit: 1)) {
                try fixture.add(1, limits)
            }
            registry.remove(closed[0])
            #expect(throws: Never.self) { try fixture.add(1, limits) }
        }
    }

    /// The arguments are the bytes of calls left by each closed connection, and whether another connection is allowed.
    @Test(
        arguments: [
            ([4_194_304], true), ([4_194_305], true), ([4_194_304, 0], true),
            ([4_194_305, 0], false), ([4_194_304, 1], false), ([4_194_304, 0, 0], true),
        ] as [([Int], Bool)])
    func `from twice the limit, closed connections may leave at most 4 MiB of calls`(
        left: [Int], hasRoom: Bool
    ) async throws {
        try await withRegistry { fixture in
            let registry = fixture.registry
            let limits = ServerLimits.with { $0.maximumConnectionsPerUser = 1 }
            var closed: [Connection] = []
            for bytes in left {
                let connection = try fixture.add(1, limits)
                registry.recordClosure(connection, pendingByteCount: bytes)
                closed.append(connection)
            }
            if hasRoom {
                #expect(throws: Never.self) { try fixture.add(1, limits) }
            } else {
                #expect(
                    throws: ConnectionRegistry.LimitExceeded.includingClosed(left.count, limit: 1)
                ) {
                    try fixture.add(1, limits)
                }
                registry.remove(closed[0])
                registry.recordClosure(try fixture.add(1, limits), pendingByteCount: 0)
                #expect(throws: Never.self) { try fixture.add(1, limits) }
            }
        }
    }

    @Test func `connections whose clients have left do not count, up to 16 times the limit`()
        async throws
    {
        try await withRegistry { fixture in
            let registry = fixture.registry
            // The other end of the socket is closed.
            var ends: [CInt] = [0, 0]
            #expect(
                socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
                    == 0)
            close(ends[1])
            defer { close(ends[0]) }
            let two = ServerLimits.with { $0.maximumConnectionsPerUser = 2 }
            _ = try fixture.add(1, two, descriptor: ends[0])
            _ = try fixture.add(1, two)
            _ = try fixture.add(1, two)
            #expect(throws: ConnectionRegistry.LimitExceeded.user(2)) {
                try fixture.add(1, two)
            }
            // Closed connections and connections of other users make no room.
            let closed = try fixture.add(2, two, descriptor: ends[0])
            registry.recordClosure(closed, pendingByteCount: 0)
            _ = try fixture.add(2, two)
            _ = try fixture.add(2, two)
            #expect(throws: ConnectionRegistry.LimitExceeded.user(2)) {
                try fixture.add(2, two)
            }
            let one = ServerLimits.with { $0.maximumConnectionsPerUser = 1 }
            for _ in 0..<16 { _ = try fixture.add(3, one, descriptor: ends[0]) }
            #expect(throws: ConnectionRegistry.LimitExceeded.user(1)) {
                try fixture.add(3, one)
            }
        }
    }
}
