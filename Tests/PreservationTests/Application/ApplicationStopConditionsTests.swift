import Glibc
import Logging
import RestorationTesting
import SavedState
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Stops of an application with waiting commands or with a changed archive.
@Suite(.timeLimit(.minutes(10))) struct ApplicationStopConditionsTests {
    /// Calls a closure with a running application and the task that runs it.
    private func withRunningNotes(
        _ notes: Notes = Notes(), in scratch: ScratchDirectory,
        _ body: (HostedNotes, Task<Void, any Error>) async throws -> Void
    ) async throws {
        try await withStoppedNotes(notes, in: scratch) { hosted async throws in
            let running = Task { try await hosted.application.run() }
            try await hosted.application.waitUntilLaunched()
            try await body(hosted, running)
        }
    }

    /// Returns the archive of an application that has stopped.
    private func archive(_ text: String) async throws -> [UInt8] {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { try await $0.write(text) }
            return try #require(scratch.archiveBytes())
        }
    }

    @Test func `a command that another command sends while the application stops is refused`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let sentLater = Mutex<Task<Void, any Error>?>(nil)
                let tasks = try await application.queueAndQuit(1) { _, _ in
                    let task = Task.immediate { _ = try await application.perform { _ in } }
                    sentLater.withLock { $0 = task }
                }
                _ = try await tasks[0].value
                let task = try #require(sentLater.withLock { $0 })
                await #expect(
                    throws: ApplicationError.notRunning(application: Notes.bundleIdentifier)
                ) {
                    try await task.value
                }
            }
        }
    }

    @Test func `L8: a stop that leaves another archive in place does not report state as saved`()
        async throws
    {
        let other = try await archive("theirs")
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("live")
                try scratch.renameOverArchive(other)
                async let saved = hosted.write("last")
                await hosted.clock.waitForSleeper(for: ExternalChangeHandler.debounce)
                try await hosted.application.quitUntilLaunch()
                #expect(try await !saved.isSaved)
                #expect(hosted.log.messages(from: .notice).last == "stopped")
            }
        }
    }

    @Test func `L4: both stops fail if state cannot be saved because its directory was moved`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withRunningNotes(in: scratch) { hosted, running async throws in
                let application = hosted.application
                try await hosted.write("live")
                #expect(rename(scratch.stateDirectory, "\(scratch.path)/away") == 0)
                try await hosted.write("last")
                #expect(try await application.waitUntilDurable() != .durable)
                await #expect(throws: UnsavedStop.self) {
                    try await application.quitUntilLaunch()
                }
                running.cancel()
                await #expect(throws: UnsavedStop.self) { try await running.value }
            }
        }
    }

    /// Stops an application so that its last state is only in memory, although no write has failed.
    private func stopUnsaved(_ hosted: HostedNotes, in scratch: ScratchDirectory) async throws {
        let movedPath = "\(scratch.path)/away"
        #expect(rename(scratch.stateDirectory, movedPath) == 0)
        try await hosted.write("last")
        #expect(try await hosted.application.waitUntilDurable() != .durable)
        await #expect(throws: UnsavedStop.self) { try await hosted.application.quitUntilLaunch() }
        #expect(rename(movedPath, scratch.stateDirectory) == 0)
        #expect(unlink(scratch.archive) == 0)
        // Reading the saved state finds that the directory is back and that the archive was removed.
        _ = try await hosted.application.snapshot(of: "main", in: .saved)
    }

    @Test(arguments: [true, false])
    func `L4: the last stop saves state that is only in memory, or throws an error`(
        isWritable: Bool
    ) async throws {
        try await withScratchDirectory { scratch async throws in
            try await withRunningNotes(in: scratch) { hosted, running async throws in
                try await hosted.write("live")
                try await stopUnsaved(hosted, in: scratch)
                if !isWritable { scratch.blockSaving() }
                running.cancel()
                if isWritable {
                    try await running.value
                } else {
                    await #expect(throws: UnsavedStop.self) { try await running.value }
                }
                scratch.allowSaving()
            }
            if !isWritable { return }
            #expect(try await withNotes(in: scratch) { try await $0.text() } == "last")
        }
    }

    @Test func `P14: state that is only in memory after a stop is saved after the interval`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withRunningNotes(in: scratch) { hosted, running async throws in
                try await hosted.write("live")
                try await stopUnsaved(hosted, in: scratch)
                await hosted.passInterval()
                #expect(await hosted.application.status().saved == .durable)
                #expect(scratch.archiveBytes()?.contains("last".utf8) == true)
                running.cancel()
                try await running.value
            }
        }
    }

    @Test func `L8: a later stop quarantines an archive that an earlier stop failed to quarantine`()
        async throws
    {
        let other = try await archive("theirs")
        try await withScratchDirectory { scratch async throws in
            let notes = Notes()
            try await withRunningNotes(notes, in: scratch) { hosted, running async throws in
                let application = hosted.application
                try await hosted.write("live")
                notes.behavior.failingScenes = ["main"]
                scratch.watch.fail("quarantine", with: EIO)
                try scratch.renameOverArchive(other)
                await application.checkArchive()
                notes.behavior.failingScenes = []
                await #expect(throws: UnsavedStop.self) {
                    try await application.quitUntilLaunch()
                }
                scratch.watch.fail("quarantine", with: nil)
                running.cancel()
                try await running.value
                let entries = try await application.quarantined()
                #expect(try entries.map { try ScratchDirectory.bytes(of: $0.path) } == [other])
            }
        }
    }
}
