import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import RestorationTesting

@Suite struct DiskFaultsTests {
    @Test func `a change that the kernel refuses is an error even without an injected fault`()
        throws
    {
        let scratch = try ScratchDirectory()
        try scratch.write("file", "text")
        let directory = FaultyDirectory(
            directory: try Directory.openOrCreate(scratch.path), faults: DiskFaults())
        let file = try #require(try directory.openForReading("file"))
        let truncation = #expect(throws: IOError.self) { try file.truncate(to: 0) }
        #expect(truncation?.code == EINVAL)
        let write = #expect(throws: IOError.self) { try file.write([1]) }
        #expect(write?.code == EBADF)
        let rename = #expect(throws: IOError.self) { try directory.rename("none", to: "other") }
        #expect(rename?.code == ENOENT)
        let overwrite = #expect(throws: IOError.self) { try file.write([1], at: 0) }
        #expect(overwrite?.code == EBADF)
        #expect(throws: IOError.self) { try directory.createFile("file") }
        // These files and directories cannot be synchronized.
        let null = FaultyFile(
            file: try #require(try File.open("/dev/null")), faults: DiskFaults())
        #expect(throws: IOError(.synchronize, path: "/dev/null", code: EINVAL)) {
            try null.synchronize()
        }
        #expect(throws: IOError(.synchronize, path: "/dev/null", code: EINVAL)) {
            try null.synchronizeData()
        }
        let processes = FaultyDirectory(
            directory: try #require(try Directory.open("/proc/self")), faults: DiskFaults())
        #expect(throws: IOError(.synchronizeDirectory, path: "/proc/self", code: EINVAL)) {
            try processes.synchronize()
        }
        #expect(throws: IOError.self) { try directory.exchange("file", with: "none") }
    }

    @Test func `an injected fault makes every change fail and changes nothing`() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("file", "text")
        try scratch.write("other", "other")
        let faults = DiskFaults()
        let directory = FaultyDirectory(
            directory: try Directory.openOrCreate(scratch.path), faults: faults)
        let file = try #require(try directory.openForAppending("file"))
        let changes: [(name: String, change: () throws -> Void)] = [
            ("write", { try file.write([1]) }),
            ("write at an offset", { try file.write([1], at: 0) }),
            ("truncate", { try file.truncate(to: 2) }),
            ("synchronize", { try file.synchronize() }),
            ("synchronizeData", { try file.synchronizeData() }),
            ("createFile", { _ = try directory.createFile("new") }),
            ("openOrCreateSubdirectory", { _ = try directory.openOrCreateSubdirectory("folder") }),
            ("rename", { try directory.rename("other", to: "renamed") }),
            ("exchange", { try directory.exchange("file", with: "other") }),
            ("remove", { _ = try directory.remove("other") }),
            ("synchronizeDirectory", { try directory.synchronize() }),
        ]
        for code in [nil, EROFS] {
            faults.fail(with: code)
            for (name, change) in changes {
                let error = #expect(throws: IOError.self, "\(name)") { try change() }
                #expect(error?.code == code ?? ENOSPC, "\(name)")
            }
            #expect(try directory.names().sorted() == ["file", "other"])
            #expect(try directory.read("file", limit: 100) == Array("text".utf8))
            #expect(try directory.read("other", limit: 100) == Array("other".utf8))
        }
        faults.recover()
        for (name, change) in changes where name != "exchange" {
            #expect(throws: Never.self, "\(name)") { try change() }
        }
        #expect(try directory.names().sorted() == ["file", "folder", "new", "renamed"])
        #expect(try directory.read("file", limit: 100) == Array("\u{1}e".utf8))
    }

    @Test func `an injected fault occurs before the kernel is asked to synchronize`() throws {
        let faults = DiskFaults()
        let null = FaultyFile(file: try #require(try File.open("/dev/null")), faults: faults)
        faults.fail()
        let failure = IOError(.synchronize, path: "/dev/null", code: ENOSPC)
        #expect(throws: failure) { try null.synchronize() }
        #expect(throws: failure) { try null.synchronizeData() }
    }
}
