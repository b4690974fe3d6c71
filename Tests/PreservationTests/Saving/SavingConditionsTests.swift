import Glibc
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Reasons why state is not saved, and turns that make no pass.
@Suite(.timeLimit(.minutes(5))) struct SavingConditionsTests {
    @Test func `P1: an omitted value or a full disk takes precedence over an opt-out`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.unsavedScenes = ["other"]
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                let application = hosted.application
                func unsavedReason() async -> String? {
                    guard case .notSaved(let reason) = await application.status().saved else {
                        return nil
                    }
                    return reason
                }
                var settings = await application.settings
                settings.limits = ValueLimits(warningBytes: 50, maximumBytes: 100)
                await application.apply(settings)
                try await hosted.write("only in memory", in: "other")
                #expect(await application.status().isUnsavedByOptOut)
                try await hosted.write(String(repeating: "a", count: 200), in: "main")
                #expect(await !application.status().isUnsavedByOptOut)
                #expect(await unsavedReason()?.contains("does not save the scene") == false)
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("short", in: "main")
                #expect(await unsavedReason()?.contains("No space left on device") == true)
                scratch.watch.failWriting("data.archive", with: nil)
            }
        }
    }

    @Test func `the summary of an interval is logged only after its state is durable`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("one")
                scratch.watch.setSyncing(.blocked)
                await hosted.passInterval()
                await scratch.watch.blockedSyncs.wait { $0 > 0 }
                _ = await hosted.application.status()
                #expect(hosted.log.count(.saved) == 0)
                scratch.watch.setSyncing(.real)
                scratch.watch.permitSync()
                await hosted.log.wait(for: 1, .saved)
            }
        }
    }

    @Test func `P20: reading encodes no objects even if missed invalidations are detected`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            var settings = HostedSettings()
            settings.detectsMissedInvalidations = true
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                try await hosted.write("one")
                #expect(try await hosted.application.preserve() == .durable)
                let encodedCount = notes.record.encoded.count
                #expect(try await hosted.text() == "one")
                #expect(notes.record.encoded.count == encodedCount)
                _ = try await hosted.application.perform { _ in }
                #expect(notes.record.encoded.count > encodedCount)
            }
        }
    }

    @Test func `P18: a comparison with the saved state makes a pass unless it is read-only`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write("one") }
            try await withNotes(in: scratch) { hosted async throws in
                _ = try await hosted.application.perform {
                    $0.note.changeWithoutInvalidating("two")
                }
                for isReadOnly in [true, false] {
                    let comparison = try await hosted.application.diff(
                        from: "1", to: nil, readOnly: isReadOnly)
                    #expect(comparison.differences.isEmpty == isReadOnly)
                }
            }
        }
    }
}
