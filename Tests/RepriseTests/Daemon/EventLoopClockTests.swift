import NIOCore
import NIOPosix
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct EventLoopClockTests {
    @Test func `a sleep ends at its deadline, or with an error when the task is cancelled`()
        async throws
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clock = EventLoopClock(loop: group.next())
        try await clock.sleep(for: .zero)
        let sleeping = Task { try await clock.sleep(for: .seconds(86_400)) }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        try await group.shutdownGracefully()
    }

    @Test func `a sleep on an event loop that shuts down or has shut down ends with an error`()
        async throws
    {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clock = EventLoopClock(loop: group.next())
        let sleeping = Task { try await clock.sleep(for: .seconds(86_400)) }
        try await group.shutdownGracefully()
        await #expect(throws: EventLoopError.shutdown) { try await sleeping.value }
        await #expect(throws: EventLoopError.shutdown) { try await clock.sleep(for: .zero) }
        let cancelled = Task { try await clock.sleep(for: .seconds(86_400)) }
        cancelled.cancel()
        await #expect(throws: (any Error).self) { try await cancelled.value }
    }
}
