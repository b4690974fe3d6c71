import Encryption
import FoundationEssentials
import Glibc
import LinuxIO
import SavedState
import TestSupport
import Testing

@testable import Preservation

private struct Entry: Codable, Identifiable {
    var id: Int
    var text = ""
}

/// Backups made by the application itself.
@Suite(.timeLimit(.minutes(5))) struct ApplicationBackupTests {
    private struct Values {
        let first: RestorableValue<Int>
        let second: RestorableValue<Int>
        let entries: RestorableCollection<Entry>
    }

    private func withJobs(
        in state: String, keys: EncryptionKeys = .none,
        _ body: (Application, Values) async throws -> Void
    ) async throws {
        let application = try Application(
            bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
            stateDirectory: ApplicationStateDirectory(path: state, keys: keys), logger: .quiet)
        let values = Values(
            first: try await application.value("first", default: 0),
            second: try await application.value("second", default: 0),
            entries: try await application.collection("entries", of: Entry.self))
        async let running: Void = application.run()
        try await body(application, values)
        try await application.quit()
        try await running
    }

    /// Changes all values in one transaction.
    private static func advance(_ application: Application, _ values: Values) async throws {
        try await application.update(values.first, values.second, values.entries) {
            first, second, entries in
            first.value += 1
            second.value += 1
            entries.append(Entry(id: first.value, text: "entry \(first.value)"))
        }
    }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func refusal(_ body: () async throws -> Void) async throws -> BackupError {
        try #require(await #expect(throws: BackupError.self) { try await body() })
    }

    private let archive = "Saved Application State/org.example.Jobs.savedState/data.archive"

    @Test func `a backup made during changes contains the values of a single point in time`()
        async throws
    {
        try await withScratchDirectory { scratch async throws in
            try await withJobs(in: scratch.stateDirectory) { application, values async throws in
                let isEnough = AwaitableState(false)
                let changing = Task {
                    while !isEnough.state { try await Self.advance(application, values) }
                }
                for number in 1...5 {
                    try await Self.advance(application, values)
                    let before = try await values.first.current
                    let report = try await application.backup(to: "\(scratch.path)/backup\(number)")
                    let after = try await values.first.current
                    #expect(report.fileCount == 1)
                    #expect(report.omittedPaths == [])
                    let state = "\(scratch.path)/restored\(number)"
                    let restored = try ApplicationStateDirectory.restore(
                        from: report.path, to: state)
                    #expect(
                        restored == [
                            RestoredApplication(
                                bundleIdentifier: "org.example.Jobs", generation: nil,
                                replacedDocuments: nil)
                        ])
                    try await withJobs(in: state) { _, values async throws in
                        let first = try await values.first.current
                        #expect(before <= first && first <= after)
                        #expect(try await values.second.current == first)
                        #expect(try await values.entries.elements.map(\.id) == Array(1...first))
                    }
                }
                isEnough.change { $0 = true }
                try await changing.value
            }
        }
    }

    @Test func `a restore saves the state and the documents that it replaces`() async throws {
        try await withScratchDirectory { scratch async throws in
            let state = scratch.stateDirectory
            let backup = "\(scratch.path)/new/backup"
            let document = "\(state)/Documents/org.example.Jobs/text"
            try await withJobs(in: state) { application, values async throws in
                try FileManager.default.createDirectory(
                    atPath: "\(application.documentsPath)/folder",
                    withIntermediateDirectories: true)
                try ScratchDirectory.write([1, 2], to: document)
                try await values.first.update { $0 = 7 }
                let report = try await application.backup(to: "\(backup)/")
                #expect(report.fileCount == 2)
                #expect(report.byteCount > 2)
                #expect(report.omittedPaths == ["Documents/org.example.Jobs/folder"])
                try ScratchDirectory.write([3], to: document)
                try await values.first.update { $0 = 8 }
            }
            let restored = try ApplicationStateDirectory.restore(from: backup, to: state).first
            let generation = try #require(restored?.generation)
            let name = try #require(GenerationName(path: generation))
            let documents = try #require(restored?.replacedDocuments)
            #expect(try ScratchDirectory.bytes(of: "\(documents)/text") == [3])
            #expect(try ScratchDirectory.bytes(of: document) == [1, 2])
            try await withJobs(in: state) { application, values async throws in
                #expect(try await values.first.current == 7)
                _ = try await application.rollBack(to: "\(name)")
                #expect(try await values.first.current == 8)
            }
        }
    }

    @Test func `a damaged backup is refused, and nothing is restored`() async throws {
        try await withScratchDirectory { scratch async throws in
            let backup = "\(scratch.path)/backup"
            try await withJobs(in: scratch.stateDirectory) { application, values async throws in
                try await values.first.update { $0 = 7 }
                try await application.backup(to: backup)
            }
            let file = "\(backup)/\(archive)"
            let list = "\(backup)/SHA256SUMS"
            let (bytes, sums) = (
                try ScratchDirectory.bytes(of: file), try ScratchDirectory.bytes(of: list)
            )
            var flipped = bytes
            flipped[bytes.count / 2] ^= 1
            let torn = Array(bytes.dropLast())
            let tornSums = Array("\(SHA256.hexDigest(of: torn))  \(archive)\n".utf8)
            let damaged:
                [(archive: [UInt8]?, sums: [UInt8]?, kind: BackupError.Kind, text: String)] =
                    [
                        (flipped, sums, .damaged, "data.archive' is damaged or was changed"),
                        (nil, sums, .damaged, "data.archive' is missing"),
                        (torn, tornSums, .damaged, "data.archive' is torn"),
                        (bytes, Array(sums.dropFirst()), .damaged, "line 1"),
                        (bytes, nil, .notABackup, "is not a complete backup"),
                    ]
            let target = "\(scratch.path)/restored"
            for wrong in damaged {
                _ = unlink(file)
                _ = unlink(list)
                if let bytes = wrong.archive { try ScratchDirectory.write(bytes, to: file) }
                if let sums = wrong.sums { try ScratchDirectory.write(sums, to: list) }
                let error = try await refusal {
                    try ApplicationStateDirectory.restore(from: backup, to: target)
                }
                #expect(error.kind == wrong.kind)
                #expect(error.description.contains(wrong.text), "\(error)")
                #expect(!exists(target))
            }
        }
    }

    @Test func `a backup never overwrites existing files or directories`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withJobs(in: scratch.stateDirectory) { application, _ async throws in
                let (file, directory, link, other) = (
                    "\(scratch.path)/file", "\(scratch.path)/folder", "\(scratch.path)/link",
                    "\(scratch.path)/other"
                )
                try ScratchDirectory.write([1], to: file)
                try #require(mkdir(directory, 0o700) == 0)
                try #require(symlink("\(scratch.path)/none", link) == 0)
                for path in [file, directory, "\(directory)/", link, "\(link)/"] {
                    let error = try await refusal { try await application.backup(to: path) }
                    #expect(error.kind == .targetExists)
                    #expect(error.description.contains("already exists: choose a new directory."))
                }
                try #require(mkdir("\(other).partial", 0o700) == 0)
                let error = try await refusal { try await application.backup(to: other) }
                #expect(error.kind == .targetExists)
                #expect(error.path == "\(other).partial")
                #expect(error.description.contains("remove it and try again"))
                #expect(try ScratchDirectory.bytes(of: file) == [1])
                #expect(try ScratchDirectory.names(in: directory) == [])
                #expect(try ScratchDirectory.names(in: "\(other).partial") == [])
                #expect(!exists("\(scratch.path)/none") && !exists(other))
            }
        }
    }

    @Test func `a failed backup leaves no files behind`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withJobs(in: scratch.stateDirectory) { application, _ async throws in
                for path in ["\(scratch.stateDirectory)/backup", scratch.stateDirectory + "/a/b"] {
                    let error = try await refusal { try await application.backup(to: path) }
                    #expect(error.kind == .overlapping)
                    #expect(!exists(path))
                }
                for path in ["", "/", "a\0b"] {
                    let error = try await refusal { try await application.backup(to: path) }
                    #expect(error.kind == .notWritten)
                }
                try ScratchDirectory.write([1], to: "\(scratch.path)/file")
                let error = try await refusal {
                    try await application.backup(to: "\(scratch.path)/file/backup")
                }
                #expect(error.kind == .notWritten)
                #expect(error.description.contains("\(scratch.path)/file"))
                let path = "\(scratch.path)/cancelled"
                let cancelled = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await application.backup(to: path)
                }
                await #expect(throws: CancellationError.self) { try await cancelled.value }
                #expect(!exists(path) && !exists("\(path).partial"))
            }
        }
    }

    @Test func `a backup fails while the state cannot be saved`() async throws {
        try await withScratchDirectory { scratch async throws in
            try await withNotes(in: scratch) { hosted async throws in
                try await hosted.write("saved")
                scratch.blockSaving()
                try await hosted.write("unsaved")
                let error = await #expect(throws: ApplicationError.self) {
                    try await hosted.application.backup(to: "\(scratch.path)/backup")
                }
                guard case .notBackedUp(_, let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("No space left"))
                #expect(!exists("\(scratch.path)/backup"))
                scratch.allowSaving()
                try await hosted.application.backup(to: "\(scratch.path)/backup")
            }
        }
    }

    @Test func `a restore is refused while a program uses the state directory`() async throws {
        try await withScratchDirectory { scratch async throws in
            let (state, backup) = (scratch.stateDirectory, "\(scratch.path)/backup")
            try await withJobs(in: state) { application, values async throws in
                try await values.first.update { $0 = 7 }
                try await application.backup(to: backup)
                let error = try await refusal {
                    try ApplicationStateDirectory.restore(from: backup, to: state)
                }
                #expect(error.kind == .notRestored)
                #expect(error.description.contains("in use"))
                let inside = try await refusal {
                    try ApplicationStateDirectory.restore(from: backup, to: "\(backup)/state")
                }
                #expect(inside.kind == .overlapping)
                let none = try await refusal {
                    try ApplicationStateDirectory.restore(from: "\(backup)0", to: state)
                }
                #expect(none.kind == .notABackup)
                #expect(try await values.first.current == 7)
            }
            let root = try #require(try Directory.open(state))
            try UnfinishedRestoreMarker.begin("/another/backup", in: root)
            let other = try await refusal {
                try ApplicationStateDirectory.restore(from: backup, to: state)
            }
            #expect(other.kind == .restoreUnfinished)
            #expect(other.path == "/another/backup")
            try UnfinishedRestoreMarker.begin(backup.resolvedPath, in: root)
            #expect(throws: StateDirectoryError.self) {
                try ApplicationStateDirectory(path: state)
            }
            try ApplicationStateDirectory.restore(from: backup, to: state)
            try await withJobs(in: state) { _, values async throws in
                #expect(try await values.first.current == 7)
            }
        }
    }

    @Test func `an encrypted backup can be restored only with its key`() async throws {
        try await withScratchDirectory { scratch async throws in
            let keys = EncryptionKeys(
                sealing: try EncryptionKey((0..<32).map { UInt8($0) }))
            let (backup, target) = ("\(scratch.path)/backup", "\(scratch.path)/restored")
            try await withJobs(in: scratch.stateDirectory, keys: keys) {
                application, values async throws in
                try await values.first.update { $0 = 7 }
                try await application.backup(to: backup)
            }
            let error = try await refusal {
                try ApplicationStateDirectory.restore(from: backup, to: target)
            }
            #expect(error.kind == .undecryptable)
            #expect(error.description.contains("no key was given"))
            #expect(!exists(target))
            try ApplicationStateDirectory.restore(from: backup, to: target, keys: keys)
            try await withJobs(in: target, keys: keys) { _, values async throws in
                #expect(try await values.first.current == 7)
            }
        }
    }
}
