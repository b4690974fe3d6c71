import FoundationEssentials
import Glibc
import LinuxIO
import SimulatedDisk
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Documents that another program replaces or removes while they are open.
@Suite struct RecreatedDocumentsTests {
    private func documents(in scratch: ScratchDirectory) throws -> DocumentsDirectory {
        try ApplicationStateDirectory(path: scratch.stateDirectory)
            .documents(of: Notes.bundleIdentifier)
    }

    /// Runs an application that replaces the document `a` when it is launched for the first time.
    private func withDocument(
        in scratch: ScratchDirectory, _ body: (HostedNotes, _ path: String) async throws -> Void
    ) async throws {
        let store = NotesModel.Store(DirectoryWatch())
        var settings = HostedSettings()
        settings.makeModel = { documents in
            if store.made == 0 { try documents.replace("a", with: [1]) }
            return store.make()
        }
        try await withNotes(in: scratch, settings) { hosted async throws in
            try await body(hosted, "\(hosted.application.documentsPath)/a")
        }
    }

    @Test func `each replaced document is recreated with its newest contents`() async throws {
        try await withScratchDirectory { scratch async throws in
            let documents = try documents(in: scratch)
            for name in ["a", "b"] {
                try documents.replace(name, with: [1])
                let newPath = "\(scratch.path)/new"
                try ScratchDirectory.write([2], to: newPath)
                #expect(rename(newPath, documents.path(of: name)) == 0)
            }
            #expect(documents.recreateRemovedDocuments().isEmpty)
            for name in ["a", "b"] { #expect(unlink(documents.path(of: name)) == 0) }
            let recreated = documents.recreateRemovedDocuments()
            #expect(recreated.map(\.name) == ["a", "b"])
            #expect(recreated.allSatisfy { $0.failure == nil })
            for name in ["a", "b"] { #expect(try documents.read(name) == [2], "\(name)") }
        }
    }

    @Test func `L9: a document that is removed during a check is recreated by the next check`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withDocument(in: scratch) { hosted, path async throws in
                let openCount = Atomic(0)
                scratch.watch.beforeOperation.withLock { beforeOperation in
                    beforeOperation = { name in
                        // The check opens the directory again after it has listed the documents.
                        if name == Notes.bundleIdentifier,
                            openCount.add(1, ordering: .relaxed).newValue == 2
                        {
                            unlink(path)
                        }
                    }
                }
                await hosted.application.checkDocuments()
                scratch.watch.beforeOperation.withLock { $0 = nil }
                #expect(openCount.load(ordering: .relaxed) == 2)
                #expect(hosted.log.count(.documentRestored) == 0)
                await hosted.application.checkDocuments()
                #expect(hosted.log.count(.documentRestored) == 1)
                #expect(try ScratchDirectory.bytes(of: path) == [1])
            }
        }
    }

    @Test func `a removed document that cannot be recreated is reported as missing`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withDocument(in: scratch) { hosted, path async throws in
                #expect(unlink(path) == 0)
                scratch.watch.fail(".a.new", with: ENOSPC)
                await hosted.application.checkDocuments()
                #expect(hosted.log.count(.documentMissing) == 1)
                #expect(hosted.log.count(.documentRestored) == 0)
                scratch.watch.fail(".a.new", with: nil)
                await hosted.application.checkDocuments()
                #expect(hosted.log.count(.documentRestored) == 1)
                #expect(try ScratchDirectory.bytes(of: path) == [1])
            }
        }
    }

    @Test func `a document that was removed while the application was stopped stays removed`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withDocument(in: scratch) { hosted, path async throws in
                try await hosted.application.quitUntilLaunch()
                #expect(unlink(path) == 0)
                try await hosted.application.launch()
                await hosted.application.checkDocuments()
                #expect(hosted.log.count(.documentRestored) == 0)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test func `a released application frees its share of open documents`() async {
        await #expect(processExitsWith: .success) {
            // At most an eighth of the descriptors (100 of 800) can be used for documents.
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 800
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let file = try SimulatedDisk().root.createFile("file")
            for _ in 0..<2 {
                let openDocuments = OpenDocuments()
                for number in 0..<64 { openDocuments.keepOpen(file, as: "\(number)") }
                #expect(openDocuments.openFiles.count == 64)
            }
        }
    }
}
