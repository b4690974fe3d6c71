import Preservation
import RestorationTesting
import StateRestoration
import Testing

// Code from docs/testing.md, and the declarations that it needs.

private struct JobState: Codable {
    var progress = 0
}

private final class Worker: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("count") var count = 0

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$count) }
}

@Suite struct DocumentTests {
    @Test func `a worker is restored`() async throws {
        let worker = Worker()
        worker.count = 7
        let restored = try await restore(worker) { Worker() }
        #expect(restored.object.count == 7)
        #expect(restored.report.unrestored.isEmpty)
        #expect(restored.problems.isEmpty)
    }

    @Test func `progress survives a kill`() async throws {
        let program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            return (application, try await application.value("jobs", default: JobState()))
        }
        try await program.run(endingBy: .kill) { application, jobs async throws in
            try await jobs.update { $0.progress = 7 }
        }
        try await program.run { application, jobs async throws in
            #expect(try await jobs.current.progress == 7)
        }
        #expect(program.problems.isEmpty)
    }
}
