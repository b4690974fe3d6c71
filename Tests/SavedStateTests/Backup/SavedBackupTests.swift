import Encryption
import Glibc
import LinuxIO
import SavedState
import StateRecords
import TestSupport
import Testing

/// Backups that are read, verified and restored.
@Suite struct SavedBackupTests {
    private static let application = "org.example.A"
    private static let archive = "Saved Application State/\(application).savedState/data.archive"
    private static let document = "Documents/\(application)/text"

    /// Returns the bytes of an archive with one scene.
    private func archive(of application: String, value: UInt8 = 1) throws -> [UInt8] {
        let scratch = try ScratchDirectory()
        let archive = try StateDirectory.open(scratch.path).archive(of: application)
        _ = try archive.load()
        var turn = TurnRecords()
        turn.addObject(
            ObjectHeader(number: 1, parent: 0, kind: 0, identifier: "main"), values: [value])
        turn.endPass(PassEnd(scene: 1, timestamp: 1))
        try archive.append(turn)
        try archive.close()
        let directory = try #require(try Directory.open(archive.path.containingDirectory))
        return try #require(try directory.read("data.archive", limit: 1 << 20))
    }

    /// Writes a file below a directory.
    private func write(_ bytes: [UInt8], to path: String, in directory: String) throws {
        let place = "\(directory)/\(path)"
        let parent = try Directory.openOrCreate(place.containingDirectory)
        let name = try #require(place.split(separator: "/").last.map(String.init))
        try parent.replace(name, with: bytes, temporaryName: ".new")
    }

    /// Writes a backup with its checksums.
    private func make(_ files: [(path: String, bytes: [UInt8])], in directory: String) throws {
        for file in files { try write(file.bytes, to: file.path, in: directory) }
        let lines = files.map { "\(SHA256.hexDigest(of: $0.bytes))  \($0.path)\n" }.joined()
        try write(Array(lines.utf8), to: SavedBackup.checksumFileName, in: directory)
    }

    private func read(_ path: String, in directory: String) throws -> [UInt8]? {
        let place = "\(directory)/\(path)"
        let name = try #require(place.split(separator: "/").last.map(String.init))
        return try Directory.open(place.containingDirectory)?.read(name, limit: 1 << 20)
    }

    private static let digest = String(repeating: "0a", count: 32)

    @Test(
        arguments: [
            "", "x", digest, "\(digest)  ", "\(digest) \(document)", "\(digest)--\(document)",
            "\(digest)  /etc/passwd", "\(digest)  Documents/a/../b", "\(digest)  Other/a/b",
            "\(digest)  \(document)\n\(digest)  \(document)", "\(digest)  \(document)\nx",
        ])
    func `a missing or invalid list of checksums is refused`(text: String) throws {
        let scratch = try ScratchDirectory()
        try write(Array(text.utf8), to: SavedBackup.checksumFileName, in: scratch.path)
        #expect(throws: BackupFailure.self) { try SavedBackup(scratch.path, keys: .none) }
        #expect(throws: BackupFailure.self) { try SavedBackup("\(scratch.path)/none", keys: .none) }
    }

    @Test func `a backup lists its applications and archives`() throws {
        let scratch = try ScratchDirectory()
        try make(
            [
                ("Documents/org.example.B/text", [1]), (Self.archive, [2]), (Self.document, [3]),
                ("Documents/\(Self.application)/other", [4]),
            ], in: scratch.path)
        let backup = try SavedBackup(scratch.path, keys: .none)
        #expect(backup.bundleIdentifiers == [Self.application, "org.example.B"])
        #expect(backup.archiveCount == 1)
        #expect(backup.files.count == 4)
        #expect(try backup.files.map { try backup.read($0) } == [[1], [2], [3], [4]])
    }

    @Test func `verification reports every foreign, damaged, missing or unlisted file`() throws {
        let scratch = try ScratchDirectory()
        let bytes = try archive(of: Self.application)
        let other = "Saved Application State/org.example.B.savedState/data.archive"
        let torn = "Saved Application State/org.example.C.savedState/data.archive"
        try make(
            [
                (Self.archive, bytes), (Self.document, [1]), (other, bytes),
                (torn, Array(bytes.dropLast())),
            ],
            in: scratch.path)
        func problems() throws -> [String] {
            let (problems, undecryptable) = try SavedBackup(scratch.path, keys: .none).verify()
            #expect(undecryptable == [])
            return problems
        }
        var found = try problems()
        #expect(found.count == 2)
        #expect(
            found.first?.hasSuffix("is an archive of the application \(Self.application).") == true)
        #expect(found.last?.contains("org.example.C") == true)
        try write([1], to: "extra", in: scratch.path)
        try write([1], to: "Documents/\(Self.application)/deep/er", in: scratch.path)
        try write([2], to: Self.document, in: scratch.path)
        found = try problems()
        #expect(found.count == 5)
        #expect(found.count { $0.hasSuffix("is not listed in SHA256SUMS.") } == 2)
        #expect(found.count { $0.contains("is damaged or was changed") } == 1)
        try make([(Self.document, [1]), (Self.archive, bytes)], in: scratch.path)
        try #require(unlink("\(scratch.path)/\(Self.document)") == 0)
        #expect(try problems().contains { $0.hasSuffix("\(Self.document)' is missing.") })
    }

    @Test func `verification reports an empty directory in place of a file`() throws {
        let scratch = try ScratchDirectory()
        try make([(Self.document, [1])], in: scratch.path)
        try #require(mkdir("\(scratch.path)/Documents/\(Self.application)/deep", 0o700) == 0)
        let problems = try SavedBackup(scratch.path, keys: .none).verify().problems
        #expect(problems.count == 1)
        let name = "/Documents/\(Self.application)/deep"
        #expect(problems.first?.hasSuffix("\(name)' is not listed in SHA256SUMS.") == true)
    }

    @Test func `a restore replaces the state and the documents and saves the previous ones`()
        throws
    {
        let (scratch, state) = (try ScratchDirectory(), try ScratchDirectory())
        let (bytes, before) = (
            try archive(of: Self.application), try archive(of: Self.application, value: 2)
        )
        try make(
            [(Self.archive, bytes), (Self.document, [1]), ("Documents/org.example.B/text", [5])],
            in: scratch.path)
        try write(before, to: Self.archive, in: state.path)
        try write([9], to: Self.document, in: state.path)
        for round in 1...2 {
            let backup = try SavedBackup(scratch.path, keys: .none)
            let restored = try BackupRestoration(backup, into: state.path, keys: .none).run()
            #expect(restored.count == 2)
            #expect(try read(Self.archive, in: state.path) == bytes)
            #expect(try read(Self.document, in: state.path) == [1])
            #expect(try read("Documents/org.example.B/text", in: state.path) == [5])
            let directory = Self.archive.containingDirectory
            #expect(try read("\(directory)/history/000001.archive", in: state.path) == before)
            #expect(
                try read("\(directory)/history/000002.archive", in: state.path) == nil, "\(round)")
            #expect(
                try read("Documents/\(Self.application).replaced-1/text", in: state.path) == [9])
            #expect(try read(UnfinishedRestoreMarker.fileName, in: state.path) == nil)
        }
    }

    @Test func `a backup with a damaged file restores nothing`() throws {
        let (scratch, state) = (try ScratchDirectory(), try ScratchDirectory())
        let bytes = try archive(of: Self.application)
        try make([(Self.archive, bytes), (Self.document, [1])], in: scratch.path)
        try write([2], to: Self.document, in: scratch.path)
        let backup = try SavedBackup(scratch.path, keys: .none)
        let failure = #expect(throws: BackupFailure.self) {
            try BackupRestoration(backup, into: state.path, keys: .none).run()
        }
        #expect("\(try #require(failure))".hasSuffix("Nothing was restored."))
        let root = try #require(try Directory.open(state.path))
        #expect(try root.openSubdirectory("Documents")?.names() == [])
        #expect(try root.openSubdirectory("Saved Application State")?.names() == [])
        #expect(try read(UnfinishedRestoreMarker.fileName, in: state.path) == nil)
    }

    @Test func `an interrupted restore is finished with the same backup, but not with another one`()
        throws
    {
        let (scratch, state) = (try ScratchDirectory(), try ScratchDirectory())
        try make([(Self.document, [1])], in: scratch.path)
        let backup = try SavedBackup(scratch.path, keys: .none)
        let root = try Directory.openOrCreate(state.path)
        try UnfinishedRestoreMarker.begin("/another/backup", in: root)
        #expect(throws: BackupFailure.self) {
            try BackupRestoration(backup, into: state.path, keys: .none)
        }
        for earlier in ["", backup.path] {
            try UnfinishedRestoreMarker.begin(earlier, in: root)
            #expect(throws: StateDirectoryError.self) { try StateDirectory.open(state.path) }
            _ = try BackupRestoration(backup, into: state.path, keys: .none).run()
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == nil)
        }
        #expect(try read(Self.document, in: state.path) == [1])
    }

    @Test func `a backup is not restored into its own directory, its parent or a subdirectory`()
        throws
    {
        let scratch = try ScratchDirectory()
        try make([(Self.document, [1])], in: "\(scratch.path)/backup")
        let backup = try SavedBackup("\(scratch.path)/backup", keys: .none)
        for path in [scratch.path, "\(scratch.path)/backup", "\(scratch.path)/backup/state"] {
            #expect(throws: BackupFailure.self) {
                try BackupRestoration(backup, into: path, keys: .none)
            }
        }
        _ = try BackupRestoration(backup, into: "\(scratch.path)/backup2", keys: .none).run()
    }

    /// User who cannot perform some of the accesses to a state directory.
    private final class FailingUser: StateUser {
        struct Failure: Error {}
        private let failing: Set<Int>
        private let body: (Int) throws -> Void
        private(set) var count = 0

        /// - Parameter body: Called before each access with its number, counted from 1.
        init(failing: Set<Int> = [], before body: @escaping (Int) throws -> Void = { _ in }) {
            (self.failing, self.body) = (failing, body)
        }

        func perform<Result>(_ access: () throws -> Result) throws -> Result {
            count += 1
            try body(count)
            if failing.contains(count) { throw Failure() }
            return try access()
        }
    }

    /// Restores a backup of two applications, of which the second has no state, as a user.
    private func restore(
        as user: FailingUser, in state: ScratchDirectory
    ) throws -> [InstalledApplication] {
        let scratch = try ScratchDirectory()
        try make(
            [
                (Self.archive, try archive(of: Self.application)), (Self.document, [1]),
                ("Documents/org.example.B/text", [5]),
            ], in: scratch.path)
        let backup = try SavedBackup(scratch.path, keys: .none)
        return try BackupRestoration(backup, into: state.path, keys: .none, as: user).run()
    }

    @Test func `a restore that fails before the replacement changes nothing`() throws {
        // The first access opens the state directory, and the last one replaces the state.
        let whole = FailingUser()
        let restored = try restore(as: whole, in: ScratchDirectory())
        #expect(restored.map(\.bundleIdentifier) == [Self.application, "org.example.B"])
        #expect(restored.map(\.hasState) == [true, false])
        #expect(whole.count == 8)
        for number in 2..<whole.count {
            let state = try ScratchDirectory()
            let failure = #expect(throws: BackupFailure.self, "\(number)") {
                try restore(as: FailingUser(failing: [number]), in: state)
            }
            #expect("\(try #require(failure))" == "Failure() Nothing was restored.")
            let root = try #require(try Directory.open(state.path))
            for directory in ["Documents", "Saved Application State"] {
                #expect(try root.openSubdirectory(directory)?.names() ?? [] == [], "\(number)")
            }
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == nil, "\(number)")
        }
    }

    @Test func `an interrupted restore remains unfinished if its repetition fails`() throws {
        for number in 2..<8 {
            let state = try ScratchDirectory()
            let root = try Directory.openOrCreate(state.path)
            try UnfinishedRestoreMarker.begin("", in: root)
            let failure = #expect(throws: BackupFailure.self, "\(number)") {
                try restore(as: FailingUser(failing: [number]), in: state)
            }
            #expect(failure?.kind == .restoreUnfinished, "\(number)")
            #expect(UnfinishedRestoreMarker.backupPath(in: root) != nil, "\(number)")
        }
    }

    @Test func `a restore that fails during the replacement is recorded as unfinished`() throws {
        let state = try ScratchDirectory()
        let failure = #expect(throws: BackupFailure.self) {
            try restore(as: FailingUser(failing: [8]), in: state)
        }
        #expect(failure?.kind == .restoreUnfinished)
        let root = try #require(try Directory.open(state.path))
        #expect(UnfinishedRestoreMarker.backupPath(in: root) != nil)
        // The mark cannot be removed, because a directory has replaced it.
        let other = try ScratchDirectory()
        let user = FailingUser { number in
            guard number == 8 else { return }
            try #require(unlink(other.file(UnfinishedRestoreMarker.fileName)) == 0)
            try other.write("\(UnfinishedRestoreMarker.fileName)/file", "")
        }
        #expect(throws: BackupFailure.self) { try restore(as: user, in: other) }
    }
}
