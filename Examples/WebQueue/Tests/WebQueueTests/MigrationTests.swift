import Foundation
import Preservation
import RestorationTesting
import Testing
import WebQueue

@testable import RepriseServer

/// Tests with archives saved by earlier versions of the program.
@Suite struct MigrationTests {
    @Test func `jobs of version 1 are restored`() async throws {
        let program = try TestProgram { test in
            try await makeApplication(
                in: test.stateDirectory, settings: test.settings, logger: test.logger)
        }
        try program.loadArchiveInNextRun(archive(1))
        try await program.run(endingBy: .kill) { _, stores async throws in
            let jobs = try await stores.jobs.jobs()
            #expect(jobs.waiting.map(\.title) == ["annual report", "invoice"])
            #expect(jobs.waiting.map(\.completedSteps) == [0, 0])
            #expect(jobs.finished.map(\.user) == ["unknown"])
            try await stores.jobs.setCompletedSteps(1, of: "2")
        }
        try await program.run { _, stores async throws in
            #expect(try await stores.jobs.job(id: "2")?.completedSteps == 1)
        }
        #expect(program.problems.isEmpty)
    }

    @Test func `jobs of version 2 are restored with their progress`() async throws {
        let program = try TestProgram { test in
            try await makeApplication(
                in: test.stateDirectory, settings: test.settings, logger: test.logger)
        }
        try program.loadArchiveInNextRun(archive(2))
        try await program.run { _, stores async throws in
            #expect(try await stores.jobs.jobs().waiting.map(\.completedSteps) == [3, 0])
        }
    }

    @Test func `a forgotten migration stops the launch with an error that names the job`()
        async throws
    {
        let program = try TestProgram { test in
            let application = try Application(
                bundleIdentifier: "org.example.WebQueue", bundleVersion: "3",
                stateDirectory: test.stateDirectory, settings: test.settings, logger: test.logger)
            _ = try await application.collection("finished", of: JobV1.self)
            _ = try await application.collection("sessions", of: JobV1.self)
            return (application, try await application.collection("waiting", of: Job.self))
        }
        try program.loadArchiveInNextRun(archive(1))
        let error = await #expect(throws: (any Error).self) {
            try await program.run { _, _ in }
        }
        let sentence = "\(try #require(error))"
        #expect(
            sentence.contains(
                #"2 elements of "waiting" (for example "waiting/1") cannot be decoded"#))
        #expect(sentence.contains("Add or correct a migration from the saved type"))
    }

    private func archive(_ version: Int) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().path + "/Archives/\(version).archive"
    }
}
