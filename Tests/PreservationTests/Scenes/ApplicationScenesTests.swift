import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct ApplicationScenesTests {
    @Test func `S1: two scenes of one application have separate namespaces`() async throws {
        try await withScratchDirectory { scratch in
            var behavior = Notes.Behavior()
            behavior.applicationText = "says hello"
            try await withNotes(Notes(behavior), in: scratch, scenes: ["main", "other"]) { hosted in
                try await hosted.write("first", in: "main")
                try await hosted.write("second", in: "other")
            }
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) { hosted in
                let texts = [
                    try await hosted.text(in: "main"), try await hosted.text(in: "other"),
                    try await hosted.text(),
                ]
                #expect(texts == ["first", "second", "first"])
            }
            #expect(
                notes.record.applicationTexts == [
                    "main": "main says hello", "other": "other says hello",
                ])
        }
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: scenes whose names differ only in their bytes have separate states`(
        one: String, other: String
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let scenes = try [one, other].map { try RestorationIdentifier(validating: $0) }
            try await withNotes(in: scratch, scenes: scenes) { hosted async throws in
                try await hosted.write("first", in: one)
                try await hosted.write("second", in: other)
                try await hosted.application.close(scene: other)
            }
            try await withNotes(in: scratch, scenes: scenes) { hosted async throws in
                let status = await hosted.application.status().scenes
                #expect(status.map(\.phase) == [.running, .saved])
                #expect(try await hosted.text(in: one) == "first")
                #expect(try await hosted.text(in: other) == "second")
                try await hosted.application.rollBack(to: "1", scene: other)
                #expect(try await hosted.text(in: one) == "first")
            }
        }
    }

    @Test func `S1: each scene has its own launch and launch reason`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch, scenes: ["main"]) { try await $0.write("old") }
            try await withNotes(in: scratch, scenes: ["new", "main"]) { hosted async throws in
                let scenes = await hosted.application.status().scenes
                #expect(scenes.map(\.name) == ["new", "main"])
                #expect(scenes.map(\.report?.reason) == [.pristine, .restore])
                let first = await hosted.application.status(scenesAtMost: 1).scenes
                #expect(first.map(\.name) == ["new"])
                #expect(try await hosted.text(in: "main") == "old")
                #expect(try await hosted.text(in: "new") == "")
            }
        }
    }

    @Test func `S2: the records of a scene that is not launched are kept but not read`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted in
                try await hosted.write("first", in: "main")
                try await hosted.write("second", in: "other")
                try await hosted.application.close(scene: "other")
            }
            let without = Notes()
            try await withNotes(without, in: scratch, scenes: ["main"]) { hosted in
                try await hosted.write("changed")
                #expect(try await hosted.application.preserve() == .durable)
            }
            #expect(without.record.decoded.count == 1)
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted in
                let texts = [
                    try await hosted.text(in: "main"), try await hosted.text(in: "other"),
                ]
                #expect(texts == ["changed", "second"])
            }
        }
    }

    @Test func `S2: each scene records the bundle version that saved it`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, version: "1", scenes: ["main", "other"]) { hosted in
                try await hosted.application.close(scene: "other")
            }
            try await withNotes(in: scratch, version: "2", scenes: ["main", "other"]) { hosted in
                try await hosted.write("of version 2")
            }
            let notes = Notes()
            try await withNotes(notes, in: scratch, version: "3", scenes: ["main", "other"]) {
                try await $0.application.open(scene: "other")
            }
            #expect(notes.record.offered.map(\.bundleVersion) == ["2", "1"])
        }
    }

    @Test
    func `S3: configured scenes are listed first, then the other scenes that were in use`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["z", "a"]) { hosted in
                try await hosted.application.open(scene: "y")
                try await hosted.application.open(scene: "b")
                try await hosted.application.close(scene: "z")
            }
            try await withNotes(in: scratch, scenes: ["new", "b", "z"]) { hosted in
                let scenes = await hosted.application.scenes()
                #expect(scenes.map(\.name.text) == ["new", "b", "z", "a", "y"])
                #expect(scenes.map(\.phase) == [.running, .running, .saved, .running, .running])
                #expect(
                    scenes.map(\.report?.reason) == [.pristine, .restore, nil, .restore, .restore])
            }
        }
    }

    @Test
    func `P14: a turn makes one pass over each scene and one write for all scenes, then replies`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            var settings = HostedSettings()
            settings.scenes = ["main", "other"]
            settings.stateDirectory = try scratch.watched(by: watch)
            let notes = Notes()
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                watch.clear()
                let before = notes.record
                let commands = await hosted.application.queue(64, on: ["main", "other"]) {
                    number, scene in
                    scene.note.text = "text \(number)"
                }
                for command in commands { #expect(try await command.value.saved == .written) }
                #expect(watch.events == ["data.archive"])
                #expect(notes.record.saveRequestCount == before.saveRequestCount + 2)
                #expect(notes.record.encoded.count == before.encoded.count + 2)
                #expect(try await hosted.text(in: "other") == "text 63")
            }
        }
    }

    @Test func `P14: a change in one scene does not cause a pass over another scene`() async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) { hosted in
                let before = notes.record
                try await hosted.write("changed", in: "other")
                #expect(notes.record.encoded.count == before.encoded.count + 1)
                #expect(notes.record.saveRequestCount == before.saveRequestCount + 1)
            }
        }
    }
}
