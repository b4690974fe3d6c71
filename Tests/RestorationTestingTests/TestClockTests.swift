import Dispatch
import Glibc
import RestorationTesting
import Testing

@Suite struct TestClockTests {
    @Test func `cancelling a sleeper never blocks the task that advances the clock`() async {
        // Runs in its own process, which SIGALRM ends if a round hangs.
        await #expect(processExitsWith: .success) {
            let clock = TestClock()
            for _ in 1...10_000 {
                alarm(120)
                let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
                await clock.waitForSleepers()
                DispatchQueue(label: "own thread").async { sleeper.cancel() }
                clock.advance(by: .seconds(1))
                _ = await sleeper.result
            }
        }
    }
}
