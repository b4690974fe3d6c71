import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import VarlinkServing

struct EventLoopYielderTests {
    /// Runs a body with an event loop and its gate.
    private func withGate(
        isOpen: Bool = true, _ body: (EventLoopYielder, any EventLoop) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let gate = EventLoopYielder(on: group.next())
        if isOpen { try await gate.open() }
        try await body(gate, group.next())
        gate.close()
        try await group.shutdownGracefully()
    }

    /// Actor that takes one turn after another on an event loop.
    private actor Busy {
        private let loop: any EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            loop.executor.asUnownedSerialExecutor()
        }
        init(_ loop: any EventLoop) { self.loop = loop }

        /// Takes turns until the event loop has read bytes, and returns the number of turns.
        func turns(until isRead: Signalled, _ gate: EventLoopYielder, _ begin: () -> Void) async
            -> Int
        {
            begin()
            for turn in 1...1000 {
                await gate.pass()
                if isRead.value.withLock({ $0 }) { return turn }
            }
            return .max
        }
    }

    /// Actor that makes many tasks wait at a gate, on the gate's event loop.
    private actor Crowd {
        private let loop: any EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            loop.executor.asUnownedSerialExecutor()
        }
        init(_ loop: any EventLoop) { self.loop = loop }

        /// Lets some tasks wait and closes the gate. The event loop polls only when it has no other jobs.
        func come(_ count: Int, to gate: EventLoopYielder) async {
            let executor = EventLoopTaskExecutor(loop)
            await withTaskGroup { tasks in
                for _ in 0..<count {
                    tasks.addTask(executorPreference: executor) { await gate.pass() }
                }
                close(gate)
            }
        }

        /// Closes the gate as soon as a task is waiting.
        private nonisolated func close(_ gate: EventLoopYielder) {
            guard gate.hasWaiters else { return loop.execute { self.close(gate) } }
            gate.close()
            #expect(!gate.hasWaiters)
        }
    }

    private final class Signalled: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let value = Mutex(false)
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            value.withLock { $0 = true }
        }
    }

    @Test func `the event loop reads input between two turns`() async throws {
        try await withGate { gate, loop in
            var ends: [CInt] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            let isRead = Signalled()
            let channel = try await NIOPipeBootstrap(group: loop)
                .channelInitializer { $0.pipeline.addHandler(isRead) }
                .takingOwnershipOfDescriptor(input: input).get()
            let turns = await Busy(loop).turns(until: isRead, gate) { write(output, "x", 1) }
            #expect(turns == 1)
            try await channel.close()
            close(output)
        }
    }

    @Test func `waiting tasks resume one by one in the order of their arrival`() async throws {
        try await withGate { gate, loop in
            let order = Awaited<[Int]>([])
            await withTaskGroup { tasks in
                for number in 0..<100 {
                    tasks.addTask(executorPreference: EventLoopTaskExecutor(loop)) {
                        await gate.pass()
                        order.change { $0.append(number) }
                    }
                }
            }
            #expect(order.state == Array(0..<100))
            #expect(!gate.hasWaiters)
        }
    }

    @Test func `closing the gate resumes waiting tasks and lets later tasks pass`() async throws {
        try await withGate { gate, loop in
            await Crowd(loop).come(10, to: gate)
            await gate.pass()
            try await gate.open()
            await gate.pass()
        }
    }

    @Test func `a gate that is opened twice stays open`() async throws {
        try await withGate { gate, loop in
            try await gate.open()
            await gate.pass()
            // Superfluous channels are closed before these jobs run.
            for _ in 0..<3 { try await loop.submit {}.get() }
            #expect(!gate.isClosed)
        }
    }

    @Test func `a gate that was never opened blocks no task`() async throws {
        try await withGate(isOpen: false) { gate, _ in await gate.pass() }
    }

    @Test func `shutting down the event loop closes the gate`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let gate = EventLoopYielder(on: group.next())
        try await gate.open()
        try await group.shutdownGracefully()
        #expect(gate.isClosed)
    }
}
