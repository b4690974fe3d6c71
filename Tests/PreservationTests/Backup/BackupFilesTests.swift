import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Files and directories of a backup with unusual sizes or names.
@Suite(.timeLimit(.minutes(5))) struct BackupFilesTests {
    @Test func `a backup contains an empty document`() async throws {
        try await withScratchDirectory { scratch async throws in
            let backup = "\(scratch.path)/backup"
            let directory = try scratch.watched(by: scratch.watch)
            try directory.documents(of: Notes.bundleIdentifier).replace("empty", with: [])
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("kept")
                let report = try await hosted.application.backup(to: backup)
                #expect(report.fileCount == 2)
            }
            let document = "\(backup)/Documents/\(Notes.bundleIdentifier)/empty"
            #expect(try ScratchDirectory.bytes(of: document) == [])
        }
    }

    @Test func `a backup whose temporary name is too long is reported as not written`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("kept")
                // During the backup, the name of the directory has a suffix.
                let name = String(repeating: "a", count: 250)
                let failure = await #expect(throws: BackupError.self) {
                    try await hosted.application.backup(to: "\(scratch.path)/\(name)")
                }
                #expect(failure?.kind == .notWritten)
            }
        }
    }
}
