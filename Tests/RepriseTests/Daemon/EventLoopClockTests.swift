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
}
