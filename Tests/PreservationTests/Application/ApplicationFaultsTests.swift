import Glibc
import Logging
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct ApplicationFaultsTests {
    private func isNo(_ saved: DurabilityLevel) -> Bool {
        if case .notSaved(let reason) = saved { !reason.isEmpty } else { false }
    }

    @Test
    func `P16: a failed write is reported, live state is unaffected, and saving resumes by itself`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("saved")
                let bytes = scratch.archiveBytes()
                scratch.blockSaving()

                let saved = try await hosted.write("unsaved 1")
                #expect(isNo(saved))
                let status = await hosted.application.status()
                #expect(status.saved == saved)
                #expect(saved == .notSaved(reason: status.lastError ?? ""))
                #expect(try await isNo(hosted.write("unsaved 2")))
                #expect(try await hosted.text() == "unsaved 2")
                #expect(try await isNo(hosted.application.preserve()))
                await hosted.passInterval()
                #expect(await isNo(hosted.application.status().saved))

                scratch.allowSaving()
                #expect(scratch.archiveBytes() == bytes)
                await hosted.passInterval()
                #expect(await hosted.statusWhenSavingResumes().saved != saved)
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "unsaved 2")
        }
    }

    @Test func `P16: a save failure and the recovery from it are logged once each`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("saved")
                scratch.blockSaving()
                for number in 0..<3 { try await hosted.write("unsaved \(number)") }
                await hosted.passInterval()
                scratch.allowSaving()
                await hosted.passInterval()
                _ = await hosted.statusWhenSavingResumes()
                await hosted.passInterval()
                try await hosted.write("saved again")
                let logged = hosted.log.entries.filter {
                    $0.message.hasPrefix("could not save") || $0.message == "saving works again"
                }
                #expect(logged.map(\.level) == [.error, .notice])
                #expect(logged.first?.metadata["MESSAGE_ID"] == "5f2c1d1f3f9e4a0c9d6a0f6a51b0c107")
                #expect(logged.last?.metadata["MESSAGE_ID"] == "5f2c1d1f3f9e4a0c9d6a0f6a51b0c108")
                #expect(
                    logged.last?.metadata["REPRISE_APPLICATION"] == Notes.bundleIdentifier)
            }
        }
    }

    @Test func `P16: a command that changes nothing also resumes saving`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                scratch.blockSaving()
                #expect(try await isNo(hosted.write("unsaved")))
                scratch.allowSaving()
                let saved = try await hosted.application.perform { _ in }.saved
                #expect(saved == .written)
            }
        }
    }

    @Test func `P16: a stop that cannot save throws an error and leaves the saved state intact`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("saved")
                scratch.blockSaving()
                try await hosted.write("lost")
                await #expect(throws: (any Error).self) {
                    try await hosted.application.quitUntilLaunch()
                }
                #expect(await hosted.application.status().phase == .stopped)
                // When saving works again, the write is retried.
                #expect(try #require(scratch.archiveBytes()).contains("saved".utf8))
                scratch.allowSaving()
            }
        }
    }

    @Test func `P16: a stop that cannot save is logged and reported again when the program ends`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var stop: UnsavedStop?
            do {
                try await withNotes(in: scratch) { hosted in
                    try await hosted.write("saved")
                    scratch.blockSaving()
                    try await hosted.write("lost")
                    let quit = await #expect(throws: UnsavedStop.self) {
                        try await hosted.application.quitUntilLaunch()
                    }
                    let logged = try #require(
                        // A sync that began earlier may log its failure later.
                        hosted.log.entries.last { $0.message.hasPrefix("stopped") })
                    #expect(logged.level == .error)
                    #expect(
                        logged.message
                            == "stopped; its last state is only in memory, and is lost if the "
                            + "program stops before the state can be saved: \(quit?.reason ?? "")")
                }
            } catch let error as UnsavedStop {
                stop = error
            }
            #expect(
                stop?.description
                    == "the last state of org.example.Notes could not be saved: \(stop?.reason ?? "")"
            )
        }
    }

    @Test func `P16: a stop that cannot save does not log that saving works again`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("saved")
                scratch.blockSaving()
                try await hosted.write("unsaved")
                await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                #expect(hosted.log.entries.filter { $0.message == "saving works again" }.isEmpty)
                #expect(
                    hosted.log.entries.count { $0.message.hasPrefix("could not save") } == 1)
                scratch.allowSaving()
            }
        }
    }

    @Test func `P16: a save failure that lasts until the program ends is counted once`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let metrics = CounterRecorder()
            var settings = HostedSettings()
            settings.metrics = metrics
            var hasReportedStop = false
            do {
                try await withNotes(in: scratch, settings) { hosted in
                    try await hosted.write("saved")
                    #expect(metrics.count(of: "reprise_save_failures") == 0)
                    scratch.blockSaving()
                    // Only the stop fails to save: it cannot close the archive.
                    await #expect(throws: UnsavedStop.self) {
                        try await hosted.application.quitUntilLaunch()
                    }
                    #expect(metrics.count(of: "reprise_save_failures") == 1)
                }
            } catch is UnsavedStop {
                hasReportedStop = true
            }
            #expect(hasReportedStop)
            #expect(metrics.count(of: "reprise_save_failures") == 1)
        }
    }

    @Test func `P16: status shows the last error and its time after a restart`() async throws {
        try await withScratchDirectory { scratch in
            var before: ApplicationStatus?
            try await withNotes(in: scratch) { hosted async throws in
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                #expect(try await isNo(hosted.write("late")))
                before = await hosted.application.status()
                scratch.watch.failWriting("data.archive", with: nil)
            }
            let later = try await withNotes(in: scratch) { await $0.application.status() }
            let sentence = try #require(before?.lastError)
            #expect(later.lastError == "before the last start: \(sentence)")
            #expect(later.lastErrorTime == before?.lastErrorTime)
        }
    }

    @Test func `P16: state left by an unsaved stop is saved when the program ends`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                scratch.blockSaving()
                try await hosted.write("late")
                await #expect(throws: UnsavedStop.self) {
                    try await hosted.application.quitUntilLaunch()
                }
                scratch.allowSaving()
            }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == "late")
        }
    }

    @Test func `P16: state left by an unsaved stop is saved once saving works again`() async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted in
                try await hosted.write("saved")
                scratch.blockSaving()
                try await hosted.write("late")
                await #expect(throws: (any Error).self) {
                    try await hosted.application.quitUntilLaunch()
                }
                scratch.allowSaving()
                await hosted.passInterval()
                #expect(await hosted.statusWhenSavingResumes().saved == .durable)
                try await hosted.application.launch()
                #expect(try await hosted.text() == "late")
            }
            #expect(notes.record.launches == [.pristine, .restore])
        }
    }

    @Test func `a system error while loading the archive prevents the launch`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("safe") }
            let settings = HostedSettings(stateDirectory: try scratch.watched(by: scratch.watch))
            scratch.blockSaving()
            try await withNotes(in: scratch, settings) { hosted in
                guard case .failed(let reason) = await hosted.application.status().phase else {
                    Issue.record("launched without its archive")
                    return
                }
                #expect(!reason.isEmpty)
                await hosted.passInterval()
                scratch.allowSaving()
                try await hosted.application.launch()
                #expect(try await hosted.text() == "safe")
            }
        }
    }
}
