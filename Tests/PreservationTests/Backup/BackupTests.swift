import FoundationEssentials
import Glibc
import SavedState
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct BackupTests {
    private static let documents = "Documents/\(Notes.bundleIdentifier)"

    private func createDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    @Test func `a backup contains files as they were when it was opened and lists omitted entries`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try createDirectory("\(application.documentsPath)/folder")
                for name in ["a", "b", ".hidden", ".a.new", ".anew", "c.new"] {
                    try ScratchDirectory.write([1, 2], to: "\(application.documentsPath)/\(name)")
                }
                try await hosted.write("saved")
                let (files, omittedPaths) = try await application.openBackup()
                let bytes = try #require(scratch.archiveBytes())
                #expect(
                    files.map(\.path).sorted()
                        == ["a", "b", "c.new"].map { "\(Self.documents)/\($0)" } + [
                            "Saved Application State/\(Notes.bundleIdentifier).savedState/data.archive"
                        ])
                #expect(
                    omittedPaths.sorted()
                        == [".anew", ".hidden", "folder"].map { "\(Self.documents)/\($0)" })
                let archive = try #require(files.first { $0.path.hasSuffix("data.archive") })
                try await hosted.write("newer")
                #expect(try #require(scratch.archiveBytes()).count > bytes.count)
                #expect(archive.byteCount == bytes.count)
                #expect(try archive.read(from: 0, limit: 1 << 20) == bytes)
                #expect(try archive.read(from: 8, limit: 10) == Array(bytes[8..<18]))
                #expect(
                    try archive.read(from: bytes.count - 3, limit: 10) == Array(bytes.suffix(3)))
            }
        }
    }

    @Test func `a backup does not include reserved space of the archive`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                var settings = await application.settings
                settings.durability = .commit
                await application.apply(settings)
                try await hosted.write("saved")
                try await hosted.write("saved again")
                #expect(try #require(scratch.archiveBytes()).count == 4096)
                let files = try await application.openBackup().files
                let bytes = try #require(scratch.archiveBytes())
                #expect(bytes.count < 4096)
                let archive = try #require(files.first { $0.path.hasSuffix("data.archive") })
                try await hosted.write("newer")
                #expect(try #require(scratch.archiveBytes()).count == 4096)
                #expect(try archive.read(from: 0, limit: 1 << 20) == bytes)
            }
        }
    }

    @Test func `a backup contains at most 1000 documents and lists at most 1000 omitted entries`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            // All files of a backup are open at the same time, which the process's limits must permit.
            _ = await #expect(processExitsWith: .success) { [path = scratch.path as String] in
                var limit = rlimit()
                let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                try #require(getrlimit(resource, &limit) == 0)
                limit.rlim_cur = limit.rlim_max
                try #require(setrlimit(resource, &limit) == 0)
                try await withNotes(in: ScratchDirectory(path: path)) { hosted async throws in
                    let application = hosted.application
                    try FileManager.default.createDirectory(
                        atPath: application.documentsPath, withIntermediateDirectories: true)
                    for number in 0...1000 {
                        for name in ["\(number)", ".\(number)"] where name != "1000" {
                            try ScratchDirectory.write(
                                [], to: "\(application.documentsPath)/\(name)")
                        }
                    }
                    try await hosted.write("saved")
                    let backup = try await application.openBackup()
                    #expect(backup.files.count == 1001)
                    #expect(backup.omittedPaths.count == 1000)
                    try ScratchDirectory.write([], to: "\(application.documentsPath)/1000")
                    let error = await #expect(throws: ApplicationError.self) {
                        _ = try await application.openBackup()
                    }
                    #expect(error?.description.contains("more than 1000 documents") == true)
                }
            }
        }
    }

    @Test func `a backup fails if a restore would refuse one of its files`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try createDirectory(application.documentsPath)
                let path = "\(application.documentsPath)/large"
                try ScratchDirectory.write([], to: path)
                // Creates a sparse file, which takes no space.
                try #require(truncate(path, ArchiveFormat.maximumFileBytes) == 0)
                let large = try await application.openBackup().files.last
                #expect(large?.byteCount == ArchiveFormat.maximumFileBytes)
                try #require(truncate(path, ArchiveFormat.maximumFileBytes + 1) == 0)
                let error = await #expect(throws: ApplicationError.self) {
                    _ = try await application.openBackup()
                }
                guard case .notBackedUp(Notes.bundleIdentifier, let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains(path))
            }
        }
    }

    @Test func `entries that belong to no application are listed, except temporary files`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let known = [Notes.bundleIdentifier, "org.example.Known"]
                let saved = "Saved Application State"
                for name in known + ["org.example.Gone"] {
                    try createDirectory("\(scratch.stateDirectory)/\(saved)/\(name).savedState")
                    try createDirectory("\(scratch.stateDirectory)/Documents/\(name)")
                }
                try createDirectory("\(scratch.stateDirectory)/Documents/.gone.new")
                for name in [".gone", "gone.new"] {
                    try createDirectory("\(scratch.stateDirectory)/Documents/\(name)")
                }
                #expect(
                    try await hosted.application.foreignEntries(excluding: known) == [
                        "\(saved)/org.example.Gone.savedState", "Documents/.gone",
                        "Documents/gone.new", "Documents/org.example.Gone",
                    ])
            }
        }
    }

    @Test func `a backup cannot be opened while the state cannot be saved`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("saved")
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("unsaved")
                let error = await #expect(throws: ApplicationError.self) {
                    _ = try await hosted.application.openBackup()
                }
                #expect(error?.description.contains("No space left on device") == true)
                scratch.watch.failWriting("data.archive", with: nil)
                #expect(try await hosted.application.openBackup().files.count == 1)
            }
        }
    }

    @Test func `a backup of a stopped application contains the state that its stop could not save`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                let application = hosted.application
                try await hosted.write("older")
                scratch.watch.failWriting("data.archive", with: ENOSPC)
                try await hosted.write("last")
                await #expect(throws: UnsavedStop.self) { try await application.quitUntilLaunch() }
                let error = await #expect(throws: ApplicationError.self) {
                    _ = try await application.openBackup()
                }
                #expect(error?.description.contains("No space left on device") == true)
                scratch.watch.failWriting("data.archive", with: nil)
                let file = try #require(try await application.openBackup().files.first)
                let bytes = try file.read(from: 0, limit: file.byteCount)
                #expect(bytes.contains("last".utf8))
            }
        }
    }
}
