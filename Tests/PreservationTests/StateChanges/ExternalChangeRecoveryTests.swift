import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Saves and replies while a change by another program has not been handled yet.
@Suite(.timeLimit(.minutes(5))) struct ExternalChangeRecoveryTests {
    @Test func `L4: changes made while the archive is missing are saved after it returns`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let away = "\(scratch.path)/away"
                try await hosted.write("live")
                #expect(rename(scratch.archive, away) == 0)
                try await hosted.write("last")
                // The sync detects that the archive is missing.
                await application.syncNow()
                #expect(await !application.status().saved.isSaved)
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                #expect(rename(away, scratch.archive) == 0)
                hosted.clock.advance(by: ExternalChangeHandler.debounce)
                try await waitUntil("the change has been handled") {
                    await application.unhandledChangeNumber == nil
                }
                #expect(await application.status().saved.isSaved)
            }
        }
    }

    @Test func `L4: after saving has been suspended, a command does not wait for another check`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let away = "\(scratch.path)/away"
                try await hosted.write("live")
                #expect(rename(scratch.stateDirectory, away) == 0)
                await application.checkArchive()
                #expect(try await !hosted.write("last").isSaved)
                #expect(await application.unhandledChangeNumber == nil)
                #expect(rename(away, scratch.stateDirectory) == 0)
                await application.checkArchive()
            }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == "last")
        }
    }

    @Test func `L8: while a scene is launched, a command does not wait for a replacement archive`()
        async throws
    {
        let other = try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withNotes(in: scratch) { try await $0.write("earlier") }
            return try #require(scratch.archiveBytes())
        }
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                let application = hosted.application
                try await hosted.write("live")
                notes.behavior.extendingScenes = ["slow"]
                let opening = Task { try await application.open(scene: "slow") }
                await hosted.log.wait(for: 1, .restorationExtended)
                try scratch.renameOverArchive(other)
                let level = Mutex<DurabilityLevel?>(nil)
                let writing = Task {
                    let saved = try await hosted.write("last", in: "main")
                    level.withLock { $0 = saved }
                }
                try await waitUntil("the command has its reply") {
                    level.withLock { $0 != nil }
                }
                try await writing.value
                #expect(level.withLock { $0?.isSaved } == false)
                await application.completeRestoration()
                _ = await opening.result
                #expect(try await hosted.text(in: "main") == "earlier")
            }
        }
    }
}

extension Application {
    /// Number of the change by another program that has not been handled yet, or `nil` if there is none.
    fileprivate var unhandledChangeNumber: Int? { externalChange.pendingChangeNumber }
}
