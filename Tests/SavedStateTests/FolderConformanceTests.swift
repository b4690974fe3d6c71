import Glibc
import LinuxIO
import Testing

/// What every ``Folder`` must do, run over the real one and the one that the tests use.
@Suite struct FolderConformanceTests {
    private func check(_ folder: some Folder) throws {
        #expect(try folder.subfolder("below") == nil)
        #expect(try folder.read("file", limit: 10) == nil)
        #expect(try folder.openForAppending("file") == nil)
        #expect(try !folder.remove("file"))

        try folder.createFile("file").write([1, 2])
        #expect(throws: IOError(.create, path: "\(folder.path)/file", code: EEXIST)) {
            try folder.createFile("file")
        }
        try #require(try folder.openForAppending("file")).write([3])
        #expect(try folder.read("file", limit: 3) == [1, 2, 3])
        #expect(throws: IOError(.read, path: "\(folder.path)/file", code: EFBIG)) {
            try folder.read("file", limit: 2)
        }

        let below = try folder.makeSubfolder("below")
        #expect(below.path == "\(folder.path)/below")
        try below.writeNew("other", [4])
        #expect(try folder.makeSubfolder("below").names() == ["other"])
        #expect(try folder.names() == ["below", "file"])
        #expect(throws: IOError(.openFolder, path: "\(folder.path)/file", code: ENOTDIR)) {
            try folder.subfolder("file")
        }

        try folder.rename("file", to: "below/other")
        #expect(try folder.names() == ["below"])
        #expect(try folder.subfolder("below")?.read("other", limit: 9) == [1, 2, 3])
        #expect(throws: IOError(.rename, path: "\(folder.path)/file", code: ENOENT)) {
            try folder.rename("file", to: "below/other")
        }
        try below.synchronize()
        try folder.synchronize()
        #expect(try below.remove("other"))
        #expect(try below.names().isEmpty)
    }

    @Test func `the real folder`() throws {
        try withScratchFolder { path in try check(try Directory.openOrMake(path)) }
    }

    @Test func `the folder in memory`() throws {
        try check(MemoryDisk().root)
    }

    @Test func `a power cut takes from the memory disk what was not made durable`() throws {
        let disk = MemoryDisk()
        try disk.root.writeNew("unnamed", [1])
        #expect(disk.copy(afterPowerCut: true).file("unnamed") == nil)
        try disk.root.createFile("empty").write([1])
        try disk.root.synchronize()
        #expect(disk.copy(afterPowerCut: true).file("unnamed") == [1])
        #expect(disk.copy(afterPowerCut: true).file("empty") == [])
    }
}
