import StateRecords
import Testing

@testable import Preservation
@testable import StateRestoration

@Suite struct ApplicationLaunchTests {
    @Test func `R2: the first launch is pristine and decodes nothing`() async throws {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted in
                let status = await hosted.application.status()
                #expect(status.phase == .running)
                #expect(status.scenes.map(\.report?.reason) == [.pristine])
                #expect(status.saved == .durable)
                #expect(status.lastError == nil)
            }
            #expect(notes.record.launches == [.pristine])
            #expect(notes.record.decoded.isEmpty)
        }
    }

    @Test func `R2: a launch after an orderly stop has the reason restore`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("wörld 🌍") }
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                #expect(try await hosted.text() == "wörld 🌍")
                let report = try await hosted.application.report()
                #expect(report.reason == .restore)
                #expect(report.recorded == 1)
                #expect(report.restored == 1)
            }
            #expect(notes.record.launches == [.restore])
        }
    }

    @Test func `L3: a launch after a kill restores the state and has the reason recover`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withScratchDirectory { killed in
                try await withNotes(in: scratch) { hosted in
                    try await hosted.write("kept")
                    try scratch.copy(to: killed)
                }
                try await withNotes(in: killed) { hosted async throws in
                    #expect(try await hosted.text() == "kept")
                    let status = await hosted.application.status()
                    #expect(status.scenes.map(\.report?.reason) == [.recover])
                }
            }
        }
    }

    @Test func `L3: the launch reason is recover even if the killed process had changed nothing`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withScratchDirectory { killed in
                try await withNotes(in: scratch) { try await $0.write("kept") }
                try await withNotes(in: scratch) { _ in try scratch.copy(to: killed) }
                let notes = Notes()
                try await withNotes(notes, in: killed) { hosted async throws in
                    #expect(try await hosted.text() == "kept")
                }
                #expect(notes.record.launches == [.recover])
            }
        }
    }

    @Test(arguments: [true, false])
    func `P17: a launch that throws leaves the saved state unchanged`(early: Bool) async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("precious") }
            let bytes = scratch.archiveBytes()
            let file = try scratch.archiveInodeAndSize()
            var behavior = Notes.Behavior()
            behavior.failsWillFinishLaunching = early
            behavior.failsDidFinishLaunching = !early
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { hosted in
                let status = await hosted.application.status()
                #expect(status.phase == .failed(reason: "no notes today"))
                #expect(status.lastError == "no notes today")
                await hosted.passInterval()
                #expect(scratch.archiveBytes() == bytes)
                #expect(try scratch.archiveInodeAndSize() == file)

                notes.behavior = Notes.Behavior()
                try await hosted.application.launch()
                #expect(try await hosted.text() == "precious")
                let reasons = await hosted.application.status().scenes.map(\.report?.reason)
                #expect(reasons == [.restore])
            }
        }
    }

    @Test func `P13: an application with an invalid class name is not launched`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("precious") }
            let bytes = scratch.archiveBytes()
            let notes = Notes()
            var settings = HostedSettings()
            settings.makeClasses = {
                var classes = ClassRegistry()
                classes.register(Note.self, as: "a/b")
                return classes
            }
            try await withNotes(notes, in: scratch, settings) { hosted in
                let status = await hosted.application.status()
                guard case .failed(let reason) = status.phase else {
                    Issue.record("\(status.phase)")
                    return
                }
                #expect(reason.contains("\"a/b\""))
            }
            #expect(notes.record.launches.isEmpty)
            #expect(scratch.archiveBytes() == bytes)
        }
    }

    @Test func `P17: a failed scene keeps its saved state, and the other scenes run`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted in
                try await hosted.write("first", in: "main")
                try await hosted.write("second", in: "other")
            }
            var behavior = Notes.Behavior()
            behavior.failingScenes = ["other"]
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) { hosted in
                let status = await hosted.application.status()
                #expect(status.phase == .running)
                #expect(
                    status.scenes.map(\.phase) == [.running, .failed(reason: "no notes today")])
                #expect(status.lastError?.contains("the scene other") == true)
                try await hosted.write("changed", in: "main")
                #expect(try await hosted.application.preserve() == .durable)
                let failed = ApplicationError.sceneFailed(
                    application: Notes.bundleIdentifier, scene: "other", reason: "no notes today")
                await #expect(throws: failed) { try await hosted.text(in: "other") }
                await #expect(throws: failed) { try await hosted.application.open(scene: "other") }
                await #expect(throws: failed) {
                    try await hosted.application.report(scene: "other")
                }

                notes.behavior = Notes.Behavior()
                try await hosted.application.open(scene: "other")
                let texts = [
                    try await hosted.text(in: "main"), try await hosted.text(in: "other"),
                ]
                #expect(texts == ["changed", "second"])
            }
        }
    }

    @Test func `an application fails if none of its scenes can be launched`() async throws {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.failingScenes = ["main", "other"]
            try await withNotes(Notes(behavior), in: scratch, scenes: ["main", "other"]) { hosted in
                #expect(
                    await hosted.application.status().phase == .failed(reason: "no notes today"))
            }
            #expect(scratch.archiveBytes() == nil)
        }
    }

    @Test func `P4: an encoder describes its own pass, and a decoder describes the saved pass`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let first = Notes()
            try await withNotes(first, in: scratch, version: "1", time: 5_000) { hosted in
                try await hosted.write("stamped")
            }
            let saved = try #require(first.record.encoded.last)
            #expect(saved.bundleVersion == "1")
            #expect(saved.systemVersion == "TestOS 1")
            #expect(saved.timestampMicroseconds > 5_000)

            let second = Notes()
            try await withNotes(second, in: scratch, version: "2", time: 9_000) { hosted in
                #expect(await hosted.application.status().bundleVersion == "2")
            }
            let decoded = try #require(second.record.decoded.first)
            #expect(decoded.bundleVersion == "1")
            #expect(decoded.systemVersion == "TestOS 1")
            #expect(decoded.timestampMicroseconds > 5_000)
            #expect(decoded.timestampMicroseconds < 9_000)
            #expect(second.record.encoded.last?.bundleVersion == "2")
        }
    }

    @Test func `P1: a scene starts without state if its delegate does not restore`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { try await $0.write("unwanted") }
            var behavior = Notes.Behavior()
            behavior.restoresState = false
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { hosted async throws in
                #expect(try await hosted.text() == "")
                #expect(try await hosted.application.report().isRefused)
            }
            #expect(notes.record.decoded.isEmpty)
        }
    }

    @Test func `R16: a report counts only the records that are still unclaimed`() async throws {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.registersExtra = true
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { try await $0.write("kept") }
            notes.behavior.registersExtra = false
            try await withNotes(notes, in: scratch) { hosted async throws in
                #expect(try await hosted.application.report().unclaimed == 1)
                _ = try await hosted.application.perform { scene in
                    try (scene.delegate as? NotesDelegate)?.registerExtras(in: scene)
                }
                #expect(try await hosted.application.report().unclaimed == 0)
            }
        }
    }

    @Test func `R16: a report does not count records that became unclaimed after the launch`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                _ = try await hosted.application.perform { scene in
                    scene.records.unclaimedRecords.insert(
                        ObjectHeader(number: 99, parent: 1, kind: 2, identifier: "late"),
                        failedLaunchCount: 0)
                }
                #expect(try await hosted.application.report().unclaimed == 0)
            }
        }
    }

    @Test
    func `R15: a launch logs at most 100 objects of each kind, but its report lists all of them`()
        async throws
    {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.registersExtra = true
            behavior.extraCount = 101
            let notes = Notes(behavior)
            try await withNotes(notes, in: scratch) { try await $0.write("kept") }
            notes.behavior.registersExtra = false
            // The tenth launch is the last launch that offers the records. The next launch removes them.
            for launch in 1...11 {
                try await withNotes(notes, in: scratch) { hosted async throws in
                    let report = try await hosted.application.report()
                    #expect(report.unrestored.count == 101)
                    #expect(report.expiring.count == (launch == 10 ? 101 : 0))
                    #expect(report.expired.count == (launch == 11 ? 101 : 0))
                    #expect(hosted.log.count(.notRestored) == 100)
                    #expect(hosted.log.count(.recordsExpiring) == (launch == 10 ? 100 : 0))
                    #expect(hosted.log.count(.recordsExpired) == (launch == 11 ? 100 : 0))
                }
            }
        }
    }
}
