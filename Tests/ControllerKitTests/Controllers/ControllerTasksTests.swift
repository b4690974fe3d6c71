import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct ControllerTasksTests {
    @Test func `S4: a running task is cancelled when its controller is deallocated`() async {
        let log = CallLog()
        let records = SceneRecords(names: NameTable(), numbering: RecordNumberGenerator())
        var bodies: [() async -> Void] = []
        records.startTask = { body in
            bodies.append(body)
            return { log.record("cancelled") }
        }
        var tasks: ControllerTasks? = ControllerTasks()
        tasks?.pendingBodies = [{ tasks = nil }]
        tasks?.startPendingBodies(in: records)
        #expect(log.take() == [])
        for body in bodies { await body() }
        #expect(log.take() == ["cancelled"])
    }
}
