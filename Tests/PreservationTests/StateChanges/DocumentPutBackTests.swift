import FoundationEssentials
import Glibc
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Failures to put back a quarantined document.
@Suite(.timeLimit(.minutes(5))) struct DocumentPutBackTests {
    private static let file = "000001-count"

    /// Runs an application whose document contains 8, with another document in quarantine.
    private func withQuarantined(
        _ bytes: [UInt8] = [7], in scratch: ScratchDirectory,
        makeModel: @escaping @Sendable (DocumentsDirectory) throws -> any ApplicationModel = {
            try DocumentModel($0)
        },
        _ body: (HostedNotes) async throws -> Void
    ) async throws {
        var settings = HostedSettings()
        settings.makeModel = makeModel
        try await withNotes(in: scratch, settings) { hosted async throws in
            let quarantine = "\(scratch.applicationDirectory)/quarantine"
            try FileManager.default.createDirectory(
                atPath: quarantine, withIntermediateDirectories: true)
            try ScratchDirectory.write(bytes, to: "\(quarantine)/\(Self.file)")
            _ = try await hosted.application.perform { $0.documentModel?.count = 8 }
            try await body(hosted)
        }
    }

    private func document(in scratch: ScratchDirectory) throws -> [UInt8] {
        try ScratchDirectory.bytes(
            of: "\(scratch.stateDirectory)/Documents/\(Notes.bundleIdentifier)/count")
    }

    /// Step of the put-back that fails.
    enum Step: String, CaseIterable {
        /// The replaced document is moved to quarantine.
        case quarantining = "000002-count.reason"
        /// The document is written.
        case writing = ".count.new"
    }

    @Test(arguments: Step.allCases)
    func `a document that cannot be put back leaves the current document in place`(step: Step)
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withQuarantined(in: scratch) { hosted async throws in
                scratch.watch.fail(step.rawValue, with: ENOSPC)
                let failure = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.putBack(Self.file)
                }
                scratch.watch.fail(step.rawValue, with: nil)
                guard case .notPutBack(_, Self.file, .notSaved, _) = failure else {
                    Issue.record("\(failure as Any)")
                    return
                }
                #expect(try document(in: scratch) == [8])
                let count = try await hosted.application.read { $0.documentModel?.count }
                #expect(count == 8)
            }
        }
    }

    @Test(arguments: Step.allCases)
    func `a failed put-back also reports that the application could not be launched again`(
        step: Step
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let refusesModel = AwaitableState(false)
            let makeModel: @Sendable (DocumentsDirectory) throws -> any ApplicationModel = {
                if refusesModel.state { throw Refusal() }
                return try DocumentModel($0)
            }
            try await withQuarantined(in: scratch, makeModel: makeModel) { hosted async throws in
                scratch.watch.fail(step.rawValue, with: ENOSPC)
                refusesModel.change { $0 = true }
                let failure = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.putBack(Self.file)
                }
                scratch.watch.fail(step.rawValue, with: nil)
                guard case .notPutBack(_, Self.file, .notSaved, let reason) = failure else {
                    Issue.record("\(failure as Any)")
                    return
                }
                #expect(reason.contains("No space left on device"))
                #expect(reason.contains("; the application could not be launched again: "))
                #expect(reason.contains("\(Refusal())"))
            }
        }
    }

    @Test func `a document is not put back if the application cannot save its last state`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withQuarantined(in: scratch) { hosted async throws in
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("unsaved")
                await #expect(throws: (any Error).self) {
                    try await hosted.application.putBack(Self.file)
                }
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(try document(in: scratch) == [8])
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "unsaved")
        }
    }

    @Test func `a document that the application cannot use is reported by the put-back`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withQuarantined([1, 2], in: scratch) { hosted async throws in
                let failure = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.putBack(Self.file)
                }
                guard case .failed(_, let reason) = failure else {
                    Issue.record("\(failure as Any)")
                    return
                }
                #expect(reason.contains("has not one byte"))
                // The put-back is recorded, because the document has been replaced.
                #expect(try document(in: scratch) == [1, 2])
                #expect(hosted.log.count(.putBack) == 1)
                let newNames = try await hosted.application.newQuarantineEntries().map(\.name)
                #expect(newNames == ["000002-count"])
                // The replaced document can be put back.
                _ = try await hosted.application.putBack("000002-count")
                try await hosted.application.launch()
                #expect(try document(in: scratch) == [8])
            }
        }
    }
}
