import Glibc
import LinuxIO
import TestSupport
import Testing

/// Owners of directories, as a root process determines them.
@Suite(.needsRoot) struct DirectoryOwnerTests {
    @Test func `a directory of root or a missing directory has no other owner`() throws {
        try withScratchDirectory { path in
            let owner = try DirectoryOwner(of: path)
            let missingOwner = try DirectoryOwner(of: "\(path)/missing")
            #expect(owner == nil && missingOwner == nil)
        }
    }

    @Test func `the owner of another user's directory includes the user and the group`() throws {
        try withScratchDirectory { path in
            try #require(chown(path, 65_534, 65_533) == 0)
            let owner = try #require(try DirectoryOwner(of: path))
            #expect(owner.userID == 65_534)
            #expect(owner.groupID == 65_533)
        }
    }

    @Test func `a directory whose owner cannot be determined is an error`() throws {
        try withScratchDirectory { path in
            _ = try Directory.openOrCreate(path).createFile("file")
            #expect(throws: IOError(.status, path: "\(path)/file/below", code: ENOTDIR)) {
                try DirectoryOwner(of: "\(path)/file/below")
            }
        }
    }

    @Test func `a process of an ordinary user does not become another user`() async throws {
        let scratch = try ScratchDirectory()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            try #require(chown(path, 65_534, 65_534) == 0)
            try #require(seteuid(65_533) == 0)
            #expect(try DirectoryOwner(of: path) == nil)
        }
    }
}
