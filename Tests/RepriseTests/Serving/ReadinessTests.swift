import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct ReadinessTests {
    @Test(arguments: [false, true])
    func `all tasks that wait continue when the daemon is ready or stops`(isReady: Bool) async {
        let readiness = Readiness()
        // The tasks wait before the daemon is ready.
        let waiting = (1...3).map { _ in Task.immediate { await readiness.wait() } }
        #expect(!readiness.isDaemonReady)
        if isReady { readiness.signal() } else { readiness.end() }
        for task in waiting { await task.value }
        // Later calls return immediately.
        await readiness.wait()
        #expect(readiness.isDaemonReady == isReady)
    }
}
