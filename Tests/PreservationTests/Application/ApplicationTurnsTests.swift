import Logging
import NIOCore
import RestorationTesting
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

@Suite struct ApplicationTurnsTests {
    @Test func `P14: a turn runs at most 64 commands in order and writes once`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("before")
                let seen = await hosted.application.queue(130) { number, scene in
                    scene.note.text = "text \(number)"
                    return try scratch.archiveInodeAndSize()
                }
                var files: [[UInt64]] = []
                for task in seen { files.append(try await task.value.result) }
                let writes = zip(files, files.dropFirst()).enumerated()
                    .filter { $0.element.0 != $0.element.1 }.map(\.offset)
                #expect(writes == [63, 127])
                #expect(try await hosted.text() == "text 129")
            }
        }
    }

    @Test func `P14: a slow turn starts no further commands and is logged`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("before")
                let (passes, clock) = (hosted.log.count(.passFinished), hosted.clock)
                let tasks = await hosted.application.queue(6) { number, scene in
                    scene.note.text = "text \(number)"
                    clock.advance(by: .milliseconds(number == 1 ? 2000 : 6))
                }
                for task in tasks { _ = try await task.value }
                // The turns run commands 0 and 1, then 2 and 3 (more than 10 ms have elapsed), then 4 and 5.
                #expect(hosted.log.count(.passFinished) == passes + 3)
                #expect(try await hosted.text() == "text 5")
                #expect(hosted.log.count(.operationSlow) == 1)
                let logged = hosted.log.entries.filter { $0.message.contains("turn of") }
                #expect(
                    logged.map(\.message) == [
                        "a turn of 2 commands took 2.0 s, and blocked all other work"
                    ])
            }
        }
    }

    @Test func `P14: a turn starts another command after exactly 10 ms, but not later`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("before")
                let (passes, clock) = (hosted.log.count(.passFinished), hosted.clock)
                let tasks = await hosted.application.queue(6) { number, scene in
                    scene.note.text = "text \(number)"
                    clock.advance(by: .milliseconds(5))
                }
                for task in tasks { _ = try await task.value }
                // Each turn ends after 15 ms.
                #expect(hosted.log.count(.passFinished) == passes + 2)
            }
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(20)])
    func `P14: commands that launch their scene keep their order, even in slow turns`(
        time: Duration
    ) async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.application.open(scene: "other")
                try await hosted.application.close(scene: "other")
                let order = Mutex<[Int]>([])
                let clock = hosted.clock
                let tasks = await hosted.application.queue(12, on: ["main", "other"]) {
                    number, _ in
                    order.withLock { $0.append(number) }
                    clock.advance(by: time)
                }
                for task in tasks { _ = try await task.value }
                let numbers = order.withLock { $0 }
                #expect(numbers.filter { !$0.isMultiple(of: 2) } == [1, 3, 5, 7, 9, 11])
                #expect(numbers.filter { $0.isMultiple(of: 2) } == [0, 2, 4, 6, 8, 10])
            }
        }
    }

    @Test func `endTurn is called after each turn that leaves commands waiting`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                let ends = AwaitableState(0)
                await hosted.application.endTurns {
                    ends.change { $0 += 1 }
                    await Task.yield()
                }
                // Applying settings does not replace the function.
                await hosted.application.apply(hosted.application.settingsWithoutEnd())
                let tasks = await hosted.application.queue(130) { number, scene in
                    scene.note.text = "text \(number)"
                }
                for task in tasks { _ = try await task.value }
                #expect(ends.state == 2)
                #expect(try await hosted.text() == "text 129")
            }
        }
    }

    @Test func `a slow operation outside a turn is logged once`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                let clock = hosted.clock
                await hosted.application.doing("all of it", for: .milliseconds(1500), clock) {
                    $0.doing("a part of it", for: .milliseconds(1200), clock) { _ in }
                    $0.doing("another part of it", for: .milliseconds(900), clock) { _ in }
                }
                let logged = hosted.log.entries.filter { $0.message.contains("part of it took") }
                #expect(logged.map { $0.message.prefix(19) } == ["a part of it took 1"])
                #expect(hosted.log.count("all of it took 2.4 s") == 1)
            }
        }
    }

    @Test func `P14: a reply is sent after the change is in the archive`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                for number in 0..<20 {
                    // Only the differing bytes are written. The first byte of each character is always the same.
                    let letter = try #require(Unicode.Scalar(0x100 + number))
                    let text = String(repeating: Character(letter), count: 8)
                    #expect(try await hosted.write(text) == .written)
                    #expect(try #require(scratch.archiveBytes()).contains(text.utf8.dropFirst()))
                }
            }
        }
    }

    @Test func `P14: a command that throws reports its error, and its change is saved`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                await #expect(throws: Refusal.self) {
                    try await hosted.application.perform { scene in
                        scene.note.text = "half done"
                        throw Refusal()
                    }
                }
                #expect(try #require(scratch.archiveBytes()).contains("half done".utf8))
            }
        }
    }

    @Test func `P21: an unsaved scene does not affect replies to commands of another scene`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                notes.behavior.unsavedScenes = ["other"]
                let reason = "the application does not save the scene other"
                #expect(try await hosted.write("lost", in: "other") == .notSaved(reason: reason))
                #expect(try await hosted.write("kept", in: "main") == .written)
                #expect(await hosted.application.status().saved == .notSaved(reason: reason))
                #expect(await hosted.application.status().isUnsavedByOptOut)
                notes.behavior.unsavedScenes = []
                #expect(try await hosted.write("found", in: "other") == .written)
                #expect(await !hosted.application.status().isUnsavedByOptOut)
            }
        }
    }

    @Test func `P16: commands that change nothing write nothing`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                try await hosted.write("same")
                let bytes = scratch.archiveBytes()
                let file = try scratch.archiveInodeAndSize()
                let lastPass = await hosted.application.status().lastPass
                #expect(try await hosted.text() == "same")
                #expect(try await hosted.write("same") == .written)
                await hosted.passInterval()
                // The interval's turn runs before this command or together with it.
                #expect(try await hosted.text() == "same")
                #expect(try await hosted.application.preserve() == .durable)
                #expect(scratch.archiveBytes() == bytes)
                #expect(try scratch.archiveInodeAndSize() == file)
                #expect(await hosted.application.status().lastPass == lastPass)
            }
        }
    }

    @Test func `P14: state invalidated outside a command is saved in a separate turn`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted in
                let loop = hosted.loop
                let note = try await hosted.application.perform { scene in
                    NIOLoopBound(scene.note, eventLoop: loop)
                }.result
                let passes = hosted.log.count(.passFinished)
                try await loop.submit { note.value.text = "by itself" }.get()
                _ = await hosted.status(afterPasses: passes + 1)
                #expect(try #require(scratch.archiveBytes()).contains("by itself".utf8))

                try await loop.submit { note.value.text = "and again" }.get()
                _ = await hosted.status(afterPasses: passes + 2)
                #expect(try #require(scratch.archiveBytes()).contains("and again".utf8))
            }
        }
    }

    @Test func `P1: state that the delegate does not save stays unsaved, and every reply says so`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            var behavior = Notes.Behavior()
            behavior.savesState = false
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { hosted async throws in
                let unwilling = DurabilityLevel.notSaved(
                    reason: "the application does not save the scene main")
                #expect(try await hosted.write("secret") == unwilling)
                await hosted.passInterval()
                await hosted.passInterval()
                #expect(try await hosted.application.preserve() == unwilling)
                #expect(await hosted.application.status().saved == unwilling)
                #expect(await hosted.application.status().isUnsavedByOptOut)
                #expect(scratch.archiveBytes() == nil)
                #expect(hosted.log.messages(from: .warning).isEmpty)
                #expect(!hosted.log.messages(from: .notice).contains("saving works again"))
            }
        }
    }

    @Test func `P1: every pass asks the delegate, and saving begins once it agrees`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.savesState = false
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { hosted in
                try await hosted.write("later")
                notes.behavior.savesState = true
                await hosted.passInterval()
                #expect(await hosted.status(afterPasses: 1).saved == .durable)
                #expect(try #require(scratch.archiveBytes()).contains("later".utf8))
            }
        }
    }

    @Test func `commands above the queue limit are refused, and queued commands still run`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(
                    await hosted.application.queueTooMany()
                        == .tooManyCommands(
                            application: Notes.bundleIdentifier,
                            limit: TurnQueue<Void, String>.maximumWaitingCommands))
                #expect(try await hosted.write("goes on") == .written)
            }
        }
    }
}

extension Application {
    fileprivate func endTurns(_ body: @escaping @Sendable () async -> Void) {
        settings.yieldExecutor = body
    }

    fileprivate func settingsWithoutEnd() -> PreservationSettings {
        var settings = settings
        settings.yieldExecutor = {}
        return settings
    }

    /// Measures an operation that takes the given time.
    fileprivate func doing(
        _ what: String, for time: Duration, _ clock: TestClock,
        _ body: @Sendable (isolated Application) -> Void
    ) {
        turnExecutor.operationTimer.measure(what) {
            clock.advance(by: time)
            body(self)
        }
    }
}
