import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct EventLoopsTests {
    private struct Failure: Error {}

    @Test(arguments: [false, true])
    func `the event loops shut down after the closure returns, and its error is thrown`(
        fails: Bool
    ) async throws {
        let hasEnded = AwaitableState(false)
        func run() async throws {
            try await EventLoops.withGroup { group in
                // An event loop that shuts down cancels its timers.
                let timer = group.next().scheduleTask(in: .hours(1)) {}
                timer.futureResult.whenComplete { _ in hasEnded.change { $0 = true } }
                if fails { throw Failure() }
            }
        }
        if fails {
            await #expect(throws: Failure.self) { try await run() }
        } else {
            try await run()
        }
        #expect(hasEnded.state)
    }
}
