import StateRestoration
import Testing

@testable import Preservation

@Suite struct ApplicationOpenCloseTests {
    @Test func `opening or closing a scene sends a health change, but saving a change does not`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                var changes = hosted.application.healthChanges.makeAsyncIterator()
                _ = await changes.next()
                try await hosted.application.open(scene: "second")
                #expect(await changes.next() != nil)
                try await hosted.write("text", in: "second")
                try await hosted.application.close(scene: "second")
                #expect(await changes.next() != nil)
            }
        }
    }

    private func noSuchScene(_ scene: String, _ scenes: [String]) -> ApplicationError {
        .noSuchScene(application: Notes.bundleIdentifier, scene: scene, scenes: scenes)
    }

    @Test func `S3: an opened scene is new, is saved, and is launched again at the next start`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                #expect(try await hosted.application.open(scene: "left") == .written)
                try await hosted.write("on the left", in: "left")
                let status = await hosted.application.scenes().last
                #expect(status?.name == "left")
                #expect(status?.phase == .running)
            }
            #expect(notes.record.launches == [.pristine, .pristine])
            let text = try await withNotes(in: scratch) { try await $0.text(in: "left") }
            #expect(text == "on the left")
        }
    }

    @Test func `S2: a running scene cannot be opened again`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("still here")
                await #expect(
                    throws: ApplicationError.sceneExists(
                        application: Notes.bundleIdentifier, scene: "main")
                ) {
                    try await hosted.application.open(scene: "main")
                }
                #expect(try await hosted.text() == "still here")
            }
        }
    }

    @Test(arguments: ["", "a/b", "@a", "a~2", "a\u{7}"])
    func `S2: a scene name that violates I5 is refused`(name: String) async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch) { hosted async throws in
                do {
                    try await hosted.application.open(scene: name)
                    Issue.record("a scene was opened under a name that is none")
                } catch ApplicationError.invalidSceneName(_, let scene, let reason) {
                    #expect(scene == name)
                    #expect(!reason.isEmpty)
                }
                #expect(await hosted.application.scenes().map(\.name) == ["main"])
            }
        }
    }

    @Test func `S3: a closed scene keeps its state and stays closed after a restart`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                try await hosted.write("kept", in: "other")
                #expect(try await hosted.application.close(scene: "other") == .written)
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .saved])
                #expect(try await hosted.application.close(scene: "other") == .written)
            }
            let next = Notes()
            try await withNotes(next, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .saved])
                #expect(next.record.launches == [.restore])
                await #expect(
                    throws: ApplicationError.sceneNotLaunched(
                        application: Notes.bundleIdentifier, scene: "other")
                ) {
                    try await hosted.application.report(scene: "other")
                }
                try await hosted.application.open(scene: "other")
                #expect(try await hosted.text(in: "other") == "kept")
                #expect(try await hosted.application.report(scene: "other").restored == 1)
            }
            #expect(next.record.launches == [.restore, .restore])
            let third = Notes()
            try await withNotes(third, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .running])
            }
        }
    }

    @Test func `S3: closing a scene also saves objects that were not invalidated`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                _ = try await hosted.application.perform(on: "other") {
                    $0.note.changeWithoutInvalidating("x")
                }
                try await hosted.application.close(scene: "other")
                #expect(try await hosted.text(in: "other") == "x")
            }
        }
    }

    @Test func `S3: a command to a saved scene launches it first`() async throws {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                try await hosted.write("kept", in: "other")
                try await hosted.application.close(scene: "other")
            }
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                #expect(notes.record.launches == [.restore])
                #expect(try await hosted.text(in: "other") == "kept")
                #expect(try await hosted.write("goes on", in: "other") == .written)
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .running])
            }
            #expect(notes.record.launches == [.restore, .restore])
        }
    }

    @Test
    func
        `S3: after a crash, a closed scene has the reason restore, and a running scene has recover`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withScratchDirectory { killed in
                try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                    try await hosted.application.close(scene: "other")
                    try scratch.copy(to: killed)
                }
                let notes = Notes()
                try await withNotes(notes, in: killed, scenes: ["main", "other"]) {
                    hosted async throws in
                    try await hosted.application.open(scene: "other")
                }
                #expect(notes.record.launches == [.recover, .restore])
            }
        }
    }

    @Test func `S3: commands queued after a close launch the scene again with its saved state`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                let texts = try await hosted.application.writeAndCloseBetween("first", "second")
                #expect(texts == ["restore first", "second"])
            }
            #expect(notes.record.launches == [.pristine, .restore])
        }
    }

    @Test func `an error about an unknown scene lists the running and saved scenes`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                try await hosted.application.close(scene: "other")
                let error = noSuchScene("nowhere", ["main", "other"])
                await #expect(throws: error) { try await hosted.text(in: "nowhere") }
                await #expect(throws: error) {
                    try await hosted.application.close(scene: "nowhere")
                }
                await #expect(throws: error) {
                    try await hosted.application.report(scene: "nowhere")
                }
            }
        }
    }

    @Test func `P16: a scene stays open if its last state cannot be saved`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                try await hosted.write("saved", in: "other")
                scratch.blockSaving()
                await #expect(throws: ApplicationError.self) {
                    try await hosted.application.close(scene: "other")
                }
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .running])
                #expect(try await hosted.text(in: "other") == "saved")
                scratch.allowSaving()
                await hosted.passInterval()
                _ = await hosted.statusWhenSavingResumes()
            }
            try await withNotes(in: scratch, scenes: ["main", "other"]) { hosted async throws in
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .running])
            }
        }
    }

    @Test func `P1: a scene whose delegate does not save can be closed even while saving fails`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                scratch.blockSaving()
                try await hosted.write("unsaved", in: "main")
                notes.behavior.savesState = false
                guard case .notSaved = try await hosted.application.close(scene: "other") else {
                    Issue.record("what is not saved was called saved")
                    return
                }
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .saved])
                scratch.allowSaving()
            }
        }
    }

    @Test func `P1: a scene that was never saved is no longer listed after it is closed`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            notes.behavior.unsavedScenes = ["other", "third"]
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                try await hosted.application.open(scene: "third")
                for scene in ["other", "third"] {
                    try await hosted.application.close(scene: scene)
                }
                #expect(await hosted.application.scenes().map(\.name) == ["main"])
                let error = noSuchScene("third", ["main"])
                await #expect(throws: error) { try await hosted.text(in: "third") }
            }
        }
    }

    @Test func `P1: a scene whose delegate does not save is closed without a pass`() async throws {
        try await withScratchDirectory { scratch in
            let notes = Notes()
            try await withNotes(notes, in: scratch, scenes: ["main", "other"]) {
                hosted async throws in
                try await hosted.write("saved", in: "other")
                notes.behavior.savesState = false
                try await hosted.write("secret", in: "other")
                guard case .notSaved = try await hosted.application.close(scene: "other") else {
                    Issue.record("what is not saved was called saved")
                    return
                }
                #expect(await hosted.application.scenes().map(\.phase) == [.running, .saved])
                notes.behavior.savesState = true
                #expect(try await hosted.text(in: "other") == "saved")
            }
        }
    }
}

/// Number of scenes that the application's scene table contains after clients have opened many scenes.
@Suite struct SceneTableSizeTests {
    @Test(arguments: [true, false])
    func `closed scenes are removed from the table`(savesState: Bool) async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            notes.behavior.savesState = savesState
            try await withNotes(notes, in: scratch) { hosted async throws in
                for number in 1...20 {
                    try await hosted.application.open(scene: "scene \(number)")
                    try await hosted.application.close(scene: "scene \(number)")
                }
                #expect(try #require(await hosted.application.sceneTableCount) < 5)
                #expect(await hosted.application.scenes().count == (savesState ? 21 : 1))
            }
        }
    }

    @Test func `the number of failed scenes without saved state is limited`() async throws {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            let names = (1...250).map { "scene \($0)" }
            notes.behavior.failingScenes = Set(names)
            try await withNotes(notes, in: scratch) { hosted async throws in
                for name in names {
                    await #expect(throws: ApplicationError.self) {
                        try await hosted.application.open(scene: name)
                    }
                }
                let failedNames = await hosted.application.scenes().compactMap {
                    if case .failed = $0.phase { $0.name.text } else { nil }
                }
                #expect((100...210).contains(failedNames.count))
                #expect(failedNames.last == names.last)
            }
        }
    }

    @Test func `a closed scene whose closing was not saved does not count as being restored`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.application.open(scene: "left")
                try await hosted.write("text", in: "left")
                notes.behavior.savesState = false
                for name in ["left", "second", "third"] {
                    if name != "left" { try await hosted.application.open(scene: name) }
                    try await hosted.application.close(scene: name)
                }
                let phases = await hosted.application.scenes().map(\.phase)
                #expect(phases == [.running, .saved])
            }
        }
    }
}

extension Application {
    fileprivate var sceneTableCount: Int? { hostedScenes?.table.count }
}
