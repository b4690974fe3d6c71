import FoundationEssentials
import Glibc
import Testing

@testable import Preservation

/// Put-back of a document while the state of the running application cannot be saved.
@Suite(.timeLimit(.minutes(5))) struct UnsavedPutBackTests {
    private static let file = "000001-count"

    @Test func `an application that cannot save its state is launched again without the document`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.makeModel = { try DocumentModel($0) }
            try await withNotes(in: scratch, settings) { hosted async throws in
                let quarantine = "\(scratch.applicationDirectory)/quarantine"
                try FileManager.default.createDirectory(
                    atPath: quarantine, withIntermediateDirectories: true)
                try ScratchDirectory.write([7], to: "\(quarantine)/\(Self.file)")
                _ = try await hosted.application.perform { $0.documentModel?.count = 8 }
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("unsaved")
                let failure = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.putBack(Self.file)
                }
                scratch.watch.failWriting("data.archive", with: nil)
                guard case .notPutBack(_, Self.file, .notSaved, _) = failure else {
                    Issue.record("\(failure as Any)")
                    return
                }
                #expect(try await hosted.text() == "unsaved")
                let count = try await hosted.application.read { $0.documentModel?.count }
                #expect(count == 8)
            }
        }
    }
}
