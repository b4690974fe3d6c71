import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import RestorationTesting

@Suite struct DiskFaultsTests {
    @Test func `a change that the kernel refuses is an error, also without an injected fault`()
        throws
    {
        let scratch = try ScratchFolder()
        try scratch.write("file", "text")
        let folder = FaultyFolder(
            folder: try Directory.openOrMake(scratch.path), faults: DiskFaults())
        let file = try #require(try folder.openForReading("file"))
        let truncation = #expect(throws: IOError.self) { try file.truncate(to: 0) }
        #expect(truncation?.code == EINVAL)
        let write = #expect(throws: IOError.self) { try file.write([1]) }
        #expect(write?.code == EBADF)
        let rename = #expect(throws: IOError.self) { try folder.rename("none", to: "other") }
        #expect(rename?.code == ENOENT)
        #expect(throws: IOError.self) { try folder.createFile("file") }
        #expect(throws: IOError.self) { try folder.exchange("file", with: "none") }
    }
}
