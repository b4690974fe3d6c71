import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Scenes that a turn processes.
@Suite struct DueScenesTests {
    @Test func `P14: a turn with commands does not check scenes that have nothing to save`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                try await hosted.write("one", in: "other")
                let before = notes.record.rootRequestCounts
                try await hosted.write("two", in: "main")
                try await hosted.write("three", in: "main")
                let asked = notes.record.rootRequestCounts
                #expect(asked["other"] == before["other"])
                #expect(asked["main"] != before["main"])
            }
        }
    }

    @Test
    func `P20: a changed root of a scene that no command addressed is saved after an interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                try await hosted.write("before", in: "other")
                let box = Box()
                _ = try await hosted.application.inspect(on: "other") {
                    box.delegate = $0.delegate as? NotesDelegate
                }
                _ = try await hosted.application.perform(on: "main") { _ in
                    let note = Note("another", notes)
                    note.text = "after"
                    box.delegate?.note = note
                }
                await hosted.passInterval()
                #expect(try await hosted.application.waitUntilDurable() == .durable)
                #expect(scratch.archiveBytes()?.contains("after".utf8) == true)
            }
        }
    }

    @Test func `P1: an unsaved change stays pending until the delegate saves`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                notes.behavior.unsavedScenes = ["other"]
                try await hosted.write("kept back", in: "other")
                #expect(scratch.archiveBytes()?.contains("kept back".utf8) == false)
                notes.behavior.unsavedScenes = []
                try await hosted.write("one", in: "main")
                #expect(scratch.archiveBytes()?.contains("kept back".utf8) == true)
            }
        }
    }

    /// Passes a delegate from one command to the next. Both commands run on the application's actor.
    private final class Box: @unchecked Sendable {
        var delegate: NotesDelegate?
    }
}
