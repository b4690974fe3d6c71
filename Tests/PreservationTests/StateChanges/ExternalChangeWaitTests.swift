import FoundationEssentials
import Glibc
import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Waiting periods for programs that are changing the archive, and the commands that wait (L4, L8).
@Suite struct ExternalChangeWaitTests {
    private func archive(_ text: String) async throws -> [UInt8] {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write(text) }
            return try #require(scratch.archiveBytes())
        }
    }

    @Test func `L8: a program that never stops writing does not defer replies forever`()
        async throws
    {
        let other = try await archive("earlier")
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                let descriptor = open(scratch.archive, O_WRONLY | O_TRUNC)
                async let saved = hosted.write("last")
                let rounds = Int(
                    ExternalChangeHandler.maximumReplyDelay / ExternalChangeHandler.debounce)
                for _ in 0..<rounds {
                    // The two intervals also sleep.
                    await hosted.clock.waitForSleepers(3)
                    #expect(write(descriptor, "x", 1) == 1)
                    hosted.clock.advance(by: ExternalChangeHandler.debounce)
                }
                for saved in [try await saved, try await hosted.write("newer")] {
                    guard case .notSaved(let reason) = saved else {
                        Issue.record("it is said to be saved")
                        return
                    }
                    #expect(reason.contains("may not be done yet"))
                }
                // The change is handled after the program has finished writing.
                #expect(ftruncate(descriptor, 0) == 0)
                #expect(pwrite(descriptor, other, other.count, 0) == other.count)
                close(descriptor)
                await hosted.application.checkArchive()
                #expect(try await hosted.text() == "earlier")
                #expect(try await hosted.write("goes on") == .written)
                #expect(try await hosted.application.quarantined() == [])
            }
        }
    }

    @Test(arguments: [false, true])
    func `L4: a further change to the archive restarts the debounce`(
        wasRemoved: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                if wasRemoved {
                    #expect(unlink(scratch.archive) == 0)
                } else {
                    try ScratchDirectory.write(Array("half".utf8), to: scratch.archive)
                }
                await hosted.application.checkArchive()
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                hosted.clock.advance(by: .milliseconds(60))
                try ScratchDirectory.write(Array("more of it".utf8), to: scratch.archive)
                await hosted.application.checkArchive()
                hosted.clock.advance(by: .milliseconds(40))
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                #expect(try await hosted.application.quarantined() == [])
                await hosted.passDebounce()
                await hosted.log.wait(for: 1, .archiveReplaced)
                #expect(try await hosted.application.quarantined().count == 1)
                #expect(try await hosted.text() == "live")
            }
        }
    }

    @Test func `L4: a removal during the debounce restarts the debounce`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                let bytes = try #require(scratch.archiveBytes())
                try ScratchDirectory.write(Array("half".utf8), to: scratch.archive)
                await hosted.application.checkArchive()
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                #expect(unlink(scratch.archive) == 0)
                await hosted.passDebounce()
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                try ScratchDirectory.write(bytes, to: scratch.archive)
                await hosted.application.checkArchive()
                #expect(try await hosted.text() == "live")
                #expect(notes.record.launches == [.pristine, .replace])
            }
        }
    }

    @Test func `L4: intervals do not defer replies while the state directory is elsewhere`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let away = "\(scratch.path)/away"
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                #expect(rename(scratch.stateDirectory, away) == 0)
                await hosted.application.checkArchive()
                await hosted.passInterval()
                // The archive is checked again.
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                guard case .notSaved(let reason) = try await hosted.write("last") else {
                    Issue.record("it is said to be saved")
                    return
                }
                #expect(reason.contains("leads elsewhere"))
                #expect(rename(away, scratch.stateDirectory) == 0)
                await hosted.passDebounce()
                await hosted.log.wait(for: 1, .saveResumed)
            }
        }
    }
}
