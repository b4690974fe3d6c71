import Glibc
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct IOErrorTests {
    @Test func `an error says what failed, on which path, why and what to do`() {
        let error = IOError(.write, path: "/state/data.archive", code: ENOSPC)
        #expect(
            error.description
                == "Cannot write to '/state/data.archive': No space left on device; "
                + "free some space on its file system.")
        #expect(error.code == ENOSPC)
    }

    @Test func `an unusual errno is described by its number or by specific advice`() {
        let error = IOError(.rename, path: "a", code: EXDEV)
        #expect(error.description.hasSuffix("see errno 18 in errno(3)."))
        #expect(
            IOError(.rename, path: "/a", code: EBUSY).description.hasSuffix(
                "unmount the file system that is mounted on it (`findmnt`), and mount it on the parent "
                    + "directory instead."))
        let immutable = IOError(.rename, path: "/a", code: EPERM)
        #expect(immutable.description.contains("`lsattr -d '/a'`"))
        #expect(immutable.description.contains("`chattr -i`"))
        // A restart would lose the live state.
        #expect(
            IOError(.write, path: "/a", code: ESTALE).description.contains(
                "a restart would load the file that is at the path now"))
        #expect(
            IOError(.read, path: "/pipe", code: EINVAL).description
                == "Cannot read '/pipe': it is not a regular file; move the existing file or "
                + "directory out of the way.")
    }

    @Test(
        arguments: [
            (100, 0, 1, true), (1, 0, 1000, true), (100, 1, 1, false), (100, 0, 0, false),
            (100, 1, 0, false), (0, 0, 1, false), (0, 0, 0, false),
        ] as [(UInt, UInt, UInt, Bool)])
    func `inodes count as used up only if a file system has inodes and free space`(
        files: UInt, freeFiles: UInt, freeBlocks: UInt, hasNoFreeInodes: Bool
    ) {
        var status = statvfs()
        (status.f_files, status.f_favail, status.f_bavail) = (files, freeFiles, freeBlocks)
        #expect(IOError.hasNoFreeInodes(status) == hasNoFreeInodes)
    }

    @Test(
        .needsRoot,
        arguments: [
            ("", ENOSPC, "no inodes are left"), ("/new", ENOSPC, "no inodes are left"),
            ("/missing/new", ENOSPC, nil), ("", EIO, nil), ("/new", EIO, nil),
        ] as [(String, CInt, String?)])
    func `an error on a full file system says whether its inodes are used up`(
        name: String, code: CInt, detail: String?
    ) throws {
        try withScratchDirectory { directory in
            try #require(mount("none", directory, "tmpfs", 0, "nr_inodes=1") == 0)
            defer { umount2(directory, CInt(MNT_DETACH)) }
            let path = directory + name
            let error = IOError(.create, path: path, code: code, detail: detail)
            #expect(throws: error) {
                try IOError.check(.create, path: path) {
                    errno = code
                    return -1
                }
            }
        }
    }

    @Test(arguments: [0, 1, 7] as [CInt])
    func `an interrupted call is repeated, and its result is returned`(result: CInt) throws {
        var calls = 0
        let returned = try IOError.check(.read, path: "/a") {
            calls += 1
            errno = calls < 3 ? EINTR : EIO
            return calls < 3 ? -1 : result
        }
        #expect(returned == result)
        #expect(calls == 3)
    }

    @Test(arguments: [EIO, ENOENT, ENOSPC, EAGAIN])
    func `a failed call is an error, but a missing file is an error only if it must exist`(
        code: CInt
    ) throws {
        func fail() -> CInt {
            errno = code
            return -1
        }
        let error = IOError(.open, path: "/a", code: code)
        #expect(throws: error) { try IOError.check(.open, path: "/a", fail) }
        if code == ENOENT {
            #expect(try IOError.checkIfExists(.open, path: "/a", fail) == nil)
        } else {
            #expect(throws: error) { try IOError.checkIfExists(.open, path: "/a", fail) }
        }
        #expect(try IOError.checkIfExists(.open, path: "/a") { 0 } == 0)
    }

    @Test(
        arguments: [
            (
                .read,
                "Cannot read '/a': it is too large to be read; move it away, or replace it with a "
                    + "smaller file."
            ),
            (
                .list,
                "Cannot list the directory '/a': it has too many entries; remove entries that are "
                    + "not needed."
            ),
            (
                .write,
                "Cannot write to '/a': File too large; move it away, or raise the limit on file "
                    + "sizes."
            ),
        ] as [(IOError.Operation, String)])
    func `the advice for a file that is too large depends on the operation`(
        operation: IOError.Operation, sentence: String
    ) {
        #expect(IOError(operation, path: "/a", code: EFBIG).description == sentence)
    }

    @Test(arguments: [(IOError.Operation.read, EIO), (.open, EINVAL)])
    func `only a read that fails with EINVAL reports that the path is not a regular file`(
        operation: IOError.Operation, code: CInt
    ) {
        #expect(!IOError(operation, path: "/a", code: code).description.contains("regular file"))
    }

    @Test(
        arguments: [
            (ENOKEY, "with a key that is not available"),
            (EOPNOTSUPP, "a newer version of the program encrypted it"),
            (EBADMSG, "encrypted and damaged"),
        ])
    func `the advice after a failed decryption depends on the cause`(
        code: CInt, advice: String
    ) {
        #expect(IOError(.decrypt, path: "/a", code: code).description.contains(advice))
        #expect(!IOError(.read, path: "/a", code: code).description.contains(advice))
    }

    @Test func `the advice for a full disk depends on what is used up`() {
        func advice(_ detail: String?) -> String {
            IOError(.write, path: "/a", code: ENOSPC, detail: detail).description
        }
        #expect(
            advice("no inodes are left").hasSuffix(
                "(no inodes are left); remove files from its file system; "
                    + "`df -i` shows the number of free inodes."))
        #expect(advice("another detail").hasSuffix("free some space on its file system."))
    }
}
