import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import SavedState

/// Tests of the history and the quarantine in a real file system, with names that other programs choose.
@Suite struct NumberedFileDirectoryTests {
    private let archive = Sample.log([Sample.first], published: 6)

    private func location(below directory: Directory) -> ArchiveLocation {
        ArchiveLocation(
            of: Sample.application, below: directory, maximumFileBytes: 1 << 20, launchGuard: nil)
    }

    @Test(arguments: [
        "../data.archive", "../quarantine/000001-main.archive", "000001-main.archive\0",
        "000001-main.archive\0x", "", ".", "..",
    ])
    func `a name that is not listed finds no file and deletes no file`(name: String) throws {
        try withScratchDirectory { path in
            let base = try Directory.openOrCreate(path)
            try base.createFile("data.archive").write(archive)
            let quarantine = try NumberedFileDirectory(.quarantine, in: base)
            let (stored, _) = try quarantine.store(archive, as: "main.archive", because: "A test.")
            #expect(stored == "000001-main.archive")
            let location = location(below: base)
            #expect(try quarantine.contents(of: stored, at: location) != nil)
            #expect(try quarantine.contents(of: name, at: location) == nil)
            #expect(try !quarantine.delete(name))
            #expect(try quarantine.list().map(\.name) == [stored])
            #expect(try base.names() == ["data.archive", "quarantine"])
        }
    }

    /// Writes a file with a modification time.
    private func write(
        _ text: String, to name: String, in directory: Directory, time: Int64
    ) throws {
        let file = try directory.createFile(name)
        try file.write(Array(text.utf8))
        try file.setModificationTime(time)
    }

    @Test func `a reason sets the time of its file; without one, only a generation has a time`()
        throws
    {
        try withScratchDirectory { path in
            let base = try Directory.openOrCreate(path)
            let history = try base.openOrCreateSubdirectory("history")
            try write("a", to: "000001.archive", in: history, time: 1_000_000)
            try write("a test\n", to: "000001.archive.reason", in: history, time: 2_000_000)
            try write("a", to: "000002.archive", in: history, time: 3_000_000)
            let quarantine = try base.openOrCreateSubdirectory("quarantine")
            try write("a", to: "000001-main.archive", in: quarantine, time: 4_000_000)
            try write(
                "A test.\n", to: "000001-main.archive.reason", in: quarantine, time: 5_000_000)
            try write("a", to: "000002-main.archive", in: quarantine, time: 6_000_000)
            #expect(
                try NumberedFileDirectory(.history, in: base).list().map(\.time)
                    == [2_000_000, 3_000_000])
            #expect(
                try NumberedFileDirectory(.quarantine, in: base).list().map(\.time)
                    == [5_000_000, nil])
        }
    }

    @Test func `a reason that is a symbolic link is not read`() throws {
        try withScratchDirectory { path in
            let base = try Directory.openOrCreate(path)
            try base.createFile("secret").write(Array("secret\n".utf8))
            let quarantine = try NumberedFileDirectory(.quarantine, in: base)
            for _ in 1...2 { try quarantine.store([1], as: "x", because: "A test.") }
            let reason = "\(path)/quarantine/000001-x.reason"
            try #require(unlink(reason) == 0 && symlink("../secret", reason) == 0)
            #expect(try quarantine.list().map(\.reason) == [nil, "A test."])
        }
    }

    @Test(
        arguments: [
            ("000001-a.txt", "a.txt"), ("000001-a.txt.reason", nil), ("notes-a.txt", nil),
            ("000002", nil), ("000003-main.archive", nil), ("000004-folder", nil),
            ("000005-link", nil), ("000006-a-b", "a-b"), ("000009-missing", nil),
            ("../quarantine/000001-a.txt", nil),
        ] as [(String, String?)])
    func `only a numbered file that is not an archive is a quarantined document`(
        file: String, name: String?
    ) throws {
        try withScratchDirectory { path in
            let base = try Directory.openOrCreate(path)
            let directory = try base.openOrCreateSubdirectory("quarantine")
            for name in [
                "000001-a.txt", "000001-a.txt.reason", "notes-a.txt", "000002",
                "000003-main.archive", "000006-a-b",
            ] {
                try directory.createFile(name).write([1, 2])
            }
            _ = try directory.openOrCreateSubdirectory("000004-folder")
            try #require(symlink("000001-a.txt", "\(path)/quarantine/000005-link") == 0)
            let quarantine = try NumberedFileDirectory(.quarantine, in: base)
            let document = try quarantine.document(in: file, limit: 10)
            #expect(document?.name == name)
            #expect(document?.bytes == (name == nil ? nil : [1, 2]))
        }
    }
}
