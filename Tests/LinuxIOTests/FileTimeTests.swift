import Glibc
import TestSupport
import Testing

@testable import LinuxIO

/// Times of files, which a file system may hold far beyond any calendar.
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
    func `a time before 1970 can be set and read as well`(microseconds: Int64) throws {
        try withScratchFolder { path in
            let directory = try #require(try Directory.open(path))
            try directory.createFile("file").setModified(microseconds)
            #expect(try directory.entryStatus(of: "file")?.modified == microseconds)
        }
    }
}
