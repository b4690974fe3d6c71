import Glibc
import LinuxIO
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import SavedState

/// Tests of entries that replace an archive's file.
@Suite struct ExternalChangeDetectorTests {
    /// Returns an archive whose file has been replaced by a symbolic link.
    private func archive(below path: String, linkedTo target: String) throws -> ApplicationArchive {
        let archive = try StateDirectory.open(path).archive(of: Sample.application)
        _ = try archive.load()
        try archive.append(Sample.first)
        let file = "\(path)/\(Sample.file)"
        try #require(unlink(file) == 0)
        try #require(symlink(target, file) == 0)
        return archive
    }

    @Test(arguments: ["data.archive", "nowhere"])
    func `L4: a symbolic link to itself or to nothing is unusable in place of an archive`(
        target: String
    ) throws {
        try withScratchDirectory { path in
            let archive = try archive(below: path, linkedTo: target)
            guard case .unusable(let reason, _) = try archive.check(readingContents: false) else {
                Issue.record("it is not unusable")
                return
            }
            #expect(reason == "it is a symbolic link whose target does not exist")
        }
    }

    @Test func `a symbolic link to a path below a file is an error at an archive's path`() throws {
        try withScratchDirectory { path in
            try #require(try Directory.open(path)).createFile("file").write([1])
            let archive = try archive(below: path, linkedTo: "\(path)/file/below")
            let error = #expect(throws: IOError.self) { try archive.check(readingContents: false) }
            #expect(error?.code == ENOTDIR)
            #expect(error?.operation == .status)
        }
    }

    @Test func `L4: a file that is replaced while it is read does not count as an archive`()
        throws
    {
        let foreign = Sample.log([Sample.first, Sample.third], published: 9)
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        try directory.remove("data.archive")
        disk.put(foreign, at: Sample.file)
        disk.put(foreign, at: "\(Sample.directory)/copy")
        guard case .replaced = try archive.check(readingContents: true) else {
            Issue.record("it is not taken for an archive")
            return
        }
        // The file is opened and then read.
        let reads = Mutex(0)
        disk.setGate { kind in
            if kind == .read { reads.withLock { $0 += 1 } }
            guard kind == .status, reads.withLock({ $0 }) == 2 else { return true }
            disk.setGate(nil)
            #expect(throws: Never.self) { try directory.rename("copy", to: "data.archive") }
            return true
        }
        guard case .unusable(let reason, _) = try archive.check(readingContents: true) else {
            Issue.record("it is taken for an archive")
            return
        }
        #expect(reason == "it changed while it was being read")
    }
}
