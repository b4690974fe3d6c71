import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import VarlinkServing

struct EventLoopYielderTests {
    /// Runs a body with an event loop and its yielder.
    private func withYielder(
        isOpen: Bool = true, _ body: (EventLoopYielder, any EventLoop) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let yielder = EventLoopYielder(on: group.next())
        if isOpen { try await yielder.open() }
        try await body(yielder, group.next())
        yielder.close()
        try await group.shutdownGracefully()
    }

    /// Actor that takes one turn after another on an event loop.
    private actor BusyActor {
        private let loop: any EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            loop.executor.asUnownedSerialExecutor()
        }
        init(_ loop: any EventLoop) { self.loop = loop }

        /// Takes turns until the event loop has read bytes, and returns the number of turns.
        func turns(until readHandler: ReadHandler, _ yielder: EventLoopYielder, _ begin: () -> Void)
            async
            -> Int
        {
            begin()
            for turn in 1...1000 {
                await yielder.yield()
                if readHandler.value.withLock({ $0 }) { return turn }
            }
            return .max
        }
    }

    /// Actor that makes many tasks wait at a yielder, on the yielder's event loop.
    private actor WaitingTasks {
        private let loop: any EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            loop.executor.asUnownedSerialExecutor()
        }
        init(_ loop: any EventLoop) { self.loop = loop }

        /// Lets some tasks wait and closes the yielder. The event loop polls only when it has no other jobs.
        func addWaiters(_ count: Int, to yielder: EventLoopYielder) async {
            let executor = EventLoopTaskExecutor(loop)
            await withTaskGroup { tasks in
                for _ in 0..<count {
                    tasks.addTask(executorPreference: executor) { await yielder.yield() }
                }
                close(yielder)
            }
        }

        /// Closes the yielder as soon as a task is waiting.
        private nonisolated func close(_ yielder: EventLoopYielder) {
            guard yielder.hasWaiters else { return loop.execute { self.close(yielder) } }
            yielder.close()
            #expect(!yielder.hasWaiters)
        }
    }

    private final class ReadHandler: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let value = Mutex(false)
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            value.withLock { $0 = true }
        }
    }

    @Test func `the event loop reads input between two turns`() async throws {
        try await withYielder { yielder, loop in
            var ends: [CInt] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            let readHandler = ReadHandler()
            let channel = try await NIOPipeBootstrap(group: loop)
                .channelInitializer { $0.pipeline.addHandler(readHandler) }
                .takingOwnershipOfDescriptor(input: input).get()
            let turns = await BusyActor(loop).turns(until: readHandler, yielder) {
                write(output, "x", 1)
            }
            #expect(turns == 1)
            try await channel.close()
            close(output)
        }
    }

    @Test func `waiting tasks resume one by one in the order of their arrival`() async throws {
        try await withYielder { yielder, loop in
            let order = AwaitableState<[Int]>([])
            await withTaskGroup { tasks in
                for number in 0..<100 {
                    tasks.addTask(executorPreference: EventLoopTaskExecutor(loop)) {
                        await yielder.yield()
                        order.change { $0.append(number) }
                    }
                }
            }
            #expect(order.state == Array(0..<100))
            #expect(!yielder.hasWaiters)
        }
    }

    @Test func `closing the yielder resumes waiting tasks and lets later tasks continue`()
        async throws
    {
        try await withYielder { yielder, loop in
            await WaitingTasks(loop).addWaiters(10, to: yielder)
            await yielder.yield()
            try await yielder.open()
            await yielder.yield()
        }
    }

    @Test func `a yielder that is opened twice stays open`() async throws {
        try await withYielder { yielder, loop in
            try await yielder.open()
            await yielder.yield()
            // Superfluous channels are closed before these jobs run.
            for _ in 0..<3 { try await loop.submit {}.get() }
            #expect(!yielder.isClosed)
        }
    }

    @Test func `a yielder that two tasks open at the same time stays open`() async throws {
        try await withYielder(isOpen: false) { yielder, loop in
            async let opened: Void = yielder.open()
            try await yielder.open()
            try await opened
            // Superfluous channels are closed before these jobs run.
            for _ in 0..<3 { try await loop.submit {}.get() }
            #expect(!yielder.isClosed)
            await yielder.yield()
        }
    }

    @Test func `a yielder that was never opened blocks no task`() async throws {
        try await withYielder(isOpen: false) { yielder, _ in await yielder.yield() }
    }

    @Test func `shutting down the event loop closes the yielder`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let yielder = EventLoopYielder(on: group.next())
        try await yielder.open()
        try await group.shutdownGracefully()
        #expect(yielder.isClosed)
    }
}
