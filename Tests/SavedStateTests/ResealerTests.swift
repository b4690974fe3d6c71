import Encryption
import Glibc
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

@testable import SavedState

/// Tests of the task that finds all files that the current key did not encrypt, and re-encrypts them.
@Suite struct ResealerTests {
    /// Files of the application, in the order in which they are re-encrypted.
    private static let files =
        [
            "data.archive", "history/000001.archive", "history/000001.archive.reason",
            "history/000002.archive", "history/000002.archive.reason",
            "quarantine/000001-main.archive", "quarantine/000001-main.archive.reason",
        ].map { "\(Sample.folder)/\($0)" }
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
        let resealing = Resealer(try StateDirectory(locked: disk.root, keys: try keys(), pid: 1))
        #expect(try resealing.applications().count == 2)
    }

    @Test func `every file of an application is re-encrypted once`() throws {
        let disk = try disk()
        let plain = Self.files.map { disk.file($0) }
        #expect(!plain.contains(nil))
        let resealing = Resealer(
            try StateDirectory(locked: disk.root, keys: try keys(), pid: 1))
        #expect(try resealing.applications() == [Sample.application, "other"])
        let files = try resealing.files(of: Sample.application)
        #expect(Set(files.map(\.path)) == Set(Self.files.map { "/state/\($0)" }))
        #expect(files.filter(\.isArchive).map(\.path) == ["/state/\(Sample.file)"])
        #expect(try resealing.files(of: "other").map(\.path) == ["/state/Documents/other/only"])
        #expect(resealing.archiveMayBeOutdated(of: Sample.application))
        for file in files {
            #expect(try resealing.isOutdated(file))
            #expect(try resealing.reseal(file))
            #expect(try !resealing.isOutdated(file))
            #expect(try !resealing.reseal(file))
        }
        #expect(!resealing.archiveMayBeOutdated(of: Sample.application))
        let folder = SealedFolder(disk.root, keys: try keys())
        for (name, bytes) in zip(Self.files, plain) {
            #expect(disk.file(name) != bytes)
            #expect(try folder.readIntact(name, limit: 10_000) == bytes)
        }
    }

    @Test
    func `re-encrypting a link is an error if its target is not encrypted, and the link stays`()
        throws
    {
        let keys = try keys()
        try withScratchFolder { path in
            let folder = try Directory.openOrMake(path)
            try folder.createFile("plain").write([1])
            try SealedFolder(folder, keys: keys).createFile("sealed").write([1])
            let state = try StateDirectory.open("\(path)/state", keys: keys)
            let documents = try Directory.openOrMake(
                "\(path)/state/Documents/\(Sample.application)")
            for name in ["plain", "sealed"] {
                #expect(symlink("\(path)/\(name)", "\(documents.path)/\(name)") == 0)
            }
            let resealing = Resealer(state)
            let files = try resealing.files(of: Sample.application)
            try #require(files.count == 2)
            #expect(throws: IOError(.open, path: "\(documents.path)/plain", code: ELOOP)) {
                try resealing.reseal(files[0])
            }
            #expect(try !resealing.reseal(files[1]))
            for name in ["plain", "sealed"] {
                #expect(try documents.entryStatus(of: name)?.kind == .link)
            }
        }
    }
}
