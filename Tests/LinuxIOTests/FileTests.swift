import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct FileTests {
    @Test func `every operation on a file that is not open is an error`() {
        let file = File(OwnedDescriptor(-1), path: "/a")
        let operations: [(IOError.Operation, () throws -> Void)] = [
            (.write, { try file.write([1]) }), (.write, { try file.write([1], at: 0) }),
            (.read, { _ = try file.read(from: 0, upTo: 1) }),
            (.truncate, { try file.truncate(to: 0) }),
            (.synchronize, { try file.synchronize() }),
            (.synchronize, { try file.synchronizeData() }),
            (.status, { _ = try file.status() }),
            (.status, { try file.setModificationTime(0) }),
            (.status, { try file.makeReadableByAll() }),
        ]
        for (operation, perform) in operations {
            #expect(throws: IOError(operation, path: "/a", code: EBADF)) { try perform() }
        }
    }

    @Test(arguments: [(Int.min, 0), (-1, 0), (0, 0), (1, 1), (Int.max, Int.max)])
    func `a negative length counts as 0`(length: Int, counted: Int) {
        var status = FileStatus(size: length, inode: 1)
        #expect(status.size == counted)
        status.size = 7
        status.size = length
        #expect(status.size == counted)
    }

    @Test func `every operation on a directory that is not open is an error`() {
        let directory = Directory(OwnedDescriptor(-1), path: "/a")
        let operations: [(IOError.Operation, String, () throws -> Void)] = [
            (.status, "/a", { _ = try directory.pathStatus() }),
            (.list, "/a", { _ = try directory.names() }),
            (.synchronizeDirectory, "/a", { try directory.synchronize() }),
            (.lock, "/a", { _ = try directory.lock() }),
            (.openDirectory, "/a/b", { _ = try directory.openSubdirectory("b") }),
            (.createDirectory, "/a/b", { _ = try directory.openOrCreateSubdirectory("b") }),
            (.createDirectory, "/a/b", { _ = try directory.createSubdirectory("b") }),
            (.remove, "/a/b", { try directory.removeSubdirectory("b") }),
            (.remove, "/a/b", { try directory.remove("b") }),
            (.rename, "/a/b", { try directory.rename("b", to: "c") }),
            (.rename, "/a/b", { try directory.exchange("b", with: "c") }),
            (.status, "/a/b", { _ = try directory.status(of: "b") }),
            (.status, "/a/b", { _ = try directory.entryStatus(of: "b") }),
            (.create, "/a/b", { _ = try directory.createFile("b") }),
            (.open, "/a/b", { _ = try directory.openForAppending("b") }),
            (.open, "/a/b", { _ = try directory.openForReading("b") }),
        ]
        for (operation, path, perform) in operations {
            #expect(throws: IOError(operation, path: path, code: EBADF)) { try perform() }
        }
    }

    @Test func `a file can be read from any offset and beyond its end`() throws {
        try withScratchDirectory { path in
            let file = try Directory.openOrCreate(path).createFile("file")
            try file.write([1, 2, 3])
            #expect(try file.read(from: 0, upTo: 1 << 40) == [1, 2, 3])
            for (offset, count, bytes) in [
                (0, 0, []), (0, 3, [1, 2, 3]), (1, 1, [2]), (1, 9, [2, 3]), (3, 1, []), (9, 1, []),
            ] as [(Int, Int, [UInt8])] {
                #expect(try file.read(from: offset, upTo: count) == bytes)
            }
        }
    }

    @Test(
        arguments: [(1, 2, true), (1, 3, false), (9, 2, false), (9, 3, false)]
            as [(UInt64, UInt64, Bool)])
    func `files are the same only if both their inodes and their devices are equal`(
        inode: UInt64, device: UInt64, isSame: Bool
    ) {
        let other = FileStatus(size: 0, inode: inode, device: device)
        #expect(FileStatus(size: 7, inode: 1, device: 2).isSameFile(as: other) == isSame)
    }

    @Test func `an earlier errno does not cause a read or a write to be repeated`() throws {
        try withScratchDirectory { path in
            let file = try Directory.openOrCreate(path).createFile("file")
            try file.write([1, 2, 3])
            errno = EINTR
            #expect(try file.read(from: 3, upTo: 1) == [])
            errno = EINTR
            #expect(try file.read(from: 0, upTo: 9) == [1, 2, 3])
            errno = EINTR
            try file.write([4])
            #expect(try file.status().size == 4)
        }
    }

    @Test func `a file that is too long for one read call is read as a whole`() throws {
        try withScratchDirectory { path in
            let file = try Directory.openOrCreate(path).createFile("file")
            let length = 64 << 20
            try file.truncate(to: length)
            try file.write([7, 8])
            let bytes = try file.read(from: 0, upTo: length + 9)
            #expect(bytes.count == length + 2)
            #expect(bytes.suffix(3) == [0, 7, 8])
        }
    }

    @Test func `bytes can be written at an offset, and later writes still append`() throws {
        try withScratchDirectory { path in
            let file = try Directory.openOrCreate(path).createFile("file")
            try file.write([1, 2, 3, 4])
            for (bytes, offset, expected) in [
                ([9, 8], 1, [1, 9, 8, 4]), ([5], nil, [1, 9, 8, 4, 5]), ([6], 0, [6, 9, 8, 4, 5]),
                ([7, 7], 4, [6, 9, 8, 4, 7, 7]), ([], 0, [6, 9, 8, 4, 7, 7]),
                ([1, 2], nil, [6, 9, 8, 4, 7, 7, 1, 2]), ([3], nil, [6, 9, 8, 4, 7, 7, 1, 2, 3]),
                ([4], 10, [6, 9, 8, 4, 7, 7, 1, 2, 3, 0, 4]),
            ] as [([UInt8], Int?, [UInt8])] {
                if let offset {
                    try file.write(bytes, at: offset)
                } else {
                    try file.write(bytes)
                }
                #expect(try file.read(from: 0, upTo: 99) == expected)
            }
        }
    }

    @Test func `a short write at an offset continues after the written bytes`() async throws {
        let scratch = try ScratchDirectory()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            signal(SIGXFSZ, SIG_IGN)
            let file = try Directory.openOrCreate(path).createFile("file")
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var original = rlimit()
            try #require(getrlimit(resource, &original) == 0)
            // The kernel shortens the first write to this limit, and refuses the second.
            var limit = rlimit(rlim_cur: 4, rlim_max: original.rlim_max)
            try #require(setrlimit(resource, &limit) == 0)
            let written = Result { () throws(IOError) in
                try file.write([1, 2, 3, 4, 5, 6], at: 0)
            }
            try #require(setrlimit(resource, &original) == 0)
            #expect(throws: IOError(.write, path: "\(path)/file", code: EFBIG)) {
                try written.get()
            }
            #expect(try file.read(upTo: 9) == [1, 2, 3, 4])
        }
    }

    @Test func `a write to a file that is open only for reading is an error`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            try directory.createFile("file").write([1])
            let file = try #require(try File.open("\(path)/file"))
            let expected = IOError(.write, path: "\(path)/file", code: EBADF)
            #expect(throws: expected) { try file.write([2]) }
            #expect(throws: expected) { try file.write([2], at: 0) }
            #expect(try file.read(from: 0, upTo: 9) == [1])
        }
    }
}
