import Logging
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Changes to objects that the program did not invalidate.
@Suite(.timeLimit(.minutes(10))) struct MissedInvalidationTests {
    @Test func `P20: a missed invalidation in a command is saved at the interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("first")
                _ = try await hosted.application.perform {
                    $0.note.changeWithoutInvalidating("forgotten")
                }
                #expect(try !#require(scratch.archiveBytes()).contains("forgotten".utf8))
                await hosted.passInterval()
                await hosted.log.wait(for: 1, .notInvalidated)
                #expect(try await hosted.text() == "forgotten")
                #expect(try #require(scratch.archiveBytes()).contains("forgotten".utf8))
                let logged = try #require(hosted.log.entry(.notInvalidated))
                #expect(logged.level == .warning)
                #expect(logged.metadata["REPRISE_PATH"] == "note")
                #expect(logged.metadata["REPRISE_SCENE"] == "main")
                #expect(logged.message.hasPrefix("note changed \"text\" without having been"))
            }
        }
    }

    @Test
    func `P20: with detectsMissedInvalidations, a missed invalidation is logged after its command`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var settings = HostedSettings()
            settings.detectsMissedInvalidations = true
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("first")
                #expect(hosted.log.count(.notInvalidated) == 0)
                let saved = try await hosted.application.perform {
                    $0.note.changeWithoutInvalidating("forgotten")
                }.saved
                #expect(saved == .written)
                #expect(try #require(scratch.archiveBytes()).contains("forgotten".utf8))
                #expect(hosted.log.count(.notInvalidated) == 1)
            }
        }
    }

    @Test func `P20: a missed invalidation in a task is saved at an interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("first")
                await hosted.passInterval()
                await hosted.application.runInTask {
                    $0.note.changeWithoutInvalidating("by a task")
                }
                await hosted.passInterval()
                await hosted.log.wait(for: 1, .notInvalidated)
                // The turn that logged the missed invalidation finishes its write before this call.
                _ = await hosted.application.status()
                #expect(try #require(scratch.archiveBytes()).contains("by a task".utf8))
            }
        }
    }

    @Test func `P20: nothing is encoded at an interval unless application code has run`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("first")
                await hosted.passInterval()
                // The interval's turn runs before this full pass.
                #expect(try await hosted.application.preserve() == .durable)
                let encoded = notes.record.encoded.count
                for _ in 0..<3 { await hosted.passInterval() }
                _ = await hosted.application.status()
                #expect(notes.record.encoded.count == encoded)
            }
        }
    }

    @Test func `P20: inspecting a scene does not cause its objects to be encoded again`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("first")
                #expect(try await hosted.application.preserve() == .durable)
                let encoded = notes.record.encoded.count
                for _ in 0..<3 {
                    let text = try await hosted.application.inspect { $0.note.text }.result
                    #expect(text == "first")
                    await hosted.passInterval()
                }
                _ = await hosted.application.status()
                #expect(notes.record.encoded.count == encoded)
            }
        }
    }

    @Test
    func `an interval that saved state logs the amount and the time up to which it is durable`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("first")
                try await hosted.write("second")
                await hosted.passInterval()
                await hosted.log.wait(for: 1, .saved)
                await hosted.passInterval()
                _ = await hosted.application.status()
                #expect(hosted.log.count(.saved) == 1)
                let logged = try #require(hosted.log.entry(.saved))
                #expect(logged.level == .info)
                #expect(
                    logged.message.wholeMatch(
                        of: /saved: 3 passes, \d objects, \d+ bytes; durable up to 1970-.*Z/)
                        != nil, "\(logged.message)")
            }
        }
    }
}

extension Application {
    /// Runs a closure in a task of the first scene, and waits until the task has finished.
    fileprivate func runInTask(_ body: @escaping @Sendable (Scene) -> Void) async {
        guard let scene = hostedScenes?.table.launchedScenes.first?.scene else { return }
        await withCheckedContinuation { continuation in
            scene.run {
                await Task.yield()
                body(scene)
                continuation.resume()
            }
        }
    }
}

extension LogRecorder {
    /// Returns the newest entry of an event.
    fileprivate func entry(_ event: Preservation.LogEvent) -> Entry? {
        entries.last { $0.metadata["MESSAGE_ID"] == event.rawValue }
    }
}
