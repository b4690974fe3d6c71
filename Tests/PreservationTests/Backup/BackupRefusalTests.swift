import FoundationEssentials
import Glibc
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Backups that cannot be made.
@Suite(.timeLimit(.minutes(5))) struct BackupRefusalTests {
    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test func `a backup of a damaged archive is refused, and nothing of it remains`() async throws
    {
        try await withScratchDirectory { scratch async throws in
            let backup = "\(scratch.path)/backup"
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("kept")
                try await hosted.application.quitUntilLaunch()
                let bytes = try #require(scratch.archiveBytes())
                var damaged = bytes
                damaged[damaged.count / 2] ^= 1
                try scratch.writeArchiveInPlace(damaged)
                let failure = await #expect(throws: BackupError.self) {
                    try await hosted.application.backup(to: backup)
                }
                #expect(failure?.kind == .damaged)
                #expect(!exists(backup))
                #expect(!exists("\(backup).partial"))
                try scratch.writeArchiveInPlace(bytes)
            }
        }
    }

    @Test func `a backup that does not fit on the disk is reported as not written`() async throws {
        await #expect(processExitsWith: .success) {
            try await withScratchDirectory { scratch async throws in
                try await withNotes(in: scratch) { hosted async throws in
                    try await hosted.write(String(repeating: "a", count: 300_000))
                    try await hosted.application.quitUntilLaunch()
                    // The list of checksums can be written, but the archive cannot.
                    signal(SIGXFSZ, SIG_IGN)
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                    let previousLimit = limit.rlim_cur
                    limit.rlim_cur = 100_000
                    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                    var failure: BackupError?
                    do {
                        try await hosted.application.backup(to: "\(scratch.path)/backup")
                    } catch let error as BackupError {
                        failure = error
                    }
                    limit.rlim_cur = previousLimit
                    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                    #expect(failure?.kind == .notWritten)
                    #expect(failure?.description.contains("File too large") == true)
                }
            }
        }
    }

    @Test func `a cancelled backup of an application that was never run creates nothing`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let parent = "\(scratch.path)/parent"
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let backingUp = Task { try await application.backup(to: "\(parent)/backup") }
                backingUp.cancel()
                await #expect(throws: CancellationError.self) { try await backingUp.value }
                #expect(!exists(parent))
            }
        }
    }

    @Test func `a backup to an existing path is refused before it waits for a launch`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let backup = "\(scratch.path)/backup"
            #expect(mkdir(backup, 0o700) == 0)
            try await withStoppedNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                let kind = AwaitableState<BackupError.Kind?>(nil)
                let backingUp = Task {
                    do {
                        try await application.backup(to: backup)
                    } catch let error as BackupError {
                        kind.change { $0 = error.kind }
                    }
                }
                try await waitUntil("the backup is refused") { kind.state == .targetExists }
                try await backingUp.value
            }
        }
    }

    @Test func `a backup does not replace a directory that was created in the meantime`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            let backup = "\(scratch.path)/backup"
            let notes = Notes()
            notes.behavior.extendingScenes = ["main"]
            var settings = HostedSettings()
            settings.waitsForLaunch = false
            try await withNotes(notes, in: scratch, settings) { hosted async throws in
                let application = hosted.application
                await hosted.log.wait(for: 1, .restorationExtended)
                let backingUp = Task.immediate { try await application.backup(to: backup) }
                #expect(mkdir(backup, 0o700) == 0)
                await application.completeRestoration()
                let failure = await #expect(throws: BackupError.self) {
                    try await backingUp.value
                }
                #expect(failure?.kind == .targetExists)
                #expect(try ScratchDirectory.names(in: backup) == [])
                #expect(!exists("\(backup).partial"))
            }
        }
    }
}
