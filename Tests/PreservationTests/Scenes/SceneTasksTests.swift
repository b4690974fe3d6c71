import TestSupport
import Testing

@testable import Preservation

/// Closures of a scene, without an application that runs them.
@Suite struct SceneTasksTests {
    @Test func `S4: every added closure is started once and counts as running until it returns`() {
        let tasks = SceneTasks()
        for _ in 0..<2 { _ = tasks.add {} }
        var started: [Int] = []
        for _ in 0..<2 {
            tasks.start { number, _ in
                started.append(number)
                return Task {}
            }
        }
        #expect(started.count == 2)
        #expect(tasks.hasRunningTasks)
        for number in started { tasks.finish(number) }
        #expect(!tasks.hasRunningTasks)
    }

    @Test func `S4: the end of a scene cancels all of its running closures`() {
        let tasks = SceneTasks()
        for _ in 0..<2 { _ = tasks.add {} }
        let gate = Signal()
        var started: [Task<Void, Never>] = []
        tasks.start { _, _ in
            let task = Task<Void, Never> { await gate.wait() }
            started.append(task)
            return task
        }
        tasks.cancelAll()
        #expect(started.map(\.isCancelled) == [true, true])
        #expect(!tasks.hasRunningTasks)
        gate.send()
    }
}
