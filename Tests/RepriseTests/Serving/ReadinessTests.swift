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

    @Test func `a task that the signal resumes finds that the daemon is ready`() async {
        let readiness = Readiness()
        let waiting = Task(executorPreference: InlineExecutor()) {
            await readiness.wait()
            return readiness.isDaemonReady
        }
        readiness.signal()
        let isReady = await waiting.value
        #expect(isReady)
    }
}
