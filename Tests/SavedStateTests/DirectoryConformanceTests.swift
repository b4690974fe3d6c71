import Encryption
import Glibc
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

/// Requirements of ``DirectoryProtocol``, tested with real, encrypted and simulated directories.
@Suite struct DirectoryConformanceTests {
    /// Implementations of ``DirectoryProtocol``.
    enum FileSystem: CaseIterable {
        case real, simulated, sealed

        /// Runs a body with a new empty directory.
        func withDirectory(_ body: (any DirectoryProtocol) throws -> Void) throws {
            switch self {
            case .real:
                try withScratchDirectory { path in try body(try Directory.openOrCreate(path)) }
            case .simulated: try body(SimulatedDisk().root)
            case .sealed:
                let keys = EncryptionKeys(sealing: try EncryptionKey(Array(1...32)))
                try withScratchDirectory { path in
                    try body(SealedDirectory(try Directory.openOrCreate(path), keys: keys))
                }
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `missing files and directories are reported, and nothing is created`(system: FileSystem)
        throws
    {
        try system.withDirectory { (directory) throws in
            #expect(try directory.openSubdirectory("below") == nil)
            #expect(try directory.read("file", limit: 10) == nil)
            #expect(try directory.openForAppending("file") == nil)
            #expect(try directory.status(of: "file") == nil)
            #expect(try directory.status(of: "below/file") == nil)
            #expect(try !directory.remove("file"))
            #expect(try directory.names().isEmpty)
            let missing = IOError(.rename, path: "\(directory.path)/file", code: ENOENT)
            #expect(throws: missing) { try directory.rename("file", to: "other") }
            #expect(throws: missing) { try directory.exchange("file", with: "other") }
            #expect(throws: IOError(.create, path: "\(directory.path)/below/file", code: ENOENT)) {
                try directory.createFile("below/file")
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file is created once, and every write goes to its end`(
        system: FileSystem
    ) throws {
        try system.withDirectory { (directory) throws in
            let file = try directory.createFile("file")
            #expect(try file.read(upTo: 8).isEmpty)
            try file.write([1, 2])
            #expect(throws: IOError(.create, path: "\(directory.path)/file", code: EEXIST)) {
                try directory.createFile("file")
            }
            try #require(try directory.openForAppending("file")).write([3])
            try file.write([4])
            try file.write([])
            #expect(try directory.read("file", limit: 4) == [1, 2, 3, 4])
            #expect(throws: IOError(.read, path: "\(directory.path)/file", code: EFBIG)) {
                try directory.read("file", limit: 3)
            }
            try file.synchronize()
            try file.synchronizeData()
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `an open file is read from its start, up to the requested length or its end`(
        system: FileSystem
    ) throws {
        try system.withDirectory { (directory) throws in
            let file = try directory.createFile("file")
            try file.write([1, 2, 3])
            #expect(try file.read(upTo: 0).isEmpty)
            #expect(try file.read(upTo: 2) == [1, 2])
            #expect(try file.read(upTo: 3) == [1, 2, 3])
            #expect(try file.read(upTo: 100) == [1, 2, 3])
            // Reading does not move the write position: bytes are still written at the end.
            try file.write([4])
            #expect(try file.read(upTo: 100) == [1, 2, 3, 4])
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a truncated file grows from its new end, and an extended file contains zeros`(
        system: FileSystem
    ) throws {
        try system.withDirectory { (directory) throws in
            let file = try directory.createFile("file")
            try file.write([1, 2, 3, 4])
            try file.truncate(to: 1)
            #expect(try file.status().size == 1)
            try file.write([5])
            #expect(try directory.read("file", limit: 9) == [1, 5])
            try file.truncate(to: 4)
            #expect(try directory.read("file", limit: 9) == [1, 5, 0, 0])
            try file.write([6])
            #expect(try file.read(upTo: 9) == [1, 5, 0, 0, 6])
            try file.truncate(to: 0)
            #expect(try directory.read("file", limit: 0) == [])
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file that can be overwritten still grows at its end`(system: FileSystem) throws {
        try system.withDirectory { (directory) throws in
            let file = try directory.createFile("file")
            try file.write([1, 2, 3])
            #expect(file.canOverwrite == (system != .sealed))
            guard file.canOverwrite else {
                #expect(throws: IOError(.write, path: "\(directory.path)/file", code: EOPNOTSUPP)) {
                    try file.write([4], at: 1)
                }
                #expect(try directory.read("file", limit: 9) == [1, 2, 3])
                return
            }
            try file.write([4], at: 1)
            #expect(try directory.read("file", limit: 9) == [1, 4, 3])
            try file.write([5, 6], at: 2)
            try file.write([7])
            try file.write([8], at: 0)
            try file.write([9])
            #expect(try directory.read("file", limit: 9) == [8, 4, 5, 6, 7, 9])
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file has the same length and identity by descriptor and by name`(
        system: FileSystem
    ) throws {
        try system.withDirectory { (directory) throws in
            let file = try directory.createFile("file")
            try file.write([1, 2, 3])
            let status = try file.status()
            #expect(status.size == 3)
            #expect(status.linkCount == 1)
            #expect(status.mode == S_IFREG | 0o600)
            #expect(try directory.status(of: "file") == status)
            var entry = try #require(try directory.entryStatus(of: "file"))
            #expect(entry.modificationTime != nil)
            entry.modificationTime = status.modificationTime
            #expect(entry == status)
            #expect(try directory.entryStatus(of: "nothing") == nil)
            try directory.createFile("other").write([1, 2, 3])
            let other = try #require(try directory.status(of: "other"))
            #expect(!status.isSameFile(as: other))
            try file.write([4])
            #expect(try file.status().isSameFile(as: status))
            _ = try directory.openOrCreateSubdirectory("below")
            #expect(try directory.status(of: "below")?.mode == S_IFDIR | 0o700)
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `an open file that lost its name has no links, and can still be used`(
        system: FileSystem
    ) throws {
        try system.withDirectory { (directory) throws in
            let removed = try directory.createFile("removed")
            #expect(try directory.remove("removed"))
            #expect(try removed.status().linkCount == 0)
            try removed.write([1])
            #expect(try removed.read(upTo: 9) == [1])
            #expect(try directory.names().isEmpty)

            let replaced = try directory.createFile("file")
            let new = try directory.createFile("new")
            try directory.rename("new", to: "file")
            #expect(try replaced.status().linkCount == 0)
            #expect(try new.status().linkCount == 1)
            #expect(try directory.status(of: "file")?.isSameFile(as: new.status()) == true)
            // The open file is not the file that now has its name.
            try replaced.write([2])
            #expect(try directory.read("file", limit: 9) == [])
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `an exchange swaps two names, and open files remain the same files`(
        system: FileSystem
    ) throws {
        try system.withDirectory { (directory) throws in
            let first = try directory.createFile("first")
            try first.write([1])
            try directory.createFile("second").write([2])
            try directory.exchange("first", with: "second")
            try first.write([3])
            #expect(try directory.read("first", limit: 9) == [2])
            #expect(try directory.read("second", limit: 9) == [1, 3])
            #expect(try first.status().linkCount == 1)
            #expect(try directory.names() == ["first", "second"])
            try directory.exchange("first", with: "first")
            #expect(throws: IOError(.rename, path: "\(directory.path)/first", code: ENOENT)) {
                try directory.exchange("first", with: "third")
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a rename replaces the file with the new name, even in another directory`(
        system: FileSystem
    ) throws {
        try system.withDirectory { (directory) throws in
            try directory.createFile("file").write([1])
            let below = try directory.openOrCreateSubdirectory("below")
            #expect(below.path == "\(directory.path)/below")
            try below.writeNewFile("other", [4])
            #expect(try directory.openOrCreateSubdirectory("below").names() == ["other"])
            #expect(try directory.names() == ["below", "file"])
            try directory.rename("file", to: "file")
            try directory.rename("file", to: "below/other")
            #expect(try directory.names() == ["below"])
            #expect(try directory.openSubdirectory("below")?.read("other", limit: 9) == [1])
            #expect(try directory.status(of: "below/other")?.linkCount == 1)
            try below.synchronize()
            try directory.synchronize()
            #expect(try below.remove("other"))
            #expect(try below.names().isEmpty)
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file is not a directory, and a directory is not a file`(system: FileSystem) throws {
        try system.withDirectory { (directory) throws in
            try directory.createFile("file").write([1])
            _ = try directory.openOrCreateSubdirectory("below")
            let notDirectory = IOError(
                .openDirectory, path: "\(directory.path)/file", code: ENOTDIR)
            #expect(throws: notDirectory) { try directory.openSubdirectory("file") }
            #expect(throws: notDirectory) { try directory.openOrCreateSubdirectory("file") }
            #expect(throws: IOError(.read, path: "\(directory.path)/below", code: EINVAL)) {
                try directory.read("below", limit: 9)
            }
            #expect(throws: IOError(.open, path: "\(directory.path)/below", code: EISDIR)) {
                try directory.openForAppending("below")
            }
            #expect(throws: IOError(.remove, path: "\(directory.path)/below", code: EISDIR)) {
                try directory.remove("below")
            }
            #expect(throws: IOError(.rename, path: "\(directory.path)/file", code: EISDIR)) {
                try directory.rename("file", to: "below")
            }
            #expect(throws: IOError(.rename, path: "\(directory.path)/below", code: ENOTDIR)) {
                try directory.rename("below", to: "file")
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `names are sorted by their bytes`(system: FileSystem) throws {
        try system.withDirectory { (directory) throws in
            for name in ["é", "z", "10", "9", "E"] { _ = try directory.createFile(name) }
            #expect(try directory.names() == ["10", "9", "E", "z", "é"])
        }
    }
}
