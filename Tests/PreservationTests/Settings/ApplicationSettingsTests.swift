import RestorationTesting
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Settings that are changed while an application is running.
@Suite struct ApplicationSettingsTests {
    @Test(arguments: [Duration.seconds(1), .seconds(60)])
    func `P14: a new interval is measured from when it is set`(interval: Duration) async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                #expect(try await hosted.application.preserve() == .durable)
                #expect(try await hosted.write("one") == .written)
                await hosted.clock.waitForSleepers()
                var settings = await hosted.application.settings
                (settings.interval, settings.history.interval) = (interval, interval)
                await hosted.application.apply(settings)
                // The earlier timers are cancelled, so that no task wakes at another time.
                await hosted.clock.waitForSleepers(for: interval)
                hosted.clock.advance(by: interval)
                try await waitUntil("all is durable") {
                    await hosted.application.status().saved == .durable
                }
            }
        }
    }

    @Test func `new durability and limits apply from the next command on`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                let long = String(repeating: "a", count: 5000)
                #expect(try await hosted.write(long) == .written)
                var settings = await hosted.application.settings
                settings.durability = .commit
                settings.limits = ValueLimits(warningBytes: 1024, maximumBytes: 2048)
                await hosted.application.apply(settings)
                #expect(try await hosted.write("short") == .durable)
                guard case .notSaved(let reason) = try await hosted.write(long + "b") else {
                    Issue.record("a value above the limit was saved")
                    return
                }
                #expect(reason.contains("2048"), "\(reason)")
                #expect(try await hosted.text() == long + "b")
                // The value remains unsaved, even if another command runs.
                _ = try await hosted.application.perform { $0.invalidateApplicationState() }
                #expect(await hosted.application.status().saved == .notSaved(reason: reason))
                #expect(try await hosted.write("short") == .durable)
                #expect(await hosted.application.status().saved == .durable)
                // The new limit applies to all other scenes.
                guard case .notSaved = try await hosted.write(long, in: "other") else {
                    Issue.record("another scene saved a value above the limit")
                    return
                }
            }
        }
    }

    @Test func `P21: a value that cannot be saved counts as new only for the first command`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                var settings = await hosted.application.settings
                settings.limits = ValueLimits(warningBytes: 1024, maximumBytes: 2048)
                await hosted.application.apply(settings)
                for isNew in [true, false] {
                    let saved = try await hosted.application.change { scene in
                        scene.note.text = String(repeating: "a", count: 5000)
                        return ((), { "\($0.losses.map(\.isNew))" })
                    }.saved
                    #expect(saved == .notSaved(reason: "[\(isNew)]"))
                }
            }
        }
    }

    @Test
    func `P9: if a text exceeds a lowered limit, the saved text is kept, even after a restart`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let saved = String(repeating: "saved ", count: 500)
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write(saved)
                var settings = await hosted.application.settings
                settings.limits = ValueLimits(warningBytes: 1024, maximumBytes: 2048)
                await hosted.application.apply(settings)
                guard case .notSaved(let reason) = try await hosted.write("too " + saved) else {
                    Issue.record("a value above the limit was saved")
                    return
                }
                #expect(reason.contains("the limit is 2048\(StateEncodingError.sizeRemedy)"))
                #expect(reason.hasSuffix("; the previously saved value is retained"))
                let archive = scratch.archiveBytes()
                #expect(try await hosted.application.preserve() != .durable)
                #expect(scratch.archiveBytes() == archive)
            }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == saved)
        }
    }

    @Test func `a lower generation limit takes effect at once`() async throws {
        try await withScratchDirectory { scratch async throws in
            for text in ["one", "two", "three"] {
                try await withNotes(in: scratch) { try await $0.write(text) }
            }
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                #expect(try await application.history().count == 3)
                var settings = await application.settings
                settings.history.count = 1
                await application.apply(settings)
                #expect(try await application.history().count == 1)
            }
        }
    }

    @Test func `a lower byte limit for the history removes old generations at once`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            for text in ["one", "two", "three"] {
                try await withNotes(in: scratch) { try await $0.write(text) }
            }
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let generations = try await application.history()
                #expect(generations.count == 3)
                var settings = await application.settings
                settings.history.bytes = generations[1].byteCount + generations[2].byteCount
                await application.apply(settings)
                #expect(try await application.history() == Array(generations[1...]))
            }
        }
    }

    @Test func `L2: a new crash limit applies to the next launch of a scene`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                try await hosted.write("saved", in: "other")
                try await hosted.application.close(scene: "other")
                var settings = await hosted.application.settings
                settings.crashLimit = 2
                await hosted.application.apply(settings)
                await hosted.application.recordCrash(of: "other")
                #expect(try await hosted.text(in: "other") == "saved")
            }
        }
    }

    @Test func `applying settings keeps the clock and the system version`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                await hosted.application.apply(PreservationSettings(interval: .seconds(9)))
                let settings = await hosted.application.settings
                #expect(settings.interval == .seconds(9))
                #expect(settings.systemVersion == "TestOS 1")
                #expect(settings.clock is TestClock)
            }
        }
    }
}

extension Application {
    /// Records a crash during the launch of a scene.
    fileprivate func recordCrash(of scene: String) {
        var launches = known(scene)
        launches.crashes = 1
        self.launchSequence.sceneLaunchGuard.record(
            { .reinstated(scene: $0, launches: launches) },
            of: [RestorationIdentifier(recorded: scene)])
    }
}
