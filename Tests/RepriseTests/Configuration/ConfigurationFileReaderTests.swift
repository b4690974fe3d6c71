import Glibc
import TestSupport
import Testing

@testable import Reprise

/// Requirements for every implementation of `ConfigurationFileReader`, checked for the local files and the files in memory.
@Suite struct ConfigurationFileReaderTests {
    private func reason(_ body: () throws(FileReadError) -> Void) -> FileReadError.Reason? {
        do {
            try body()
            return nil
        } catch {
            return error.reason
        }
    }

    private func check(_ files: some ConfigurationFileReader, directory: String) throws {
        #expect(try files.read("\(directory)/a.yaml", limit: 5) == Array("hello".utf8))
        #expect(try files.read("\(directory)/b/empty", limit: 5) == [])
        #expect(try files.names(in: directory).sorted() == [".hidden", "a.yaml", "b"])
        #expect(try files.names(in: "\(directory)/b") == ["empty"])

        let tooLarge = FileReadError.Reason.tooLarge(limit: 4)
        #expect(throws: FileReadError(path: "\(directory)/a.yaml", reason: tooLarge)) {
            try files.read("\(directory)/a.yaml", limit: 4)
        }
        #expect(throws: FileReadError(path: "\(directory)/none", reason: .missing)) {
            try files.read("\(directory)/none", limit: 5)
        }
        #expect(throws: FileReadError(path: "\(directory)/a.yaml/c", reason: .missing)) {
            try files.read("\(directory)/a.yaml/c", limit: 5)
        }
        #expect(throws: FileReadError(path: "\(directory)/b", reason: .isDirectory)) {
            try files.read("\(directory)/b", limit: 5)
        }
        #expect(throws: FileReadError(path: "\(directory)/none", reason: .missing)) {
            try files.names(in: "\(directory)/none")
        }
        #expect(throws: FileReadError(path: "\(directory)/a.yaml", reason: .notDirectory)) {
            try files.names(in: "\(directory)/a.yaml")
        }
    }

    @Test func `local files satisfy the contract`() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("a.yaml", "hello")
        try scratch.write("b/empty", "")
        try scratch.write(".hidden", "x")
        try check(LocalConfigurationFileReader(), directory: scratch.path)
    }

    @Test func `in-memory files satisfy the contract`() throws {
        let files = MemoryConfigurationFileReader([
            "/scratch/a.yaml": "hello", "/scratch/b/empty": "", "/scratch/.hidden": "x",
        ])
        try check(files, directory: "/scratch")
    }

    @Test func `a file larger than one read is read completely`() throws {
        let scratch = try ScratchDirectory()
        let text = String(repeating: "0123456789abcdef", count: 5000)
        try scratch.write("large", text)
        let bytes = try LocalConfigurationFileReader().read("\(scratch.path)/large", limit: 80_000)
        #expect(bytes == Array(text.utf8))
    }

    @Test func `a pipe is refused without waiting for a writer`() throws {
        let scratch = try ScratchDirectory()
        #expect(mkfifo("\(scratch.path)/pipe", 0o600) == 0)
        #expect(
            reason { () throws(FileReadError) in
                _ = try LocalConfigurationFileReader().read("\(scratch.path)/pipe", limit: 1)
            } == .notRegularFile)
    }

    @Test func `a system error is reported with its errno`() throws {
        let scratch = try ScratchDirectory()
        #expect(symlink("loop", "\(scratch.path)/loop") == 0)
        let path = "\(scratch.path)/loop"
        let error = FileReadError(path: path, reason: .system(errno: ELOOP))
        #expect(throws: error) { try LocalConfigurationFileReader().read(path, limit: 1) }
        #expect(
            error.description
                == "\(path) cannot be read (Too many levels of symbolic links): "
                + "fix this, or specify another file.")
    }

    @Test func `a file larger than its reported size is refused above the limit`() throws {
        let path = "/proc/self/maps"
        let error = FileReadError(path: path, reason: .tooLarge(limit: 16))
        #expect(throws: error) { try LocalConfigurationFileReader().read(path, limit: 16) }
    }

    @Test(
        arguments: [
            (
                FileReadError.Reason.missing,
                "/f does not exist: create it, or specify another file."
            ),
            (.isDirectory, "/f is a directory: specify a file."),
            (.notRegularFile, "/f is not a regular file: replace it, or specify another file."),
            (
                .notDirectory,
                "/f is not a directory: replace it with a directory of drop-ins, or remove it."
            ),
            (.tooLarge(limit: 9), "/f has more than 9 bytes: make it smaller or split it."),
            (
                .system(errno: EACCES),
                "/f cannot be read (Permission denied): "
                    + "allow the daemon's user to read it."
            ),
        ])
    func `each error states the problem and the remedy`(
        reason: FileReadError.Reason, sentence: String
    ) {
        #expect(FileReadError(path: "/f", reason: reason).description == sentence)
    }

    @Test
    func `a file that was read in advance keeps its contents, and other files are read on demand`()
        throws
    {
        let scratch = try ScratchDirectory()
        let names = ["main", "drop-in", "other"]
        for name in names { try scratch.write(name, "old") }
        let files = try PreloadedConfigurationFileReader(
            ["", "a\0b", scratch.file("main"), scratch.file("drop-in")], of: "jobs")
        for name in names { try scratch.write(name, "new") }
        let texts = try names.map {
            String(decoding: try files.read(scratch.file($0), limit: 3), as: UTF8.self)
        }
        #expect(texts == ["old", "old", "new"])
        let missing = FileReadError(path: scratch.file("none"), reason: .missing)
        #expect(throws: ConfigurationError.unreadable(missing)) {
            try PreloadedConfigurationFileReader([scratch.file("none")], of: "jobs")
        }
    }

    @Test
    func `a file that was read in advance has no drop-ins if their directory cannot be listed`()
        async throws
    {
        let scratch = try ScratchDirectory()
        let directories = ["a", "b", "c"].map { scratch.file("\($0)/jobs.d") }
        for name in ["a", "b", "c"] { try scratch.write("\(name)/jobs.yaml", "") }
        #expect(chmod(scratch.path, 0o755) == 0)
        for directory in directories { #expect(mkdir(directory, 0) == 0) }
        defer { for directory in directories { chmod(directory, 0o700) } }
        // The permissions do not apply to root.
        _ = await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            if getuid() == 0 { try #require(setuid(65_534) == 0) }
            let files = try PreloadedConfigurationFileReader(
                ["a", "b"].map { "\(path)/\($0)/jobs.yaml" }, of: "jobs")
            for name in ["a", "b"] {
                #expect(try files.names(in: "\(path)/\(name)/jobs.d") == [])
            }
            let refusal = FileReadError(
                path: "\(path)/c/jobs.d", reason: .system(errno: EACCES))
            #expect(throws: refusal) { try files.names(in: "\(path)/c/jobs.d") }
        }
    }
}
