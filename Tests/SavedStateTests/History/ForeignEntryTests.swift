import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import SavedState

/// Tests of entries that an operator or another program has created next to archives, on a real file system.
@Suite struct ForeignEntryTests {
    /// Creates a closed archive with saved state below a path.
    private func saved(below path: String) throws -> String {
        let archive = try StateDirectory.open(path).archive(of: Sample.application)
        _ = try archive.load()
        try archive.append(Sample.first)
        try archive.close()
        return "\(path)/\(Sample.directory)"
    }

    private func archive(below path: String) throws -> ApplicationArchive {
        try StateDirectory.open(path).archive(of: Sample.application)
    }

    @Test func `quarantine lists entries of every kind and does not wait for a FIFO`() throws {
        try withScratchDirectory { path in
            let directory = try saved(below: path)
            let quarantine = "\(directory)/quarantine"
            let opened = try Directory.openOrCreate(quarantine)
            try opened.createFile("000001-long").write([1])
            try opened.createFile("000001-long.reason").write(
                Array(repeating: UInt8(ascii: "x"), count: 1 << 20))
            try opened.createFile("000002-fifo-reason").write([1])
            #expect(mkfifo("\(quarantine)/000002-fifo-reason.reason", 0o600) == 0)
            try opened.createFile("000003-loop-reason").write([1])
            let loop = "\(quarantine)/000003-loop-reason.reason"
            #expect(symlink(loop, loop) == 0)
            #expect(mkdir("\(quarantine)/000004-folder", 0o700) == 0)
            #expect(mkfifo("\(quarantine)/000005-fifo", 0o600) == 0)
            #expect(symlink("../data.archive", "\(quarantine)/000006-link") == 0)
            #expect(symlink("nowhere", "\(quarantine)/000007-link") == 0)

            let archive = try archive(below: path)
            let listed = try archive.quarantinedFiles()
            #expect(listed.map(\.kind) == [.file, .file, .file, .directory, .other, .link, .link])
            #expect(listed.first?.reason?.utf8.count == 4096 + "…".utf8.count)
            #expect(listed.dropFirst().allSatisfy { $0.reason == nil })
            for entry in listed.dropFirst(3) {
                let error = StoredStateError.notAFile(path: entry.path, kind: entry.kind)
                #expect(throws: error) { try archive.contents(ofQuarantinedFile: entry.name) }
            }
        }
    }

    @Test func `L5: an archive that is a symbolic link is refused, and its target is not changed`()
        throws
    {
        try withScratchDirectory { path in
            let directory = try saved(below: path)
            let file = "\(directory)/data.archive"
            #expect(rename(file, "\(path)/elsewhere") == 0)
            #expect(symlink("\(path)/elsewhere", file) == 0)
            let before = try Directory.open(path)?.read("elsewhere", limit: 1 << 20)
            let archive = try archive(below: path)
            #expect(throws: LoadError.link(path: file)) { try archive.load() }
            #expect(throws: SaveError.self) { try archive.append(Sample.second) }
            #expect(try Directory.open(path)?.read("elsewhere", limit: 1 << 20) == before)
            #expect(try Directory.open(directory)?.entryStatus(of: "data.archive")?.kind == .link)
            #expect(LoadError.link(path: file).description.contains("symbolic link"))
        }
    }

    @Test(arguments: ["/data.archive", ""])
    func `L5: a dangling symbolic link is refused and does not count as empty state`(
        name: String
    ) throws {
        try withScratchDirectory { path in
            let directory = try saved(below: path)
            #expect(rename(directory, "\(path)/elsewhere") == 0)
            if !name.isEmpty { #expect(mkdir(directory, 0o700) == 0) }
            #expect(symlink("\(path)/nowhere", directory + name) == 0)
            let archive = try archive(below: path)
            #expect(throws: LoadError.self) { try archive.load() }
            #expect(throws: SaveError.self) { try archive.append(Sample.second) }
            #expect(try Directory.open(path)?.entryStatus(of: "nowhere") == nil)
            #expect(unlink(directory + name) == 0)
            if !name.isEmpty { #expect(rmdir(directory) == 0) }
            #expect(rename("\(path)/elsewhere", directory) == 0)
            #expect(try archive.load() == .loaded(isClosed: true, tornTail: nil))
        }
    }

    @Test func `L2: a stamp that is a symbolic link is reported, and its target is not changed`()
        throws
    {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate("\(path)/state")
            try directory.createFile("precious").write([1, 2, 3])
            #expect(symlink("precious", "\(path)/state/stamp") == 0)
            let opened = try StateDirectory.open("\(path)/state")
            let error = IOError(.open, path: "\(path)/state/stamp", code: ELOOP)
            #expect(opened.launchGuard.consumeProblems() == [.eventsNotStored(error)])
            #expect(try directory.read("precious", limit: 8) == [1, 2, 3])
            #expect("\(error)".contains("move the existing file or directory out of the way"))
        }
    }

    @Test func `L2: other hard links to the launch files keep their contents`() throws {
        try withScratchDirectory { path in
            let state = try Directory.openOrCreate("\(path)/state")
            try state.createFile("precious").write([1, 2, 3])
            #expect(link("\(path)/state/precious", "\(path)/state/stamp") == 0)
            let opened = try StateDirectory.open("\(path)/state")
            #expect(opened.launchGuard.consumeProblems().isEmpty)
            #expect(try state.read("precious", limit: 8) == [1, 2, 3])
            #expect(link("\(path)/state/launches", "\(path)/state/snapshot") == 0)
            let before = try state.read("snapshot", limit: 1 << 20)
            let scene = SceneKey(application: "org.example", scene: "main")
            for _ in 0..<2 {
                opened.launchGuard.beginLaunch(
                    of: scene, reason: "restore", stage: "launch-begin",
                    identity: ProgramIdentity(
                        version: "1", storyboardFingerprint: 2, executableChecksum: 3))
            }
            #expect(opened.launchGuard.consumeProblems().isEmpty)
            #expect(try state.read("snapshot", limit: 1 << 20) == before)
            #expect(try state.read("launches", limit: 1 << 20) != before)
        }
    }

    @Test func `a directory that is a symbolic link is followed`() throws {
        try withScratchDirectory { path in
            let directory = try saved(below: path)
            #expect(rename(directory, "\(path)/elsewhere") == 0)
            #expect(symlink("\(path)/elsewhere", directory) == 0)
            let archive = try archive(below: path)
            #expect(try archive.load() == .loaded(isClosed: true, tornTail: nil))
            try archive.append(Sample.second)
            #expect(try Directory.open(path)?.read("elsewhere/data.archive", limit: 1 << 20) != nil)
        }
    }
}
