import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import reprisectl

@Suite struct StateDirectoryOwnerTests {
    @Test func `a missing state directory will be owned by the process's user`() throws {
        let scratch = try ScratchDirectory()
        let owner = try StateDirectoryOwner(of: scratch.file("missing"))
        #expect(try owner.perform { geteuid() } == geteuid())
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root cannot write to a state directory whose owner cannot be determined`() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("file", "")
        let path = scratch.file("file/state")
        #expect(throws: IOError(.status, path: path, code: ENOTDIR)) {
            try StateDirectoryOwner(of: path)
        }
    }
}
