import Logging
import RestorationTesting
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct ExtendedRestorationTests {
    private func notesExtending(_ scenes: String...) -> Notes {
        var behavior = Notes.Behavior()
        behavior.extendingScenes = Set(scenes)
        return Notes(behavior)
    }

    private var unawaited: HostedSettings {
        var settings = HostedSettings()
        settings.waitsForLaunch = false
        return settings
    }

    @Test func `R13: an extended launch finishes when its restoration is completed`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let status = await hosted.application.status()
                #expect(status.phase == .launching)
                #expect(status.scenes.map(\.phase) == [.restoring])

                await hosted.application.completeRestoration()
                try await hosted.application.waitUntilLaunched()
                let after = await hosted.application.status()
                #expect(after.phase == .running)
                #expect(after.scenes.map(\.phase) == [.running])
                #expect(after.scenes.map(\.report?.hasTimedOut) == [false])
                #expect(hosted.log.messages(from: .warning) == [])
            }
        }
    }

    @Test func `R13: waiting for a launch continues while the launch is extended`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let launched = Task.immediate {
                    try await hosted.application.waitUntilLaunched()
                    return await hosted.application.status().phase
                }
                await hosted.passInterval()
                #expect(await hosted.application.status().phase == .launching)
                await hosted.application.completeRestoration()
                #expect(try await launched.value == .running)
            }
        }
    }

    @Test func `R13: commands wait for the launch and run in order`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let commands = await hosted.application.queue(3) { number, scene in
                    defer { scene.note.text = "text \(number)" }
                    return scene.note.text
                }
                let saved = Task.immediate { try await hosted.application.preserve() }
                await hosted.passInterval()
                #expect(await hosted.application.status().phase == .launching)
                await hosted.application.completeRestoration()
                var answers: [CommandReply<String>] = []
                for command in commands { answers.append(try await command.value) }
                #expect(answers.map(\.result) == ["", "text 0", "text 1"])
                #expect(answers.map(\.saved) == [.written, .written, .written])
                #expect(try await saved.value == .durable)
            }
        }
    }

    @Test func `a command whose caller has disconnected before its turn does not run`() async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let application = hosted.application
                let hasGone = AwaitableState(false)
                let commands: [@Sendable () async throws -> Void] = [
                    { try await hosted.write("a text of nobody") },
                    { try await application.close(scene: "main") },
                    { try await application.open(scene: "other") },
                    { try await application.reset() },
                    { try await application.resetToSaved() },
                    { try await application.rollBack(to: "1") },
                    { try await application.putBack("000001-main.archive") },
                ]
                let waiting = CommandCaller.$current.withValue(CommandCaller { hasGone.state }) {
                    commands.map { command in Task.immediate { try await command() } }
                }
                hasGone.change { $0 = true }
                await application.completeRestoration()
                for command in waiting {
                    await #expect(throws: (any Error).self) { try await command.value }
                }
                #expect(try await hosted.text() == "")
                let status = await application.status()
                #expect(status.scenes.map(\.name) == ["main"])
                #expect(status.scenes.map(\.phase) == [.running])
                #expect(try await application.history().isEmpty)
            }
        }
    }

    @Test func `a program that stops during a launch releases all callers waiting for the launch`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let application = hosted.application
                let command = Task.immediate { try await hosted.text() }
                let preserved = Task.immediate { try await application.preserve() }
                await application.stopIfLaunching()
                let ending = ApplicationError.ending(application: Notes.bundleIdentifier)
                await #expect(throws: ending) { try await command.value }
                await #expect(throws: ending) { try await preserved.value }
                #expect(await application.status().phase == .stopped)
            }
            // An application that has already been launched continues to run.
            try await withNotes(in: scratch) { hosted async throws in
                await hosted.application.stopIfLaunching()
                #expect(try await hosted.write("goes on") == .written)
            }
        }
    }

    @Test func `R13: commands above the queue limit are refused during a launch`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let limit = TurnQueue<Void, String>.maximumWaitingCommands
                let commands = await hosted.application.queue(limit) { number, _ in number }
                await #expect(
                    throws: ApplicationError.tooManyCommands(
                        application: Notes.bundleIdentifier, limit: limit)
                ) {
                    try await hosted.text()
                }
                await hosted.application.completeRestoration()
                for (number, command) in commands.enumerated() {
                    #expect(try await command.value.result == number)
                }
            }
        }
    }

    @Test func `R13: at the start, no command runs until every scene has been restored`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var settings = unawaited
            settings.scenes = ["main", "slow"]
            try await withNotes(notesExtending("slow"), in: scratch, settings) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let command = Task.immediate { try await hosted.text(in: "main") }
                await hosted.passInterval()
                let scenes = await hosted.application.scenes()
                #expect(scenes.map(\.phase) == [.running, .restoring])
                #expect(scratch.archiveBytes() == nil)
                await hosted.application.changeNotes("changed")
                await hosted.application.completeRestoration()
                #expect(try await command.value == "changed")
            }
        }
    }

    @Test
    func `P17: a scene is not saved during its restoration, neither at the interval nor at a stop`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("precious") }
            let bytes = scratch.archiveBytes()
            let notes = notesExtending("main")
            try await withNotes(notes, in: scratch, unawaited) { hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                await hosted.application.changeNotes("changed")
                await hosted.passInterval()
                #expect(await hosted.application.status().phase == .launching)
                #expect(scratch.archiveBytes() == bytes)
            }
            #expect(notes.record.encoded.isEmpty)
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "precious")
        }
    }

    @Test func `R13: the launch continues after the timeout and reports the timeout`() async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                let waiting = await hosted.application.queue(1) { _, scene in
                    scene.note.text = "late"
                }
                hosted.clock.advance(by: HostedNotes.launchTimeout)
                try await hosted.application.waitUntilLaunched()
                #expect(try await waiting[0].value.saved == .written)
                let status = await hosted.application.status()
                #expect(status.phase == .running)
                #expect(status.scenes.map(\.report?.hasTimedOut) == [true])
                #expect(status.lastError?.contains("not completed within 30") == true)
                #expect(hosted.log.count("its restoration was not completed within 30") == 1)
            }
        }
    }

    @Test func `R13: the timeout of one launch does not end another launch`() async throws {
        try await withScratchDirectory { scratch in
            let notes = notesExtending("main")
            try await withNotes(notes, in: scratch, unawaited) { hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                await hosted.application.completeRestoration()
                try await hosted.application.waitUntilLaunched()
                hosted.clock.advance(by: .seconds(20))
                try await hosted.application.quitUntilLaunch()
                let launch = Task.immediate { try await hosted.application.launch() }
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                hosted.clock.advance(by: .seconds(11))
                await hosted.clock.waitForSleeper(for: .seconds(19))
                #expect(await hosted.application.status().phase == .launching)
                await hosted.application.completeRestoration()
                try await launch.value
                #expect(
                    await hosted.application.status().scenes.map(\.report?.hasTimedOut) == [false])
            }
        }
    }

    @Test func `R13: superfluous completions are ignored, counted and logged`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                _ = try await hosted.application.perform { scene in
                    scene.completeStateRestoration()
                    scene.completeStateRestoration()
                }
                try await hosted.write("goes on")
                let status = await hosted.application.scenes()
                #expect(status.map(\.report?.superfluousCompletions) == [2])
                let logged = hosted.log.entries.filter { $0.level == .warning }
                #expect(
                    logged.map(\.message) == [
                        "its restoration was completed 2 times without having been extended"
                    ])
                #expect(logged.first?.metadata["REPRISE_SCENE"] == "main")
            }
        }
    }

    @Test func `R13: commands to other scenes run while a scene is being restored`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(notesExtending("slow"), in: scratch) { hosted async throws in
                let opening = Task.immediate {
                    try await hosted.application.open(scene: "slow")
                }
                let waiting = Task.immediate { try await hosted.text(in: "slow") }
                let next = Task.immediate { try await hosted.application.open(scene: "next") }
                #expect(try await hosted.write("main goes on", in: "main") == .written)
                let scenes = await hosted.application.scenes()
                #expect(scenes.map(\.phase) == [.running, .restoring, .restoring])
                await #expect(
                    throws: ApplicationError.sceneExists(
                        application: Notes.bundleIdentifier, scene: "slow")
                ) {
                    try await hosted.application.open(scene: "slow")
                }
                await hosted.application.completeRestoration()
                #expect(try await opening.value == .written)
                #expect(try await waiting.value == "")
                #expect(try await next.value == .written)
                #expect(
                    await hosted.application.scenes().map(\.phase)
                        == [.running, .running, .running])
            }
        }
    }

    @Test func `R13: quit launches no further scene`() async throws {
        try await withScratchDirectory { scratch in
            var settings = unawaited
            settings.scenes = ["slow", "next"]
            let notes = notesExtending("slow")
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                await hosted.application.changeNotes("kept")
                try await hosted.application.completeRestorationAndQuit()
                #expect(notes.record.launches == [.pristine])
            }
            #expect(try #require(scratch.archiveBytes()).contains("kept".utf8))
        }
    }

    @Test func `R13: a command waiting for a scene fails if the application stops first`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let waiting = try await withNotes(notesExtending("main"), in: scratch, unawaited) {
                hosted async throws in
                await hosted.clock.waitForSleeper(for: HostedNotes.launchTimeout)
                return await hosted.application.queue(1) { _, _ in }
            }
            await #expect(
                throws: ApplicationError.ending(application: Notes.bundleIdentifier)
            ) {
                try await waiting[0].value
            }
            #expect(scratch.archiveBytes() == nil)
        }
    }
}
