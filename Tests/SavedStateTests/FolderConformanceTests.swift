import Encryption
import Glibc
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

/// Requirements of ``Folder``, tested with real, encrypted and simulated directories.
@Suite struct FolderConformanceTests {
    /// Implementations of ``Folder``.
    enum FileSystem: CaseIterable {
        case real, simulated, sealed

        /// Runs a body with a new empty directory.
        func withFolder(_ body: (any Folder) throws -> Void) throws {
            switch self {
            case .real: try withScratchFolder { path in try body(try Directory.openOrMake(path)) }
            case .simulated: try body(SimulatedDisk().root)
            case .sealed:
                let keys = EncryptionKeys(sealing: try EncryptionKey(Array(1...32)))
                try withScratchFolder { path in
                    try body(SealedFolder(try Directory.openOrMake(path), keys: keys))
                }
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `missing files and directories are reported, and nothing is created`(system: FileSystem)
        throws
    {
        try system.withFolder { (folder) throws in
            #expect(try folder.subfolder("below") == nil)
            #expect(try folder.read("file", limit: 10) == nil)
            #expect(try folder.openForAppending("file") == nil)
            #expect(try folder.status(of: "file") == nil)
            #expect(try folder.status(of: "below/file") == nil)
            #expect(try !folder.remove("file"))
            #expect(try folder.names().isEmpty)
            let missing = IOError(.rename, path: "\(folder.path)/file", code: ENOENT)
            #expect(throws: missing) { try folder.rename("file", to: "other") }
            #expect(throws: missing) { try folder.exchange("file", with: "other") }
            #expect(throws: IOError(.create, path: "\(folder.path)/below/file", code: ENOENT)) {
                try folder.createFile("below/file")
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file is created once, and every write goes to its end`(
        system: FileSystem
    ) throws {
        try system.withFolder { (folder) throws in
            let file = try folder.createFile("file")
            #expect(try file.read(upTo: 8).isEmpty)
            try file.write([1, 2])
            #expect(throws: IOError(.create, path: "\(folder.path)/file", code: EEXIST)) {
                try folder.createFile("file")
            }
            try #require(try folder.openForAppending("file")).write([3])
            try file.write([4])
            try file.write([])
            #expect(try folder.read("file", limit: 4) == [1, 2, 3, 4])
            #expect(throws: IOError(.read, path: "\(folder.path)/file", code: EFBIG)) {
                try folder.read("file", limit: 3)
            }
            try file.synchronize()
            try file.synchronizeData()
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `an open file is read from its start, up to the requested length or its end`(
        system: FileSystem
    ) throws {
        try system.withFolder { (folder) throws in
            let file = try folder.createFile("file")
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
        try system.withFolder { (folder) throws in
            let file = try folder.createFile("file")
            try file.write([1, 2, 3, 4])
            try file.truncate(to: 1)
            #expect(try file.status().size == 1)
            try file.write([5])
            #expect(try folder.read("file", limit: 9) == [1, 5])
            try file.truncate(to: 4)
            #expect(try folder.read("file", limit: 9) == [1, 5, 0, 0])
            try file.write([6])
            #expect(try file.read(upTo: 9) == [1, 5, 0, 0, 6])
            try file.truncate(to: 0)
            #expect(try folder.read("file", limit: 0) == [])
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file that can be overwritten still grows at its end`(system: FileSystem) throws {
        try system.withFolder { (folder) throws in
            let file = try folder.createFile("file")
            try file.write([1, 2, 3])
            #expect(file.canOverwrite == (system != .sealed))
            guard file.canOverwrite else {
                #expect(throws: IOError(.write, path: "\(folder.path)/file", code: EOPNOTSUPP)) {
                    try file.write([4], at: 1)
                }
                #expect(try folder.read("file", limit: 9) == [1, 2, 3])
                return
            }
            try file.write([4], at: 1)
            #expect(try folder.read("file", limit: 9) == [1, 4, 3])
            try file.write([5, 6], at: 2)
            try file.write([7])
            try file.write([8], at: 0)
            try file.write([9])
            #expect(try folder.read("file", limit: 9) == [8, 4, 5, 6, 7, 9])
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file has the same length and identity by descriptor and by name`(
        system: FileSystem
    ) throws {
        try system.withFolder { (folder) throws in
            let file = try folder.createFile("file")
            try file.write([1, 2, 3])
            let status = try file.status()
            #expect(status.size == 3)
            #expect(status.linkCount == 1)
            #expect(status.mode == S_IFREG | 0o600)
            #expect(try folder.status(of: "file") == status)
            var entry = try #require(try folder.entryStatus(of: "file"))
            #expect(entry.modificationTime != nil)
            entry.modificationTime = status.modificationTime
            #expect(entry == status)
            #expect(try folder.entryStatus(of: "nothing") == nil)
            try folder.createFile("other").write([1, 2, 3])
            let other = try #require(try folder.status(of: "other"))
            #expect(!status.isSameFile(as: other))
            try file.write([4])
            #expect(try file.status().isSameFile(as: status))
            _ = try folder.makeSubfolder("below")
            #expect(try folder.status(of: "below")?.mode == S_IFDIR | 0o700)
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `an open file that lost its name has no links, and can still be used`(
        system: FileSystem
    ) throws {
        try system.withFolder { (folder) throws in
            let removed = try folder.createFile("removed")
            #expect(try folder.remove("removed"))
            #expect(try removed.status().linkCount == 0)
            try removed.write([1])
            #expect(try removed.read(upTo: 9) == [1])
            #expect(try folder.names().isEmpty)

            let replaced = try folder.createFile("file")
            let new = try folder.createFile("new")
            try folder.rename("new", to: "file")
            #expect(try replaced.status().linkCount == 0)
            #expect(try new.status().linkCount == 1)
            #expect(try folder.status(of: "file")?.isSameFile(as: new.status()) == true)
            // The open file is not the file that now has its name.
            try replaced.write([2])
            #expect(try folder.read("file", limit: 9) == [])
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `an exchange swaps two names, and open files remain the same files`(
        system: FileSystem
    ) throws {
        try system.withFolder { (folder) throws in
            let first = try folder.createFile("first")
            try first.write([1])
            try folder.createFile("second").write([2])
            try folder.exchange("first", with: "second")
            try first.write([3])
            #expect(try folder.read("first", limit: 9) == [2])
            #expect(try folder.read("second", limit: 9) == [1, 3])
            #expect(try first.status().linkCount == 1)
            #expect(try folder.names() == ["first", "second"])
            try folder.exchange("first", with: "first")
            #expect(throws: IOError(.rename, path: "\(folder.path)/first", code: ENOENT)) {
                try folder.exchange("first", with: "third")
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a rename replaces the file with the new name, even in another directory`(
        system: FileSystem
    ) throws {
        try system.withFolder { (folder) throws in
            try folder.createFile("file").write([1])
            let below = try folder.makeSubfolder("below")
            #expect(below.path == "\(folder.path)/below")
            try below.writeNew("other", [4])
            #expect(try folder.makeSubfolder("below").names() == ["other"])
            #expect(try folder.names() == ["below", "file"])
            try folder.rename("file", to: "file")
            try folder.rename("file", to: "below/other")
            #expect(try folder.names() == ["below"])
            #expect(try folder.subfolder("below")?.read("other", limit: 9) == [1])
            #expect(try folder.status(of: "below/other")?.linkCount == 1)
            try below.synchronize()
            try folder.synchronize()
            #expect(try below.remove("other"))
            #expect(try below.names().isEmpty)
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `a file is not a directory, and a directory is not a file`(system: FileSystem) throws {
        try system.withFolder { (folder) throws in
            try folder.createFile("file").write([1])
            _ = try folder.makeSubfolder("below")
            let noFolder = IOError(.openFolder, path: "\(folder.path)/file", code: ENOTDIR)
            #expect(throws: noFolder) { try folder.subfolder("file") }
            #expect(throws: noFolder) { try folder.makeSubfolder("file") }
            #expect(throws: IOError(.read, path: "\(folder.path)/below", code: EINVAL)) {
                try folder.read("below", limit: 9)
            }
            #expect(throws: IOError(.open, path: "\(folder.path)/below", code: EISDIR)) {
                try folder.openForAppending("below")
            }
            #expect(throws: IOError(.remove, path: "\(folder.path)/below", code: EISDIR)) {
                try folder.remove("below")
            }
            #expect(throws: IOError(.rename, path: "\(folder.path)/file", code: EISDIR)) {
                try folder.rename("file", to: "below")
            }
            #expect(throws: IOError(.rename, path: "\(folder.path)/below", code: ENOTDIR)) {
                try folder.rename("below", to: "file")
            }
        }
    }

    @Test(arguments: FileSystem.allCases)
    func `names are sorted by their bytes`(system: FileSystem) throws {
        try system.withFolder { (folder) throws in
            for name in ["é", "z", "10", "9", "E"] { _ = try folder.createFile(name) }
            #expect(try folder.names() == ["10", "9", "E", "z", "é"])
        }
    }
}
