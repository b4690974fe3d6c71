import Preservation
import RestorationTesting
import Testing

@testable import JobRunner

@Test func `a job continues after a kill`() async throws {
    let program = try TestProgram { test in
        try await makeApplication(
            in: test.stateDirectory, settings: test.settings, logger: test.logger)
    }
    try await program.run(endingBy: .kill) { _, job async throws in
        try await job.update { $0.step = 998 }
    }
    try await program.run { _, job async throws in
        #expect(try await job.current.step == 998)
        try await JobRunner(job: job).run()
        #expect(try await job.current.step == 1000)
    }
    #expect(program.problems.isEmpty)
}
