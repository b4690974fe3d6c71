import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// Limits on connections and unread replies, tested with connections that belong to no server.
@Suite(.timeLimit(.minutes(10))) struct ConnectionRegisterTests {
    private final class Time: Sendable {
        private let value = Mutex(NIODeadline.uptimeNanoseconds(1 << 60))
        var now: NIODeadline { value.withLock { $0 } }
        func advance(by amount: TimeAmount) { value.withLock { $0 = $0 + amount } }
    }

    /// Register whose time the test advances.
    private struct Registering: Sendable {
        let time: Time
        let register: ConnectionRegister
        private let channel: any Channel
        private let service: VarlinkService

        init(_ channel: any Channel) throws {
            let time = Time()
            self.time = time
            self.channel = channel
            register = ConnectionRegister(now: { time.now })
            service = try VarlinkService(
                info: ServiceInfo(vendor: "", product: "", version: "", url: ""), interfaces: [],
                logger: .quiet)
        }

        /// Creates a connection of a user without adding it to the register.
        func connection(of uid: uid_t, _ limits: ServerLimits) -> Connection {
            Connection(
                channel: channel, peer: Peer(pid: 1, uid: uid, gid: 1), service: service,
                access: .all, limits: limits, register: register,
                refusals: RefusalLog(.quiet, later: { _, _ in }),
                gate: EventLoopYielder(on: channel.eventLoop), trim: MemoryTrim())
        }

        /// Creates a connection of a user and adds it to the register.
        func add(
            _ uid: uid_t, _ limits: ServerLimits, descriptor: CInt = -1
        ) throws -> Connection {
            let connection = connection(of: uid, limits)
            try register.add(connection, descriptor)
            return connection
        }

        /// Updates the number of unread bytes, and returns the connections to close.
        func note(
            _ bytes: Int, _ connection: Connection, hasRead: Bool = false
        ) -> [ObjectIdentifier] {
            register.update(unread: bytes, of: connection, hasRead: hasRead)
                .map { ObjectIdentifier($0) }
        }
    }

    private func withRegister(_ body: (Registering) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        let channel = try await NIOPipeBootstrap(group: group)
            .takingOwnershipOfDescriptor(input: ends[0]).get()
        try await body(try Registering(channel))
        try await channel.close()
        close(ends[1])
        try await group.shutdownGracefully()
    }

    private static let unread = ServerLimits.with {
        $0.unsentBytes = 100
        $0.unsentInterval = .seconds(1)
    }

    // MARK: Unread replies

    @Test func `more than the limit is borne of one connection, and as much as the limit of two`()
        async throws
    {
        try await withRegister { registering in
            let (a, b) = (try registering.add(1, Self.unread), try registering.add(1, Self.unread))
            #expect(registering.note(200, a) == [])
            registering.time.advance(by: .seconds(10))
            #expect(registering.note(200, a) == [])
            #expect(registering.note(50, a, hasRead: true) == [])
            #expect(registering.note(50, b) == [])
            registering.time.advance(by: .seconds(10))
            #expect(registering.note(50, b) == [])
            #expect(registering.register.isAnyUnread)
            #expect(registering.note(0, a, hasRead: true) == [])
            #expect(registering.register.isAnyUnread)
            #expect(registering.note(0, b, hasRead: true) == [])
            #expect(!registering.register.isAnyUnread)
        }
    }

    @Test func `the connection that has not read for longest is closed once the interval is over`()
        async throws
    {
        try await withRegister { registering in
            let idle = try registering.add(1, Self.unread)
            let (a, b) = (try registering.add(1, Self.unread), try registering.add(1, Self.unread))
            #expect(registering.note(60, a) == [])
            registering.time.advance(by: .milliseconds(500))
            #expect(registering.note(41, b) == [])
            registering.time.advance(by: .nanoseconds(499_999_999))
            #expect(registering.note(41, b) == [])
            registering.time.advance(by: .nanoseconds(1))
            #expect(registering.note(41, b) == [ObjectIdentifier(a)])
            #expect(registering.note(41, b) == [])
            // Closed connections and connections without unread bytes do not count.
            registering.time.advance(by: .seconds(10))
            #expect(registering.note(200, b) == [])
            #expect(registering.note(0, idle) == [])
        }
    }

    @Test func `a connection that has read counts as one that has read last`() async throws {
        try await withRegister { registering in
            let (a, b) = (try registering.add(1, Self.unread), try registering.add(1, Self.unread))
            #expect(registering.note(60, a) == [])
            registering.time.advance(by: .milliseconds(500))
            #expect(registering.note(41, b) == [])
            registering.time.advance(by: .milliseconds(500))
            #expect(registering.note(60, a, hasRead: true) == [])
            registering.time.advance(by: .milliseconds(500))
            #expect(registering.note(60, a) == [ObjectIdentifier(b)])
        }
    }

    @Test func `a user's limit closes only connections of that user, that of all any`()
        async throws
    {
        try await withRegister { registering in
            let other = try registering.add(2, Self.unread)
            let (a, b) = (try registering.add(1, Self.unread), try registering.add(1, Self.unread))
            #expect(registering.note(90, other) == [])
            registering.time.advance(by: .seconds(1))
            #expect(registering.note(60, a) == [])
            #expect(registering.note(41, b) == [])
            registering.time.advance(by: .seconds(1))
            let closed = registering.note(41, b)
            #expect(closed == [ObjectIdentifier(a)] || closed == [ObjectIdentifier(b)])
            // All users together may have four times as many unread bytes.
            let rest = closed == [ObjectIdentifier(a)] ? 41 : 60
            for uid: uid_t in 3...4 {
                let connection = try registering.add(uid, Self.unread)
                #expect(registering.note(100, connection) == [])
            }
            let last = try registering.add(5, Self.unread)
            #expect(registering.note(400 - 90 - rest - 200, last) == [])
            #expect(registering.note(401 - 90 - rest - 200, last) == [ObjectIdentifier(other)])
        }
    }

    @Test func `a connection that has closed has nothing unread`() async throws {
        try await withRegister { registering in
            let register = registering.register
            let a = try registering.add(1, Self.unread)
            #expect(registering.note(60, a) == [])
            #expect(register.isAnyUnread)
            #expect(register.clients.map(\.unreadBytes) == [60])
            register.closed(a, left: 0)
            #expect(!register.isAnyUnread)
            #expect(register.clients.isEmpty && register.count == 0)
            #expect(registering.note(60, a) == [])
            #expect(!register.isAnyUnread)
        }
    }

    @Test func `calls with large replies wait while too much is unread, then all of them go on`()
        async throws
    {
        try await withRegister { registering in
            let register = registering.register
            let stuck = try (1...2).map { _ in try registering.add(1, Self.unread) }
            let waiting = try (1...2).map { _ in try registering.add(1, Self.unread) }
            let gone = try registering.add(1, Self.unread)
            let other = try registering.add(2, Self.unread)
            let large = "a.b.Large"
            register.recordLargeReplies(of: large)
            for isClosed in [false, true] {
                #expect(registering.note(60, stuck[0], hasRead: true) == [])
                await register.waitForRoom(waiting[0], large)
                #expect(registering.note(41, stuck[1], hasRead: true) == [])
                // Other methods, other users and connections that have closed do not wait.
                await register.waitForRoom(waiting[0], "a.b.Small")
                await register.waitForRoom(other, large)
                if !isClosed { register.closed(gone, left: 0) }
                await register.waitForRoom(gone, large)
                let passed = Awaited(0)
                await withTaskGroup { tasks in
                    for connection in waiting {
                        tasks.addImmediateTask {
                            await register.waitForRoom(connection, large)
                            passed.change { $0 += 1 }
                        }
                    }
                    #expect(passed.state == 0)
                    if isClosed {
                        register.closed(stuck[0], left: 0)
                    } else {
                        #expect(registering.note(0, stuck[0], hasRead: true) == [])
                    }
                }
                #expect(passed.state == 2)
                #expect(registering.note(0, stuck[1], hasRead: true) == [])
            }
        }
    }

    @Test func `who has something unread waits for the limit of all, too`() async throws {
        try await withRegister { registering in
            let register = registering.register
            let users = try (1...4).map { try registering.add(uid_t($0), Self.unread) }
            for user in users { #expect(registering.note(100, user) == []) }
            let other = try registering.add(9, Self.unread)
            register.recordLargeReplies(of: "a.b.Large")
            await register.waitForRoom(users[0], "a.b.Large")
            #expect(registering.note(101, users[1]) == [])
            await register.waitForRoom(other, "a.b.Large")
            let passed = Awaited(0)
            await withTaskGroup { tasks in
                tasks.addImmediateTask {
                    await register.waitForRoom(users[0], "a.b.Large")
                    passed.change { $0 += 1 }
                }
                #expect(passed.state == 0)
                #expect(registering.note(100, users[1]) == [])
            }
            #expect(passed.state == 1)
        }
    }

    // MARK: Connections

    @Test func `a user and all users together have a limit, and one that has closed leaves room`()
        async throws
    {
        try await withRegister { registering in
            let register = registering.register
            let limits = ServerLimits.with {
                $0.connectionsPerUser = 2
                $0.connections = 3
            }
            let first = try registering.add(1, limits)
            _ = try registering.add(1, limits)
            #expect(throws: ConnectionRegister.Full.user(2)) { try registering.add(1, limits) }
            _ = try registering.add(2, limits)
            #expect(throws: ConnectionRegister.Full.all(3)) { try registering.add(3, limits) }
            #expect(register.count == 3)
            register.closed(first, left: 0)
            #expect(register.count == 2)
            _ = try registering.add(1, limits)
            #expect(throws: ConnectionRegister.Full.user(2)) { try registering.add(1, limits) }
            register.remove(first)
            #expect(throws: ConnectionRegister.Full.user(2)) { try registering.add(1, limits) }
            #expect(register.count == 3)
        }
    }

    @Test func `64 times as many connections may be closed and still at work`() async throws {
        try await withRegister { registering in
            let register = registering.register
            let limits = ServerLimits.with { $0.connectionsPerUser = 1 }
            var closed: [Connection] = []
            for _ in 0..<64 {
                let connection = try registering.add(1, limits)
                register.closed(connection, left: 0)
                closed.append(connection)
            }
            #expect(throws: ConnectionRegister.Full.closed(64, limit: 1)) {
                try registering.add(1, limits)
            }
            register.remove(closed[0])
            #expect(throws: Never.self) { try registering.add(1, limits) }
        }
    }

    /// The arguments are the bytes of calls left by each closed connection, and whether another connection is allowed.
    @Test(
        arguments: [
            ([4_194_304], true), ([4_194_305], true), ([4_194_304, 0], true),
            ([4_194_305, 0], false), ([4_194_304, 1], false), ([4_194_304, 0, 0], true),
        ] as [([Int], Bool)])
    func `from twice the limit on, closed connections may leave four mebibytes of calls`(
        left: [Int], hasRoom: Bool
    ) async throws {
        try await withRegister { registering in
            let register = registering.register
            let limits = ServerLimits.with { $0.connectionsPerUser = 1 }
            var closed: [Connection] = []
            for bytes in left {
                let connection = try registering.add(1, limits)
                register.closed(connection, left: bytes)
                closed.append(connection)
            }
            if hasRoom {
                #expect(throws: Never.self) { try registering.add(1, limits) }
            } else {
                #expect(throws: ConnectionRegister.Full.closed(left.count, limit: 1)) {
                    try registering.add(1, limits)
                }
                register.remove(closed[0])
                register.closed(try registering.add(1, limits), left: 0)
                #expect(throws: Never.self) { try registering.add(1, limits) }
            }
        }
    }

    @Test func `a connection whose client has left takes no room, up to 16 times the limit`()
        async throws
    {
        try await withRegister { registering in
            let register = registering.register
            // The other end of the socket is closed.
            var ends: [CInt] = [0, 0]
            #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
            close(ends[1])
            defer { close(ends[0]) }
            let two = ServerLimits.with { $0.connectionsPerUser = 2 }
            _ = try registering.add(1, two, descriptor: ends[0])
            _ = try registering.add(1, two)
            _ = try registering.add(1, two)
            #expect(throws: ConnectionRegister.Full.user(2)) { try registering.add(1, two) }
            // Closed connections and connections of other users make no room.
            let closed = try registering.add(2, two, descriptor: ends[0])
            register.closed(closed, left: 0)
            _ = try registering.add(2, two)
            _ = try registering.add(2, two)
            #expect(throws: ConnectionRegister.Full.user(2)) { try registering.add(2, two) }
            let one = ServerLimits.with { $0.connectionsPerUser = 1 }
            for _ in 0..<16 { _ = try registering.add(3, one, descriptor: ends[0]) }
            #expect(throws: ConnectionRegister.Full.user(1)) { try registering.add(3, one) }
        }
    }
}
