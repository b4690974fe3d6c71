import Glibc
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Varlink
import VarlinkServing

/// Server that implements the generated protocol.
private struct Everything: EverythingMethods {
    func m(_ call: EverythingInterface.MCall, _ context: CallContext) async throws {}

    func needs(_ call: EverythingInterface.NeedsCall, _ context: CallContext) async throws {
        throw EverythingError.notFound(name: call.text)
    }

    func echo(
        _ call: EverythingInterface.EchoCall, _ context: CallContext
    ) async throws -> EverythingInterface.EchoCall.Reply {
        try JSONText.read(
            EverythingInterface.EchoCall.Reply.self, from: try JSONText.write(call))
    }

    func count(
        _ call: EverythingInterface.CountCall, _ context: CallContext,
        _ replies: ReplySender<EverythingInterface.CountCall.Reply>
    ) async throws -> EverythingInterface.CountCall.Reply {
        for number in 1..<max(call.to, 1) { try await replies.send(.init(number: number)) }
        if call.to == 0 { throw EverythingError.bare }
        return .init(number: call.to)
    }

    func watch(
        _ call: EverythingInterface.WatchCall, _ context: CallContext,
        _ replies: ReplySender<EverythingInterface.WatchCall.Reply>?
    ) async throws -> EverythingInterface.WatchCall.Reply {
        .init(number: replies == nil ? 1 : 2)
    }

    func urlOf(
        _ call: EverythingInterface.URLOfCall, _ context: CallContext
    ) async throws -> EverythingInterface.URLOfCall.Reply { .init(url: call.url) }

    func `init`(_ call: EverythingInterface.InitCall, _ context: CallContext) async throws {}

    func type(_ context: CallContext) async throws -> EverythingInterface.TypeCall.Reply {
        .init(Type_: context.method)
    }

    func self_(_ context: CallContext) async throws {}

    func `import`(_ context: CallContext) async throws -> EverythingInterface.ImportCall.Reply {
        throw CancellationError()
    }
}

/// Generated client and server that communicate over a socket.
@Suite(.timeLimit(.minutes(10))) struct GeneratedServerTests {
    private func run(
        _ body: (EverythingClient, EverythingClient) async throws -> Void
    ) async throws {
        let scratch = try ScratchDirectory()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try VarlinkServer(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://example.org/"),
            interfaces: [try EverythingDispatcher(Everything())], group: group,
            logger: .quiet)
        let path = scratch.file("socket")
        try await server.listen(path: path)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { await server.run() }
            defer { server.stop() }
            try await body(
                EverythingClient(try VarlinkConnection(path: path)),
                EverythingClient(try VarlinkConnection(path: path)))
        }
        try await group.shutdownGracefully()
    }

    @Test func `replies and thrown errors reach the client`() async throws {
        try await run { client, _ in
            let reply = try await client.echo(
                text: .init(value: "é"), kinds: [.two], anything: [], map: ["a": nil], float: 0.5,
                connection: "c")
            #expect(reply.text.value == "é")
            #expect(reply.connection == "c")
            #expect(try await client.type().Type_ == "org.example.Everything.Type")
            #expect(try await client.urlOf(url: "u").url == "u")
            try await client.self_()
            await #expect(throws: CallFailure<EverythingError>.refused(.notFound(name: "x"))) {
                try await client.needs(text: "x")
            }
            try await client.m(n: .init(x: "x"))
        }
    }

    @Test func `replies arrive in order, and the connection is free after the last reply`()
        async throws
    {
        try await run { client, _ in
            var numbers: [Int] = []
            for try await reply in client.count(to: 300) { numbers.append(reply.number) }
            #expect(numbers == Array(1...300))
            #expect(try await client.watch().number == 1)
            for try await reply in client.watchReplies() { #expect(reply.number == 2) }
            await #expect(throws: CallFailure<EverythingError>.refused(.bare)) {
                for try await _ in client.count(to: 0) {}
            }
            #expect(try await client.watch().number == 1)
        }
    }

    @Test func `a stream occupies its connection until it ends`() async throws {
        try await run { client, other in
            var replies = client.count(to: 3).makeAsyncIterator()
            let first = try await replies.next()
            #expect(first?.number == 1)
            await #expect(
                throws: CallFailure<EverythingError>.connection(
                    .occupied(
                        by: "org.example.Everything.Count", method: "org.example.Everything.Watch"))
            ) { try await client.watch() }
            #expect(try await other.watch().number == 1)
            #expect(try await replies.next()?.number == 2)
            #expect(try await replies.next()?.number == 3)
            #expect(try await replies.next() == nil)
            #expect(try await replies.next() == nil)
            #expect(try await client.watch().number == 1)
        }
    }

    @Test func `leaving a stream early closes the connection`() async throws {
        try await run { client, _ in
            for try await reply in client.count(to: 1_000_000) where reply.number == 2 { break }
            await #expect(throws: CallFailure<EverythingError>.self) { try await client.watch() }
        }
    }

    @Test func `a method that only streams requires more`() async throws {
        let service = try VarlinkService(
            info: ServiceInfo(vendor: "V", product: "P", version: "1", url: "https://example.org/"),
            interfaces: [try EverythingDispatcher(Everything())], logger: .quiet)
        func outcome(_ method: String, _ parameters: String) async throws -> ReplyMessage.Outcome {
            let text =
                #"{"method":"org.example.Everything.\#(method)","parameters":\#(parameters)}"#
            return await service.answer(
                try Call(parsing: Array(text.utf8)), from: Peer(pid: 1, uid: 1, gid: 1),
                access: .all)
        }
        #expect(try await outcome("Count", #"{"to":1}"#) == .error(.expectedMore))
        #expect(try await outcome("Type", #"{"x":1}"#) == .error(.invalidParameter("x")))
        #expect(
            try await outcome("Type", "{}")
                == .parameters(Array(#"{"Type":"org.example.Everything.Type"}"#.utf8)))
        #expect(try await outcome("Self", "{}") == .parameters(Array("{}".utf8)))
        let traits = try EverythingDispatcher(Everything())
        #expect(traits.traits(of: EverythingMethod.count.rawValue)?.isReadOnly == true)
        #expect(
            traits.traits(of: EverythingMethod.watch.rawValue) == MethodTraits(isStreaming: true))
        #expect(traits.traits(of: 99) == nil)
    }
}
