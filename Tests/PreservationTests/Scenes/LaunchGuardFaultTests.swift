import Glibc
import LinuxIO
import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Crashes in combination with disk errors.
@Suite struct LaunchGuardFaultTests {
    /// Saves text, then crashes in the next launch.
    private func crash(in scratch: ScratchDirectory) async throws {
        try await withNotes(in: scratch) { try await $0.write("precious") }
        await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
            var behavior = Notes.Behavior()
            behavior.crashPoints["main"] = .decoding
            try await withNotes(Notes(behavior), in: ScratchDirectory(path: path)) { _ in }
        }
    }

    /// Crashes in the following launch, which has no saved state.
    private func crashWithoutState(in scratch: ScratchDirectory) async {
        await #expect(processExitsWith: .signal(SIGILL)) { [path = scratch.path as String] in
            var behavior = Notes.Behavior()
            behavior.crashPoints["main"] = .launching
            try await withNotes(Notes(behavior), in: ScratchDirectory(path: path)) { _ in }
        }
    }

    /// Returns the reason why the application could not be launched, or `nil` if it was launched.
    private func failure(of hosted: HostedNotes) async -> String? {
        guard case .failed(let reason) = await hosted.application.status().phase else { return nil }
        return reason
    }

    private func settings(
        _ scratch: ScratchDirectory, _ watch: DirectoryWatch
    ) throws -> HostedSettings {
        var settings = HostedSettings()
        settings.stateDirectory = try scratch.watched(by: watch)
        return settings
    }

    private func quarantine(_ scratch: ScratchDirectory) throws -> [String] {
        try ScratchDirectory.names(in: "\(scratch.applicationDirectory)/quarantine")
            .filter { !$0.hasSuffix(".reason") }
    }

    @Test
    func `if launches cannot be recorded, scenes are still launched and a single error is logged`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await crash(in: scratch)
            let watch = DirectoryWatch()
            watch.fail("launches.new", with: EROFS)
            try await withNotes(in: scratch, settings(scratch, watch)) { hosted async throws in
                #expect(try await hosted.text() == "precious")
                try await hosted.application.open(scene: "other")
                try await hosted.application.close(scene: "other")
                #expect(hosted.log.count("Launches cannot be recorded") == 1)
                let status = await hosted.application.status()
                #expect(status.lastError?.hasPrefix("Launches cannot be recorded") == true)
            }
        }
    }

    @Test
    func
        `L2: a scene whose state cannot be quarantined is not launched, and its state is not lost`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await crash(in: scratch)
            let watch = DirectoryWatch()
            watch.fail("000001-main.archive", with: ENOSPC)
            try await withNotes(in: scratch, settings(scratch, watch)) { hosted async throws in
                let reason = try #require(await failure(of: hosted))
                #expect(reason.contains("could not be moved to quarantine"))
                // When quarantine works again, the state is quarantined.
                watch.fail("000001-main.archive", with: nil)
                try await hosted.application.launch()
                #expect(try await hosted.text() == "")
            }
            #expect(try quarantine(scratch).count == 1)
        }
    }

    @Test
    func `L8: putting state back launches a failed application`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await crash(in: scratch)
            let directory = try #require(try Directory.open(scratch.applicationDirectory))
            try directory.openOrCreateSubdirectory("quarantine").createFile("000009-data.archive")
                .write(try #require(try directory.read("data.archive", limit: 1 << 20)))
            let watch = DirectoryWatch()
            watch.fail("000010-main.archive", with: ENOSPC)
            try await withNotes(in: scratch, settings(scratch, watch)) { hosted async throws in
                guard case .failed = await hosted.application.status().phase else {
                    Issue.record("it runs")
                    return
                }
                let result = try await hosted.application.putBack("000009-data.archive")
                #expect(result.scenes == ["main"])
                let scenes = await hosted.application.scenes()
                #expect(scenes.map(\.phase) == [.running])
                #expect(scenes.map(\.report?.reason) == [.replace])
            }
        }
    }

    @Test
    func
        `L2: quarantined state that cannot be removed from the archive is removed by the next process`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withScratchDirectory { killed async throws in
                try await crash(in: scratch)
                let watch = DirectoryWatch()
                watch.failWriting("data.archive", with: ENOSPC)
                try await withNotes(in: scratch, settings(scratch, watch)) { hosted async throws in
                    #expect(try await hosted.text() == "")
                    #expect(await hosted.application.status().saved != .durable)
                    try scratch.copy(to: killed)
                    watch.failWriting("data.archive", with: nil)
                    try await hosted.write("newer")
                }
                // The newer state belongs to another record of the scene and is not removed.
                let newer = try await withNotes(in: scratch) { try await $0.text() }
                #expect(newer == "newer")
                // The archive of the killed process still contains the quarantined state.
                let text = try await withNotes(in: killed) { try await $0.text() }
                #expect(text == "")
                #expect(try quarantine(killed).count == 1)
            }
        }
    }

    @Test func `L8: a scene whose quarantined state is missing is stopped without it`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await crash(in: scratch)
            await crashWithoutState(in: scratch)
            unlink("\(scratch.applicationDirectory)/quarantine/000001-main.archive")
            try await withNotes(in: scratch) { hosted async throws in
                let reason = try #require(await failure(of: hosted))
                #expect(reason.contains("even without its saved state"))
                #expect(hosted.log.count("its saved state could not be put back") == 1)
            }
        }
    }

    @Test
    func `L8: state that a disk error prevents from being put back is put back by the next launch`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await crash(in: scratch)
            await crashWithoutState(in: scratch)
            let watch = DirectoryWatch()
            watch.failWriting("data.archive", with: ENOSPC)
            try await withNotes(in: scratch, settings(scratch, watch)) { hosted async throws in
                let reason = try #require(await failure(of: hosted))
                #expect(reason.contains("could not be put back"))
                watch.failWriting("data.archive", with: nil)
                try await hosted.application.launch()
                #expect(try await hosted.text() == "precious")
            }
        }
    }

    /// Runs two applications in the same state directory.
    ///
    /// The first application extends its restoration, and the second application waits for the end of the restoration.
    private func withTwo(
        in scratch: ScratchDirectory,
        _ body: (_ first: HostedNotes, _ second: HostedNotes, _ notes: Notes) async throws -> Void
    ) async throws {
        var behavior = Notes.Behavior()
        behavior.extendingScenes = ["main"]
        var settings = HostedSettings()
        settings.stateDirectory = try ApplicationStateDirectory(path: scratch.stateDirectory)
        settings.waitsForLaunch = false
        settings.bundleIdentifier = "org.example.First"
        try await withNotes(Notes(behavior), in: scratch, settings) { first async throws in
            await first.clock.waitForSleeper(for: HostedNotes.launchTimeout)
            settings.bundleIdentifier = "org.example.Second"
            let notes = Notes()
            try await withNotes(notes, in: scratch, settings) { second async throws in
                await second.clock.waitForSleepers()
                try await body(first, second, notes)
            }
        }
    }

    @Test func `L2: two applications in one state directory launch one scene at a time`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withTwo(in: scratch) { first, second, notes async throws in
                let launched = Task.immediate { try await second.text() }
                await second.passInterval()
                let status = await second.application.status()
                #expect(status.phase == .launching)
                #expect(status.scenes.map(\.phase) == [.restoring])
                #expect(notes.record.launches == [])
                await first.application.completeRestoration()
                try await first.application.waitUntilLaunched()
                #expect(try await launched.value == "")
            }
        }
    }

    @Test
    func `an application that stops during its launch lets the next application launch its scenes`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withTwo(in: scratch) { first, second, _ async throws in
                let launched = Task.immediate { try await second.text() }
                await second.passInterval()
                try await first.application.quitUntilLaunch()
                #expect(try await launched.value == "")
            }
            // An abandoned launch does not count as a crash.
            var settings = HostedSettings()
            settings.bundleIdentifier = "org.example.First"
            try await withNotes(in: scratch, settings) { hosted async throws in
                #expect(hosted.log.count("is launched again") == 0)
            }
        }
    }
}
