import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestSupport

@testable import Varlink
@testable import VarlinkServing

/// Server on a socket in a scratch directory, which runs during one closure.
struct TestService: Sendable {
    static let definition = """
        interface org.example.Test
        # If it is late it goes on when `release` is sent.
        method Echo(text: string, times: ?int, late: ?bool) -> (text: string)
        method WhoAmI() -> (pid: int, uid: int, gid: int, groups: []int)
        method Wait() -> ()
        method Count() -> (count: int)
        method Refuse() -> ()
        method Repeat(text: string, times: int) -> (text: string)
        method Follow() -> ()
        method Mark() -> ()
        method Keep(text: string) -> (text: string)
        # The last of `count` calls of one queue replies first, then the others do.
        method Gather(queue: ?string, count: int, times: ?int) -> (text: string)
        # Replies after another job of the event loop. All calls go into one queue.
        method Line(text: string, times: int) -> (text: string)
        error Refused (reason: string)
        error InternalError (message: string)
        """

    /// Text with which `Repeat` sends numbers in one step.
    static let batchText = "together"

    struct Echo: Codable, Sendable {
        var text: String
        var times: Int?
        var late: Bool?
    }

    struct Identity: Codable, Sendable, Equatable {
        let pid, uid, gid: Int
        let groups: [Int]
    }

    struct Gather: Codable, Sendable {
        var queue: String?
        var count: Int
        var times: Int?
    }

    /// Reply that records when it is encoded.
    struct Gathered: Encodable, Sendable {
        let number: Int
        let times: Int
        let encoded: Numbers

        func encode(to encoder: any Encoder) throws {
            encoded.numbers.withLock { $0.append(number) }
            try Echo(text: String(repeating: "\(number),", count: times)).encode(to: encoder)
        }
    }

    struct Count: Codable, Sendable { let count: Int }

    let server: VarlinkServer
    let directory: ScratchDirectory
    let path: String
    /// Signal that is sent when `Wait` has begun. `Wait` continues when `release` is sent.
    let began = Signal()
    let release = Signal()
    /// Number of calls of `Echo` that were carried out.
    let echoes = Counter()
    /// Number of replies that `Repeat` has sent.
    let repetitions = Counter()
    /// Closure that `Mark` calls, on the event loop of its connection.
    let markHandler: MarkHandler
    /// Stream of replies that `Keep` received.
    let keptStream = AwaitableState<ReplyStream?>(nil)
    /// Signal that is sent when `Repeat` is cancelled while it waits.
    let repeatCancelled = Signal()
    /// Signal that is sent when `Follow` is cancelled.
    let followCancelled = Signal()

    final class Counter: Sendable {
        private let value = Atomic(0)
        func add() { value.add(1, ordering: .relaxed) }
        var count: Int { value.load(ordering: .relaxed) }
    }

    /// Numbers of the calls of `Gather`, in the order in which their replies were encoded.
    let gatheredReplies = Numbers()

    final class Numbers: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    final class MarkHandler: Sendable {
        let body = Mutex<@Sendable () -> Void>({})
    }

    static func run<Result: Sendable>(
        limits: ServerLimits = .init(), registry: ConnectionRegistry = ConnectionRegistry(),
        authorize: @escaping @Sendable (Peer) -> Access = { _ in .all },
        onRefusal: @escaping @Sendable (Refusal, String, Bool) -> Void = { _, _, _ in },
        logger: Logger = .quiet,
        _ body: (TestService) async throws -> Result
    ) async throws -> Result {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let service = try TestService(
            limits: limits, registry: registry, authorize: authorize, onRefusal: onRefusal,
            group: group, logger: logger)
        try await service.server.listen(path: service.path)
        // Tests block threads of the global pool, so the server must start without such a thread.
        let result = await withTaskGroup { tasks in
            tasks.addImmediateTask { await service.server.run() }
            defer {
                service.release.send()
                service.server.stop()
            }
            do { return Swift.Result<Result, any Error>.success(try await body(service)) } catch {
                return .failure(error)
            }
        }
        try await group.shutdownGracefully()
        return try result.get()
    }

    private init(
        limits: ServerLimits, registry: ConnectionRegistry,
        authorize: @escaping @Sendable (Peer) -> Access,
        onRefusal: @escaping @Sendable (Refusal, String, Bool) -> Void,
        group: any EventLoopGroup, logger: Logger
    ) throws {
        directory = try ScratchDirectory()
        path = directory.file("socket")
        let (began, release, echoes) = (self.began, self.release, self.echoes)
        let (repetitions, followCancelled) = (self.repetitions, self.followCancelled)
        let (keptStream, repeatCancelled) = (self.keptStream, self.repeatCancelled)
        var test = InterfaceImplementation(try InterfaceDefinition(parsing: Self.definition))
        try test.on("Echo") { (echo: Echo, _) in
            echoes.add()
            if echo.late == true { await release.wait() }
            return Echo(text: String(repeating: echo.text, count: echo.times ?? 1), times: nil)
        }
        try test.on("Line", queue: []) { (line: Echo, _) in
            await Task.yield()
            return Echo(text: String(repeating: line.text, count: line.times ?? 1))
        }
        let gatheredReplies = self.gatheredReplies
        let gathered = Mutex<[CheckedContinuation<Void, Never>]>([])
        try test.on("Gather", queue: ["queue"]) { (gather: Gather, _) in
            let number = gathered.withLock { $0.count + 1 }
            if number < gather.count {
                await withCheckedContinuation { caller in gathered.withLock { $0.append(caller) } }
            } else {
                for caller in gathered.withLock({ callers in
                    defer { callers = [] }
                    return callers.reversed()
                }) { caller.resume() }
            }
            return Gathered(number: number, times: gather.times ?? 1, encoded: gatheredReplies)
        }
        try test.on("WhoAmI") { (_: Empty, context) in
            let peer = context.peer
            return Identity(
                pid: Int(peer.pid), uid: Int(peer.uid), gid: Int(peer.gid),
                groups: peer.groups.map(Int.init))
        }
        try test.on("Wait") { (_: Empty, _) in
            began.send()
            await release.wait()
            try Task.checkCancellation()
            return Empty()
        }
        try test.on("Count", isReadOnly: true) { (_: Empty, _) in Count(count: echoes.count) }
        try test.on("Refuse") { (_: Empty, _) -> Empty in
            throw try VarlinkError(name: "org.example.Test.Refused", encoding: ["reason": "no"])
        }
        try test.on("Repeat", isStreaming: true) { (echo: Echo, context) in
            let reply = Echo(text: echo.text)
            if echo.text == Self.batchText {
                let numbers = 1..<(echo.times ?? 1)
                try await context.stream?.reply(
                    json: numbers.map { Array(#"{"text":"\#($0)"}"#.utf8) })
                return reply
            }
            for _ in 1..<(echo.times ?? 1) {
                do { try await context.stream?.reply(reply) } catch {
                    repeatCancelled.send()
                    throw error
                }
                repetitions.add()
            }
            return reply
        }
        try test.on("Follow", isStreaming: true) { (_: Empty, context) -> Empty in
            guard let stream = context.stream else { throw VarlinkError.expectedMore }
            try await stream.reply(Empty())
            began.send()
            defer { followCancelled.send() }
            let (events, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in events {}
            throw CancellationError()
        }
        try test.on("Keep", isStreaming: true) { (echo: Echo, context) in
            keptStream.change { $0 = context.stream }
            return echo
        }
        let markHandler = MarkHandler()
        try test.on("Mark") { (_: Empty, _) in
            markHandler.body.withLock { $0 }()
            return Empty()
        }
        self.markHandler = markHandler
        server = try VarlinkServer(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://example.org/"),
            interfaces: [test], limits: limits, registry: registry, group: group,
            authorize: authorize, onRefusal: onRefusal, logger: logger)
    }

    func client(timeout: Duration = .seconds(60)) throws -> VarlinkClient {
        try VarlinkClient(path: path, timeout: timeout)
    }

    func raw() throws -> RawSocket {
        try RawSocket(path)
    }
}

extension ServerLimits {
    /// Returns the default limits with the changes that the body makes.
    static func with(_ body: (inout ServerLimits) -> Void) -> ServerLimits {
        var limits = ServerLimits()
        body(&limits)
        return limits
    }
}
