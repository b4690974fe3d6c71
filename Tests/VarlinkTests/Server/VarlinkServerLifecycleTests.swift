import Dispatch
import FoundationEssentials
import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

/// Start and stop of a server, and the threads on which its handlers run.
struct VarlinkServerLifecycleTests {
    private static let wait = #"{"method":"org.example.Test.Wait"}"# + "\0"
    private static let echo =
        #"{"method":"org.example.Test.Echo","parameters":{"text":"a"}}"# + "\0"

    @Test func `stopping finishes the received calls, then closes the connections`() async throws {
        try await TestService.run { service in
            let raw = try service.raw()
            try raw.send(Self.wait + Self.echo)
            await service.began.wait()
            let idle = try service.raw()
            service.server.stop()
            #expect(try idle.receive() == nil)
            service.release.send()
            #expect(try raw.receive() == #"{"parameters":{}}"#)
            #expect(try raw.receive() == #"{"parameters":{"text":"a"}}"#)
            #expect(try raw.receive() == nil)
            #expect(throws: ClientError.noSuchSocket(path: service.path)) { try service.client() }
        }
    }

    @Test func `a stream that starts after the stop ends immediately`()
        async throws
    {
        try await TestService.run(limits: .with { $0.drainTimeout = .seconds(3600) }) { service in
            let raw = try service.raw()
            try raw.send(
                Self.wait + #"{"method":"org.example.Test.Follow","more":true}"# + "\0")
            await service.began.wait()
            service.server.stop()
            service.release.send()
            #expect(try raw.receive() == #"{"parameters":{}}"#)
            while let reply = try raw.receive() {
                #expect(reply.contains("continues") || reply.contains("InternalError"))
            }
        }
    }

    @Test func `a call that does not finish is cancelled after the drain timeout`() async throws {
        try await TestService.run(limits: .with { $0.drainTimeout = .zero }) { service in
            let raw = try service.raw()
            try raw.send(Self.wait)
            await service.began.wait()
            service.server.stop()
            #expect(try raw.receive() == nil)
        }
    }

    @Test func `a stopped server cannot listen again`() async throws {
        try await TestService.run { service in
            service.server.stop()
            await #expect(throws: ListenError.stopped) {
                try await service.server.listen(path: service.directory.file("second"))
            }
            #expect(service.directory.status("second") == nil)
        }
    }

    @Test func `stopping does not remove another server's socket at its path`() async throws {
        try await TestService.run { service in
            unlink(service.path)
            let other = try ListeningSocket(path: service.path, mode: 0o600)
            service.server.stop()
            #expect(service.directory.status("socket") != nil)
            close(other.descriptor)
        }
    }

    @Test(arguments: [false, true])
    func `a removed socket can be replaced, and its connections stay open`(
        isInherited: Bool
    ) async throws {
        try await TestService.run { service in
            let path = service.directory.file("removed")
            if isInherited {
                let bound = try ListeningSocket(path: path, mode: 0o600)
                try await service.server.listen(inheritedDescriptor: bound.descriptor)
            } else {
                try await service.server.listen(path: path)
            }
            let first = try RawSocket(path)
            try first.send(Self.echo)
            #expect(try first.receive() != nil)
            #expect(service.server.unreachableSockets == [])
            unlink(path)
            #expect(service.server.unreachableSockets.map(\.path) == [path])
            #expect(service.server.unreachableSockets.map(\.isInherited) == [isInherited])
            try await service.server.listen(path: path)
            #expect(service.server.unreachableSockets == [])
            let second = try RawSocket(path)
            for socket in [first, second] {
                try socket.send(Self.echo)
                #expect(try socket.receive() == #"{"parameters":{"text":"a"}}"#)
            }
            service.server.stop()
            #expect(service.directory.status("removed") == nil)
        }
    }

    @Test func `a descriptor that is not a listening socket is refused`() async throws {
        try await TestService.run { service in
            var pair: [CInt] = [0, 0]
            #expect(
                socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
                    == 0)
            let descriptor = pair[0]
            await #expect(throws: ListenError.notListening(descriptor: descriptor)) {
                try await service.server.listen(inheritedDescriptor: descriptor)
            }
            pair.forEach { close($0) }
        }
    }

    @Test func `a server on an inherited socket does not remove its file`() async throws {
        try await TestService.run { service in
            let bound = try ListeningSocket(path: service.directory.file("inherited"), mode: 0o600)
            try await service.server.listen(inheritedDescriptor: bound.descriptor)
            let raw = try RawSocket(service.directory.file("inherited"))
            try raw.send(Self.echo)
            #expect(try raw.receive() == #"{"parameters":{"text":"a"}}"#)
            service.server.stop()
            #expect(try raw.receive() == nil)
            #expect(service.directory.status("inherited") != nil)
        }
    }

    /// Action of a client after it has sent its call, before the server accepts the connection.
    enum Departure: CaseIterable {
        case none, endsInput, closes, closesAfterOneway
    }

    @Test(arguments: Departure.allCases)
    func `a call whose client has disconnected runs only if it is oneway`(
        departure: Departure
    ) async throws {
        let count = 8
        let service = try await TestService.run { service in
            let path = service.directory.file("inherited")
            let bound = try ListeningSocket(path: path, mode: 0o600)
            var clients: [RawSocket] = []
            for _ in 0..<count {
                let client = try RawSocket(path)
                let isOneway = departure == .closesAfterOneway
                try client.send(
                    isOneway
                        ? Self.echo.replacing("{\"method", with: "{\"oneway\":true,\"method")
                        : Self.echo)
                if departure == .endsInput { client.endInput() }
                if [.none, .endsInput].contains(departure) { clients.append(client) }
            }
            try await service.server.listen(inheritedDescriptor: bound.descriptor)
            for client in clients {
                #expect(try client.receive() == #"{"parameters":{"text":"a"}}"#)
            }
            // Connections are accepted in their order.
            let last = try RawSocket(path)
            try last.send(Self.wait)
            await service.began.wait()
            service.release.send()
            #expect(try last.receive() == #"{"parameters":{}}"#)
            return service
        }
        #expect(service.echoes.count == (departure == .closes ? 0 : count))
    }

    @Test func `a server logs an error and stops if the system closes its listening socket`()
        async throws
    {
        let log = LogRecorder()
        try await TestService.run(logger: log.logger()) { service in
            let raw = try service.raw()
            // A reply proves that the server has accepted the connection.
            try raw.send(Self.echo)
            #expect(try raw.receive() != nil)
            let listener = try #require(
                service.server.state.withLock { $0.listeners.first?.channel })
            // A permanent error of accept(2) has the same effect.
            try await listener.close()
            #expect(try raw.receive() == nil)
        }
        #expect(
            log.messages(from: .error) == [
                "The system has closed a listening socket; the server stops. Start it again."
            ])
    }

    @Test func `a server stops if the system closes any of its listening sockets`() async throws {
        try await TestService.run { service in
            try await service.server.listen(path: service.directory.file("second"))
            let raw = try service.raw()
            // A reply proves that the server has accepted the connection.
            try raw.send(Self.echo)
            #expect(try raw.receive() != nil)
            let listener = try #require(
                service.server.state.withLock { $0.listeners.last?.channel })
            try await listener.close()
            #expect(try raw.receive() == nil)
            #expect(service.directory.status("socket") == nil)
        }
    }

    @Test func `a stopped server leaves no descriptors open, even if it never ran`() async {
        await #expect(processExitsWith: .success) {
            func descriptorCount() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
            let directory = try ScratchDirectory()
            let path = directory.file("socket")
            func startAndStop(runs: Bool) async throws {
                let server = try VarlinkServer(
                    info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
                    interfaces: [], group: group, logger: .quiet)
                try await server.listen(path: path)
                server.stop()
                if runs { await server.run() }
            }
            // The first server may open descriptors that stay open.
            try await startAndStop(runs: true)
            let before = try descriptorCount()
            let count = 20
            for runs in [true, false] {
                for _ in 0..<count { try await startAndStop(runs: runs) }
                try await waitUntil("the descriptors are closed") {
                    try descriptorCount() < before + count
                }
            }
            try await group.shutdownGracefully()
        }
    }

    @Test func `connections to a server that never ran do not count after it has stopped`()
        async throws
    {
        let registry = ConnectionRegistry()
        let limits = ServerLimits.with { $0.maximumConnectionsPerUser = 1 }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let directory = try ScratchDirectory()
        for _ in 0..<limits.maximumConnectionsIncludingClosed {
            let server = try VarlinkServer(
                info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
                interfaces: [], limits: limits, registry: registry, group: group, logger: .quiet)
            try await server.listen(path: directory.file("socket"))
            let raw = try RawSocket(directory.file("socket"))
            try await waitUntil("the connection is registered") { registry.count == 1 }
            // The event loop finishes setting up the connection before it runs another job.
            try await group.next().submit {}.get()
            server.stop()
            #expect(try raw.receive() == nil)
            try await waitUntil("the connection is closed") { registry.count == 0 }
        }
        try await group.shutdownGracefully()
        try await TestService.run(limits: limits, registry: registry) { service in
            let raw = try service.raw()
            try raw.send(Self.echo)
            #expect(try raw.receive() == #"{"parameters":{"text":"a"}}"#)
        }
    }

    private actor Application {
        private let loop: any EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            loop.executor.asUnownedSerialExecutor()
        }
        init(_ loop: any EventLoop) { self.loop = loop }
        func thread() -> pthread_t { pthread_self() }
    }

    private actor Other {
        func thread() -> pthread_t { pthread_self() }
    }

    @Test func `a handler and the actors it calls run on the event loop's thread`()
        async throws
    {
        struct Threads: Codable, Sendable { let names: [UInt] }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let directory = try ScratchDirectory()
        let (application, other) = (Application(group.next()), Other())
        var interface = InterfaceImplementation(
            try InterfaceDefinition(
                parsing: "interface org.example.T\nmethod Threads() -> (names: []int)"))
        try interface.on("Threads") { (_: Empty, _) in
            let before = pthread_self()
            return Threads(
                names: [before, await application.thread(), await other.thread(), pthread_self()])
        }
        let server = try VarlinkServer(
            info: ServiceInfo(vendor: "", product: "", version: "", url: ""),
            interfaces: [interface], group: group,
            logger: .quiet)
        try await server.listen(path: directory.file("socket"))
        try await withThrowingTaskGroup { tasks in
            tasks.addImmediateTask { await server.run() }
            defer { server.stop() }
            let reply = try VarlinkClient(path: directory.file("socket"), timeout: .seconds(60))
                .call("org.example.T.Threads", Empty(), returning: Threads.self)
            let loop = try await group.next().submit { UInt(pthread_self()) }.get()
            #expect(reply.names == [loop, loop, loop, loop])
        }
        try await group.shutdownGracefully()
    }

    /// Calls a server repeatedly from eight clients, until one of them stops it after some replies. This is repeated
    /// 50 times. The result contains the error of each client's last call.
    private func lastErrors(
        _ call: @escaping @Sendable (TestService, _ onReply: () -> Void) throws -> Void
    ) async throws -> [any Error] {
        let errors = Mutex<[any Error]>([])
        for round in 0..<50 {
            try await TestService.run { service in
                let clients = DispatchGroup()
                let replies = TestService.Counter()
                for _ in 0..<8 {
                    DispatchQueue(label: "own thread").async(group: clients) {
                        do {
                            try call(service) {
                                replies.add()
                                if replies.count > round { service.server.stop() }
                            }
                        } catch {
                            errors.withLock { $0.append(error) }
                        }
                    }
                }
                await withCheckedContinuation { ended in
                    clients.notify(queue: .global()) { ended.resume() }
                }
            }
        }
        return errors.withLock { $0 }
    }

    @Test func `a stopping server never leaves a client unsure whether its call ran`()
        async throws
    {
        let errors = try await lastErrors { service, onReply in
            let client = try service.client()
            while true {
                _ = try client.call("org.example.Test.Count")
                onReply()
            }
        }
        let unknown = errors.filter {
            if case ClientError.disconnected = $0 { true } else { !($0 is ClientError) }
        }
        #expect(errors.count == 400 && unknown.isEmpty, "\(unknown)")
    }

    @Test func `a call on a served connection is answered even if the server stops`() async throws {
        let answered = Atomic(0)
        let unanswered = Atomic(0)
        _ = try await lastErrors { service, onReply in
            let raw = try service.raw()
            let call = #"{"method":"org.example.Test.Count"}"# + "\0"
            // The first reply proves that the server serves the connection.
            try raw.send(call)
            guard try raw.receive() != nil else { return }
            while true {
                try raw.send(call)
                do {
                    if try raw.receive() != nil {
                        answered.add(1, ordering: .relaxed)
                        onReply()
                        continue
                    }
                } catch {}
                unanswered.add(1, ordering: .relaxed)
                return
            }
        }
        #expect(answered.load(ordering: .relaxed) > 0)
        #expect(unanswered.load(ordering: .relaxed) == 0)
    }
}
