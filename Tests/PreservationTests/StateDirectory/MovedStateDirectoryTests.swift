import FoundationEssentials
import Glibc
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// State directory that is moved or removed while an application is running (L4).
@Suite struct MovedStateDirectoryTests {
    private func reason(_ saved: DurabilityLevel) -> String {
        if case .notSaved(let reason) = saved { reason } else { "" }
    }

    @Test(arguments: [false, true])
    func `L4: saving is suspended while the state directory is elsewhere, and resumes afterwards`(
        isLogged: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            let away = "\(scratch.path)/away"
            let notes = Notes()
            try await withNotes(notes, in: scratch) { hosted async throws in
                try await hosted.write("live")
                #expect(rename(scratch.stateDirectory, away) == 0)
                if isLogged {
                    await hosted.application.checkArchive()
                    let saved = await hosted.application.status().saved
                    #expect(reason(saved).contains("leads elsewhere"))
                    #expect(try await reason(hosted.write("last")).contains("leads elsewhere"))
                } else {
                    // Without a notification, the change is detected by the sync.
                    #expect(try await hosted.write("last") == .written)
                    #expect(try await hosted.application.waitUntilDurable() != .durable)
                }
                #expect(rename(away, scratch.stateDirectory) == 0)
                await hosted.application.checkArchive()
                if isLogged { await hosted.log.wait(for: 1, .saveResumed) }
                #expect(try await hosted.application.waitUntilDurable() == .durable)
                #expect(notes.record.launches == [.pristine])
            }
            let text = try await withNotes(in: scratch) { try await $0.text() }
            #expect(text == "last")
        }
    }

    @Test
    func `L4: removing the state directory resets the application, and the removal is reported`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let stopped = await #expect(throws: (any Error).self) {
                try await withNotes(in: scratch) { hosted async throws in
                    try await hosted.write("live")
                    try FileManager.default.removeItem(atPath: scratch.stateDirectory)
                    await hosted.application.checkArchive()
                    await hosted.passDebounce()
                    await hosted.log.wait(for: 2, .launched)
                    #expect(try await hosted.text() == "")
                    let saved = await hosted.application.status().saved
                    #expect(reason(saved).contains("the state directory was removed"))
                    #expect(try await reason(hosted.write("anew")).contains("was removed"))
                }
            }
            #expect("\(stopped as Any)".contains("the state directory was removed"))
        }
    }

    @Test func `a document cannot be written while the state directory is elsewhere`() async throws
    {
        try await withScratchDirectory { scratch in
            let documents = try ApplicationStateDirectory(path: scratch.stateDirectory)
                .documents(of: Notes.bundleIdentifier)
            try documents.replace("a", with: [1])
            let away = "\(scratch.path)/away"
            #expect(rename(scratch.stateDirectory, away) == 0)
            #expect(throws: DocumentError.self) { try documents.replace("a", with: [2]) }
            #expect(rename(away, scratch.stateDirectory) == 0)
            #expect(try documents.read("a") == [1])
            try documents.replace("a", with: [3])
            #expect(try documents.read("a") == [3])
        }
    }

    @Test func `L4: after a reset, a command that changes only the model writes the model`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let store = NotesModel.Store(DirectoryWatch())
            var settings = HostedSettings()
            settings.makeModel = { _ in store.make() }
            try await withNotes(in: scratch, settings) { hosted async throws in
                try await hosted.write("live")
                try FileManager.default.removeItem(atPath: scratch.archive)
                await hosted.application.checkArchive()
                await hosted.passDebounce()
                await hosted.log.wait(for: 2, .launched)
                func add(_ item: String) async throws -> DurabilityLevel {
                    try await hosted.application.performEvenIfUnsaved { $0.model?.add(item) }.saved
                }
                store.fails = true
                #expect(try await reason(add("one")).contains("the disk of the notes is full"))
                store.fails = false
                #expect(try await add("two") == .durable)
                #expect(store.saved == ["one", "two"])
                #expect(scratch.archiveBytes() == nil)
            }
        }
    }
}
