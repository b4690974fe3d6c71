import Encryption
import Glibc
import LinuxIO
import SavedState
import TestSupport
import Testing

/// Tests of the errors about files in a backup that are damaged, encrypted or in the way.
@Suite struct BackupProblemTests {
    private static let directory = "Documents/org.example.A"
    private static let advice = "Use another backup."

    private let scratch: ScratchDirectory
    private let writer: BackupWriter

    init() throws {
        scratch = try ScratchDirectory()
        let parent = try #require(try Directory.open(scratch.path))
        writer = try BackupWriter("backup", in: parent)
    }

    /// Writes a complete backup with the given documents.
    private func make(_ documents: [(name: String, bytes: [UInt8])]) throws -> SavedBackup {
        for (name, bytes) in documents {
            try writer.write(
                bytes, of: "\(Self.directory)/\(name)", at: 0, byteCount: bytes.count)
        }
        try writer.complete()
        return try SavedBackup(scratch.file("backup"), keys: .none)
    }

    private func failure(of backup: SavedBackup) -> BackupFailure? {
        do throws(BackupFailure) {
            try backup.requireIntact(otherwise: Self.advice)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the error names the first damaged file and the number of other problems`() throws {
        let backup = try make([("one", [1]), ("two", [2])])
        #expect(failure(of: backup) == nil)
        let path = "\(backup.path)/\(Self.directory)"
        func problem(_ name: String) -> String {
            "'\(path)/\(name)' is damaged or was changed: its checksum differs from the checksum "
                + "in SHA256SUMS."
        }
        try scratch.write("backup/\(Self.directory)/two", "x")
        var found = failure(of: backup)
        #expect(found?.kind == .damaged)
        #expect(found?.path == backup.path)
        #expect(found?.description == "\(problem("two")) \(Self.advice)")
        try scratch.write("backup/\(Self.directory)/one", "x")
        found = failure(of: backup)
        #expect(found?.description == "\(problem("one")) And 1 more. \(Self.advice)")
    }

    @Test func `the error says that an encrypted file cannot be verified without its key`() throws {
        let keys = EncryptionKeys(sealing: try EncryptionKey(Array(1...32)))
        let plain = try Directory.openOrCreate(scratch.file("sealed"))
        try SealedDirectory(plain, keys: keys).writeNewFile("text", [1, 2, 3])
        let bytes = try #require(try plain.read("text", limit: 1 << 20))
        let found = failure(of: try make([("text", bytes)]))
        #expect(found?.kind == .undecryptable)
        #expect(found?.description.contains("text' cannot be verified without the key ") == true)
        #expect(found?.description.hasSuffix(": no key was given. \(Self.advice)") == true)
        let opened = try SavedBackup(scratch.file("backup"), keys: keys)
        #expect(failure(of: opened) == nil)
    }

    @Test func `a backup whose checksums cannot be written is not complete`() throws {
        try #require(mkdir(scratch.file("backup/SHA256SUMS"), 0o700) == 0)
        #expect(throws: IOError.self) { try writer.complete() }
    }
}
