import Logging
import Preservation
import TestSupport
import Testing

@testable import Reprise
@testable import SampleApplications

/// What restarts of applications that nobody uses leave behind.
@Suite struct RestartTests {
    static let applications: [HostedApplication] = [
        .childViews, .stateRestore, .homepwner, .scrapbook,
    ]

    @Test(arguments: applications.indices)
    func `R16: ten restarts of an unchanged application make no generation and no warning`(
        index: Int
    ) async throws {
        let hosted = Self.applications[index]
        try await withScratchFolder { folder in
            try await withApplication(hosted, in: folder) { application in
                try await application.open(scene: "second")
            }
            let log = LogRecorder()
            var made: [String] = []
            for restart in 0..<10 {
                try await withApplication(hosted, in: folder, logger: log.logger()) { application in
                    let names = try await application.history().map(\.name)
                    if restart == 0 { made = names }
                    #expect(names == made, "restart \(restart)")
                }
            }
            #expect(made.count == 1)
            // Nor does the tenth stop.
            let names = try await withApplication(hosted, in: folder) { application in
                try await application.history().map(\.name)
            }
            #expect(names == made)
            #expect(log.entries.filter { $0.level >= .warning }.map(\.message) == [])
        }
    }
}
