import FoundationEssentials
import Logging
import Preservation
import TestSupport
import Testing

@testable import Reprise
@testable import SampleApplications

/// Tests the files that remain after restarts of unused applications.
@Suite struct RestartTests {
    static let applications: [HostedApplication] = [
        .childViews, .stateRestore, .homepwner, .scrapbook,
    ]

    /// Returns the storyboard of ChildViews with an additional text field that may save its own
    /// text.
    private func storyboard(preservesText: Bool) throws -> [String: String] {
        let shipped = try ShippedStoryboard.text("ChildViews.yaml")
        let field =
            "plain: { class: TextField, restorationIdentifier: plain, preservesText: \(preservesText) }"
        let place = "    views:\n      segmentedControl:\n"
        try #require(shipped.contains(place))
        let text = shipped.replacing(
            place, with: "    views:\n      \(field)\n      segmentedControl:\n", maxReplacements: 1
        )
        return ["ChildViews.yaml": text]
    }

    @Test func `R16: state that a changed storyboard does not use is added to the history`()
        async throws
    {
        try await withScratchDirectory { directory async throws in
            try await withScratchDirectory { killed async throws in
                let before = try storyboard(preservesText: true)
                try await withApplication(.childViews, in: directory, storyboards: before) {
                    application async throws in
                    try await application.command {
                        try $0.type("plain text", at: "nav/parent/plain")
                    }
                    try FileManager.default.removeItem(atPath: killed)
                    try FileManager.default.copyItem(atPath: directory, toPath: killed)
                }
                let after = try storyboard(preservesText: false)
                try await withApplication(.childViews, in: killed, storyboards: after) {
                    application async throws in
                    let kept = try await application.history()
                    #expect(kept.count == 1)
                    #expect(kept.first?.reason?.contains("other storyboards") == true)
                    let path = try #require(kept.first?.path)
                    let bytes = try Data(contentsOf: URL(filePath: path))
                    #expect(bytes.contains("plain text".utf8))
                }
            }
        }
    }

    @Test(arguments: applications.indices)
    func `R16: ten restarts of an unchanged application add no generation and log no warning`(
        index: Int
    ) async throws {
        let hosted = Self.applications[index]
        try await withScratchDirectory { directory in
            try await withApplication(hosted, in: directory) { application in
                try await application.open(scene: "second")
            }
            let log = LogRecorder()
            var made: [String] = []
            for restart in 0..<10 {
                try await withApplication(hosted, in: directory, logger: log.logger()) {
                    application in
                    let names = try await application.history().map(\.name)
                    if restart == 0 { made = names }
                    #expect(names == made, "restart \(restart)")
                }
            }
            #expect(made.count == 1)
            // The tenth stop does not add a generation either.
            let names = try await withApplication(hosted, in: directory) { application in
                try await application.history().map(\.name)
            }
            #expect(names == made)
            #expect(log.entries.filter { $0.level >= .warning }.map(\.message) == [])
        }
    }
}
