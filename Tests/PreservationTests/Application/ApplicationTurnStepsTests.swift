import Glibc
import RestorationTesting
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Order of the steps of a turn, and the events that it logs.
@Suite(.timeLimit(.minutes(5))) struct ApplicationTurnStepsTests {
    @Test func `an exit at turn-written happens before any reply is prepared`() async throws {
        await #expect(processExitsWith: .exitCode(3)) {
            try await withScratchDirectory { scratch in
                try await withNotes(in: scratch) { hosted async throws in
                    let application = hosted.application
                    _ = try await hosted.text()
                    await application.armDebugExit(stage: .turnWritten, action: .exit(code: 3))
                    _ = try await application.change { _ in
                        let check: PersistenceCheck = { _ in exit(5) }
                        return ((), check)
                    }
                }
            }
        }
    }

    @Test func `P14: the duration of a turn includes the generation that it adds`() async throws {
        try await withScratchDirectory { scratch async throws in
            let clock = TestClock()
            let log = LogRecorder { entry in
                if entry.message.contains("was added to the history") {
                    clock.advance(by: .seconds(2))
                }
                return entry
            }
            var settings = PreservationSettings()
            settings.clock = clock
            settings.usesJournalFields = true
            let application = try Application(
                definition: Notes().definition(),
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: log.logger())
            async let running: Void = application.run()
            try await application.waitUntilLaunched()
            try await application.perform { $0.note.text = "one" }
            await application.runTurn(.history)
            #expect(log.count(.generationMade) == 1)
            #expect(log.count(.operationSlow) == 1)
            try await application.quit()
            try await running
        }
    }

    @Test func `P14: an interval logs earlier saves even if all changes are already durable`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, HostedSettings(durability: .commit)) {
                hosted async throws in
                #expect(try await hosted.write("one") == .durable)
                #expect(hosted.log.count(.saved) == 0)
                await hosted.application.runTurn(.interval)
                #expect(hosted.log.count(.saved) == 1)
            }
        }
    }

    @Test func `R18: a launch logs every object that it found`() async throws {
        try await withScratchDirectory { scratch async throws in
            var behavior = Notes.Behavior()
            behavior.registersExtra = true
            behavior.extraCount = 2
            try await withNotes(Notes(behavior), in: scratch) { try await $0.write("one") }
            try await withNotes(Notes(behavior), in: scratch) { hosted async throws in
                let paths = hosted.log.entries.filter {
                    $0.metadata["MESSAGE_ID"] == LogEvent.objectFound.rawValue
                }.compactMap { $0.metadata["REPRISE_PATH"] }
                #expect(paths.sorted() == ["extra", "extra1", "note"])
            }
        }
    }
}
