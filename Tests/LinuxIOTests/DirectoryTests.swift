import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite struct DirectoryTests {
    private func permissions(_ status: FileStatus?) -> UInt32? {
        status.map { $0.mode & 0o7777 }
    }

    @Test func `a missing directory is nil, and a file in its place is an error`() throws {
        try withScratchDirectory { path in
            #expect(try Directory.open("\(path)/none") == nil)
            let directory = try #require(try Directory.open(path))
            #expect(try directory.openSubdirectory("none") == nil)
            _ = try directory.createFile("file")
            #expect(
                throws: IOError(.openDirectory, path: "\(path)/file", code: ENOTDIR)
            ) { try directory.openSubdirectory("file") }
        }
    }

    @Test func `missing directories get mode 0700, and existing directories keep their mode`()
        throws
    {
        try withScratchDirectory { path in
            #expect(chmod(path, 0o755) == 0)
            let made = try Directory.openOrCreate("\(path)/a//b/./c")
            #expect(made.path == "\(path)/a/b/c")
            let top = try #require(try Directory.open(path))
            for name in ["a", "a/b", "a/b/c"] {
                #expect(permissions(try top.status(of: name)) == 0o700)
            }
            #expect(permissions(try top.status(of: ".")) == 0o755)
            _ = try Directory.openOrCreate("\(path)/a/b")
            _ = try top.openOrCreateSubdirectory("a")
        }
    }

    @Test func `a directory detects whether its path still leads to it`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate("\(path)/a/b")
            #expect(try directory.pathStatus() == .sameDirectory)
            for (name, other) in [("a/b", "c"), ("a", "c")] {
                #expect(rename("\(path)/\(name)", "\(path)/\(other)") == 0)
                #expect(try directory.pathStatus() == .otherDirectory)
                if name == "a" {
                    #expect(symlink("c", "\(path)/a") == 0)
                    #expect(try directory.pathStatus() == .sameDirectory)
                    #expect(unlink("\(path)/a") == 0)
                    _ = try Directory.openOrCreate(path).createFile("a")
                    #expect(try directory.pathStatus() == .otherDirectory)
                    #expect(unlink("\(path)/a") == 0)
                    #expect(symlink("a", "\(path)/a") == 0)
                    #expect(try directory.pathStatus() == .otherDirectory)
                    #expect(unlink("\(path)/a") == 0)
                }
                _ = try Directory.openOrCreate("\(path)/a/b")
                #expect(try directory.pathStatus() == .otherDirectory)
                #expect(rmdir("\(path)/a/b") == 0)
                if name == "a" { #expect(rmdir("\(path)/a") == 0) }
                #expect(rename("\(path)/\(other)", "\(path)/\(name)") == 0)
                #expect(try directory.pathStatus() == .sameDirectory)
            }
            #expect(rmdir("\(path)/a/b") == 0)
            #expect(try directory.pathStatus() == .removed)
            _ = try Directory.openOrCreate("\(path)/a/b")
            #expect(try directory.pathStatus() == .removed)
        }
    }

    @Test func `the error for a directory that cannot be created contains its path`() throws {
        try withScratchDirectory { path in
            _ = try Directory.openOrCreate(path).createFile("file")
            #expect(throws: IOError(.openDirectory, path: "\(path)/file/below", code: ENOTDIR)) {
                try Directory.openOrCreate("\(path)/file/below")
            }
        }
    }

    @Test func `a created file has mode 0600 and never replaces an existing file`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("file").write([1, 2, 3])
            #expect(permissions(try directory.status(of: "file")) == 0o600)
            #expect(throws: IOError(.create, path: "\(path)/file", code: EEXIST)) {
                try directory.createFile("file")
            }
            #expect(try directory.read("file", limit: 3) == [1, 2, 3])
        }
    }

    @Test func `reading is limited, and a missing file is nil`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("file").write([UInt8](repeating: 7, count: 10_000))
            #expect(try directory.read("file", limit: 10_000)?.count == 10_000)
            #expect(throws: IOError(.read, path: "\(path)/file", code: EFBIG)) {
                try directory.read("file", limit: 9_999)
            }
            #expect(try directory.read("none", limit: 1) == nil)
            #expect(try directory.openForAppending("none") == nil)
        }
    }

    @Test func `a FIFO or directory in place of a file is an error and does not block`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            #expect(mkfifo("\(path)/fifo", 0o600) == 0)
            _ = try directory.openOrCreateSubdirectory("folder")
            for name in ["fifo", "folder"] {
                #expect(throws: IOError(.read, path: "\(path)/\(name)", code: EINVAL)) {
                    try directory.read(name, limit: 10)
                }
            }
        }
    }

    @Test func `bytes are appended at the end of a file, and truncation shortens it`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("file").write([1, 2, 3])
            let file = try #require(try directory.openForAppending("file"))
            try file.write([4, 5])
            try file.synchronizeData()
            #expect(try directory.read("file", limit: 10) == [1, 2, 3, 4, 5])
            try file.truncate(to: 2)
            #expect(try file.status().size == 2)
            try file.write([6])
            #expect(try directory.read("file", limit: 10) == [1, 2, 6])
            try directory.remove("file")
            #expect(try file.status().linkCount == 0)
        }
    }

    @Test func `a replacement leaves the new contents and no temporary file`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("left").write([0])
            try directory.replace("file", with: [1], temporaryName: "left")
            try directory.replace("file", with: [2, 3], temporaryName: "left")
            #expect(try directory.names() == ["file"])
            #expect(try directory.read("file", limit: 10) == [2, 3])
        }
    }

    @Test func `a failed replacement leaves the existing entry and no temporary file`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            _ = try directory.openOrCreateSubdirectory("name")
            #expect(throws: IOError(.rename, path: "\(path)/new", code: EISDIR)) {
                try directory.replace("name", with: [1], temporaryName: "new")
            }
            #expect(try directory.names() == ["name"])
        }
    }

    @Test func `a file can be renamed into a subdirectory and replaces the file there`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            let below = try directory.openOrCreateSubdirectory("below")
            try directory.createFile("file").write([1])
            try below.createFile("other").write([2])
            try directory.rename("file", to: "below/other")
            #expect(try below.read("other", limit: 10) == [1])
            #expect(try directory.names() == ["below"])
            #expect(throws: IOError(.rename, path: "\(path)/file", code: ENOENT)) {
                try directory.rename("file", to: "x")
            }
            #expect(try !directory.remove("file"))
        }
    }

    @Test func `names are sorted, and names that are not valid UTF-8 are left out`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            for name in ["b", "a", "ö"] { _ = try directory.createFile(name) }
            var raw = Array("\(path)/x".utf8CString)
            raw.insert(CChar(bitPattern: 0xFF), at: raw.count - 1)
            let number = open(raw, O_CREAT | O_WRONLY, 0o600)
            #expect(number >= 0)
            close(number)
            #expect(try directory.names() == ["a", "b", "ö"])
            #expect(try directory.names() == ["a", "b", "ö"])
        }
    }

    @Test func `a directory is locked only once, and closing it releases the lock`() throws {
        try withScratchDirectory { path in
            var first: Directory? = try Directory.openOrCreate(path)
            let second = try Directory.openOrCreate(path)
            #expect(try first?.lock() == true)
            #expect(try second.lock() == false)
            first = nil
            #expect(try second.lock())
        }
    }

    @Test func `descriptors are not inherited and are closed with their owner`() throws {
        try withScratchDirectory { path in
            func ours() throws -> [CInt] {
                try #require(try Directory.open("/proc/self/fd")).names().compactMap { CInt($0) }
                    .filter { number in
                        var target = [CChar](repeating: 0, count: 4096)
                        let count = readlink("/proc/self/fd/\(number)", &target, 4095)
                        return count > 0
                            && String(
                                decoding: target.prefix(count).map { UInt8(bitPattern: $0) },
                                as: UTF8.self
                            )
                            .hasPrefix(path)
                    }
            }
            do {
                let directory = try Directory.openOrCreate(path)
                let file = try directory.createFile("file")
                let open = try ours()
                #expect(open.count == 2)
                for number in open { #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0) }
                try withExtendedLifetime((directory, file)) { try file.synchronize() }
            }
            #expect(try ours().isEmpty)
        }
    }

    @Test func `a file whose length the kernel does not report is read as a whole`() throws {
        let directory = try #require(try Directory.open("/proc"))
        let whole = try #require(try File.open("/proc/version")).read(upTo: 4096)
        #expect(whole.count > 1)
        #expect(try directory.read("version", limit: 4096) == whole)
        #expect(try directory.read("version", limit: whole.count) == whole)
        #expect(throws: IOError(.read, path: "/proc/version", code: EFBIG)) {
            try directory.read("version", limit: whole.count - 1)
        }
    }

    @Test func `a directory with more entries than the limit is not listed`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            for name in ["a", "b", "c"] { _ = try directory.createFile(name) }
            for repairsInvalidUTF8 in [false, true] {
                let names = try directory.names(
                    repairsInvalidUTF8: repairsInvalidUTF8, maximumCount: 3)
                #expect(names == ["a", "b", "c"])
                #expect(throws: IOError(.list, path: path, code: EFBIG)) {
                    try directory.names(repairsInvalidUTF8: repairsInvalidUTF8, maximumCount: 2)
                }
            }
        }
    }

    @Test func `an earlier errno does not cause a listing to fail`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            for name in ["a", "b"] { _ = try directory.createFile(name) }
            errno = EIO
            let names = try directory.names()
            #expect(names == ["a", "b"])
        }
    }

    @Test func `a subdirectory is created only once, and an existing one can be opened`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createSubdirectory("a").createFile("file").write([1])
            #expect(throws: IOError(.createDirectory, path: "\(path)/a", code: EEXIST)) {
                try directory.createSubdirectory("a")
            }
            #expect(try directory.openOrCreateSubdirectory("a").read("file", limit: 1) == [1])
            _ = try directory.createFile("file")
            #expect(throws: IOError(.openDirectory, path: "\(path)/file", code: ENOTDIR)) {
                try directory.openOrCreateSubdirectory("file")
            }
            #expect(throws: IOError(.createDirectory, path: "\(path)/missing/a", code: ENOENT)) {
                try directory.openOrCreateSubdirectory("missing/a")
            }
            #expect(throws: IOError(.remove, path: "\(path)/a", code: ENOTEMPTY)) {
                try directory.removeSubdirectory("a")
            }
            try directory.removeSubdirectory("missing")
            #expect(try directory.names() == ["a", "file"])
        }
    }

    @Test func `the umask restricts neither directories nor files`() async {
        await #expect(processExitsWith: .success) {
            try withScratchDirectory { path in
                umask(0o777)
                let directory = try Directory.openOrCreate("\(path)/a/b")
                _ = try directory.createFile("file")
                umask(0o022)
                let top = try #require(try Directory.open(path))
                for (name, mode) in [("a", 0o700), ("a/b", 0o700), ("a/b/file", 0o600)] {
                    let status = try #require(try top.status(of: name))
                    #expect(status.mode & 0o7777 == mode)
                }
            }
        }
    }

    @Test func `the umask does not prevent an ordinary user from creating directories`()
        async throws
    {
        let scratch = try ScratchDirectory()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            if geteuid() == 0 {
                try #require(chown(path, 65_534, 65_534) == 0)
                try #require(setegid(65_534) == 0 && seteuid(65_534) == 0)
            }
            umask(0o777)
            let directory = try Directory.openOrCreate("\(path)/a/b")
            let file = try directory.createFile("file")
            umask(0o022)
            #expect(try file.status().mode & 0o7777 == 0o600)
            let top = try #require(try Directory.open(path))
            for name in ["a", "a/b"] {
                #expect(try top.status(of: name).map { $0.mode & 0o7777 } == 0o700)
            }
        }
    }

    @Test func `a relative path starts at the working directory`() async {
        await #expect(processExitsWith: .success) {
            try withScratchDirectory { path in
                #expect(chdir(path) == 0)
                #expect(try Directory.openOrCreate("a").path == "./a")
                #expect(try Directory.openOrCreate("b/./c").path == "./b/c")
                let top = try #require(try Directory.open(path))
                #expect(try top.names() == ["a", "b"])
                #expect(try top.openSubdirectory("b")?.names() == ["c"])
            }
        }
        #expect(throws: IOError(.openDirectory, path: "", code: ENOENT)) {
            try Directory.openOrCreate("")
        }
    }

    @Test func `two files exchange their names`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("a").write([1])
            try directory.createFile("b").write([2])
            try directory.exchange("a", with: "b")
            #expect(try directory.read("a", limit: 1) == [2])
            #expect(try directory.read("b", limit: 1) == [1])
            #expect(throws: IOError(.rename, path: "\(path)/a", code: ENOENT)) {
                try directory.exchange("a", with: "missing")
            }
        }
    }

    @Test
    func `the status of a link describes its target, and its entry status describes the link`()
        throws
    {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("file").write([1, 2])
            #expect(symlink("file", "\(path)/link") == 0)
            #expect(symlink("missing", "\(path)/dangling") == 0)
            #expect(mkfifo("\(path)/fifo", 0o600) == 0)
            #expect(try directory.status(of: "link")?.kind == .file)
            #expect(try directory.status(of: "link")?.size == 2)
            #expect(try directory.status(of: "dangling") == nil)
            let kinds = try directory.names().map { try directory.entryStatus(of: $0)?.kind }
            #expect(kinds == [.link, .other, .file, .link])
            #expect(try directory.entryStatus(of: ".")?.kind == .directory)
        }
    }
}
