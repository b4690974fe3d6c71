import Encryption
import Glibc
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

@testable import SavedState

/// Tests of the task that finds all files that the current key did not encrypt, and re-encrypts them.
@Suite struct ReencryptorTests {
    /// Files of the application, in the order in which they are re-encrypted.
    private static let files =
        [
            "data.archive", "history/000001.archive", "history/000001.archive.reason",
            "history/000002.archive", "history/000002.archive.reason",
            "quarantine/000001-main.archive", "quarantine/000001-main.archive.reason",
        ].map { "\(Sample.directory)/\($0)" }
        + ["first", "second"].map { "Documents/\(Sample.application)/\($0)" }

    /// Returns a disk with unencrypted files of each kind, and with a second application that has only documents.
    private func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        _ = try archive.makeGeneration(because: "of a test")
        try archive.append(Sample.second)
        _ = try archive.makeGeneration(because: "of a test")
        _ = try archive.quarantineScenes([1], reason: "It is red.")
        for document in [
            "\(Sample.application)/first", "\(Sample.application)/second", "other/only",
        ] {
            disk.put(Array("text".utf8), at: "Documents/\(document)")
        }
        return disk
    }

    private func keys() throws -> EncryptionKeys {
        EncryptionKeys(sealing: try EncryptionKey((0..<32).map { UInt8($0) }))
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: canonically equivalent names identify different applications`(
        one: String, other: String
    ) throws {
        let disk = SimulatedDisk()
        disk.put([1], at: "Documents/\(one)/document")
        disk.put([2], at: "Documents/\(other)/document")
        let reencryptor = Reencryptor(
            try StateDirectory(locked: disk.root, keys: try keys(), pid: 1))
        #expect(try reencryptor.bundleIdentifiers().count == 2)
    }

    @Test func `every file of an application is re-encrypted once`() throws {
        let disk = try disk()
        let plain = Self.files.map { disk.file($0) }
        #expect(!plain.contains(nil))
        let reencryptor = Reencryptor(
            try StateDirectory(locked: disk.root, keys: try keys(), pid: 1))
        #expect(try reencryptor.bundleIdentifiers() == [Sample.application, "other"])
        let files = try reencryptor.files(of: Sample.application)
        #expect(Set(files.map(\.path)) == Set(Self.files.map { "/state/\($0)" }))
        #expect(files.filter(\.isArchive).map(\.path) == ["/state/\(Sample.file)"])
        #expect(try reencryptor.files(of: "other").map(\.path) == ["/state/Documents/other/only"])
        #expect(reencryptor.archiveMayNeedReencryption(of: Sample.application))
        for file in files {
            #expect(try reencryptor.needsReencryption(file))
            #expect(try reencryptor.reencrypt(file))
            #expect(try !reencryptor.needsReencryption(file))
            #expect(try !reencryptor.reencrypt(file))
        }
        #expect(!reencryptor.archiveMayNeedReencryption(of: Sample.application))
        let directory = SealedDirectory(disk.root, keys: try keys())
        for (name, bytes) in zip(Self.files, plain) {
            #expect(disk.file(name) != bytes)
            #expect(try directory.readIntact(name, limit: 10_000) == bytes)
        }
    }

    @Test
    func `re-encrypting a link is an error if its target is not encrypted, and the link stays`()
        throws
    {
        let keys = try keys()
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("plain").write([1])
            try SealedDirectory(directory, keys: keys).createFile("sealed").write([1])
            let state = try StateDirectory.open("\(path)/state", keys: keys)
            let documents = try Directory.openOrCreate(
                "\(path)/state/Documents/\(Sample.application)")
            for name in ["plain", "sealed"] {
                #expect(symlink("\(path)/\(name)", "\(documents.path)/\(name)") == 0)
            }
            let reencryptor = Reencryptor(state)
            let files = try reencryptor.files(of: Sample.application)
            try #require(files.count == 2)
            #expect(throws: IOError(.open, path: "\(documents.path)/plain", code: ELOOP)) {
                try reencryptor.reencrypt(files[0])
            }
            #expect(try !reencryptor.reencrypt(files[1]))
            for name in ["plain", "sealed"] {
                #expect(try documents.entryStatus(of: name)?.kind == .link)
            }
        }
    }
}
