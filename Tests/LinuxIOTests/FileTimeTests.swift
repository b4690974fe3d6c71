import Glibc
import TestSupport
import Testing

@testable import LinuxIO

/// Times of files, which a file system can store far beyond the range of calendars.
@Suite struct FileTimeTests {
    @Test(
        arguments: [
            (timespec(tv_sec: 1, tv_nsec: 2_500), 1_000_002),
            (timespec(tv_sec: -1, tv_nsec: 999_999_000), -1),
            (timespec(tv_sec: .max, tv_nsec: 999_999_999), .max),
            (timespec(tv_sec: .min, tv_nsec: 0), .min),
            (timespec(tv_sec: Int.max / 1_000_000, tv_nsec: 999_999_999), .max),
        ] as [(timespec, Int64)])
    func `microseconds are clamped`(time: timespec, microseconds: Int64) {
        #expect(time.microseconds == microseconds)
    }

    @Test(arguments: [0, 1, -1, -1_000_000, 1_700_000_000_123_456])
    func `times before and after 1970 can be set and read`(microseconds: Int64) throws {
        try withScratchDirectory { path in
            let directory = try #require(try Directory.open(path))
            try directory.createFile("file").setModificationTime(microseconds)
            #expect(try directory.entryStatus(of: "file")?.modificationTime == microseconds)
        }
    }

    /// A directory on a file system that cannot store the times of files.
    private struct TimelessDirectory: DirectoryProtocol {
        struct File: FileProtocol {
            let base: LinuxIO.File

            var path: String { base.path }

            func write(_ bytes: [UInt8]) throws(IOError) { try base.write(bytes) }
            func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
                try base.read(from: offset, upTo: byteCount)
            }
            func status() throws(IOError) -> FileStatus { try base.status() }
            func setModificationTime(_ time: Int64) throws(IOError) {
                throw IOError(.status, path: path, code: EPERM)
            }
            func truncate(to length: Int) throws(IOError) { try base.truncate(to: length) }
            func synchronize() throws(IOError) { try base.synchronize() }
            func synchronizeData() throws(IOError) { try base.synchronizeData() }
        }

        let base: Directory

        var path: String { base.path }

        func openSubdirectory(_ name: String) throws(IOError) -> TimelessDirectory? {
            try base.openSubdirectory(name).map(TimelessDirectory.init)
        }
        func openOrCreateSubdirectory(_ name: String) throws(IOError) -> TimelessDirectory {
            TimelessDirectory(base: try base.openOrCreateSubdirectory(name))
        }
        func names() throws(IOError) -> [String] { try base.names() }
        func openForReading(_ name: String) throws(IOError) -> File? {
            try base.openForReading(name).map(File.init)
        }
        func createFile(_ name: String) throws(IOError) -> File {
            File(base: try base.createFile(name))
        }
        func openForAppending(_ name: String) throws(IOError) -> File? {
            try base.openForAppending(name).map(File.init)
        }
        func rename(_ name: String, to newName: String) throws(IOError) {
            try base.rename(name, to: newName)
        }
        func exchange(_ name: String, with other: String) throws(IOError) {
            try base.exchange(name, with: other)
        }
        func status(of name: String) throws(IOError) -> FileStatus? { try base.status(of: name) }
        func remove(_ name: String) throws(IOError) -> Bool { try base.remove(name) }
        func synchronize() throws(IOError) { try base.synchronize() }
    }

    @Test func `a file is not replaced if its time cannot be preserved`() throws {
        try withScratchDirectory { path in
            let directory = try #require(try Directory.open(path))
            try directory.writeNewFile("file", [1, 2])
            #expect(throws: IOError(.status, path: "\(path)/new", code: EPERM)) {
                try TimelessDirectory(base: directory).replace(
                    "file", with: [3], temporaryName: "new", modificationTime: 0)
            }
            #expect(try directory.read("file", limit: 10) == [1, 2])
            #expect(try directory.names() == ["file"])
        }
    }
}
