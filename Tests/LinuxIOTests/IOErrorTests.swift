import Glibc
import Testing

@testable import LinuxIO

@Suite struct IOErrorTests {
    @Test func `the sentence says what, where, why and what to do`() {
        let error = IOError(.write, path: "/state/data.archive", code: ENOSPC)
        #expect(
            error.description
                == "Cannot write to '/state/data.archive': No space left on device; "
                + "free some space on its file system.")
        #expect(error.code == ENOSPC)
    }

    @Test func `an unusual errno is given with its number`() {
        let error = IOError(.rename, path: "a", code: EXDEV)
        #expect(error.description.hasSuffix("see errno 18 in errno(3)."))
        #expect(
            IOError(.rename, path: "/a", code: EBUSY).description.hasSuffix(
                "unmount what is mounted on it (`findmnt`), and mount the directory that holds it instead."
            ))
        let immutable = IOError(.rename, path: "/a", code: EPERM)
        #expect(immutable.description.contains("`lsattr -d '/a'`"))
        #expect(immutable.description.contains("`chattr -i`"))
        // To start again would lose what is live.
        #expect(
            IOError(.write, path: "/a", code: ESTALE).description.contains(
                "a restart would load what is at the path now"))
        #expect(
            IOError(.read, path: "/pipe", code: EINVAL).description
                == "Cannot read '/pipe': it is not a regular file; move away what is there under "
                + "this name.")
    }

    @Test(
        arguments: [
            (100, 0, 1, true), (1, 0, 1000, true), (100, 1, 1, false), (100, 0, 0, false),
            (100, 1, 0, false), (0, 0, 1, false), (0, 0, 0, false),
        ] as [(UInt, UInt, UInt, Bool)])
    func `inodes are missing only if a file system has inodes and free space`(
        files: UInt, freeFiles: UInt, freeBlocks: UInt, isWithoutInodes: Bool
    ) {
        var status = statvfs()
        (status.f_files, status.f_favail, status.f_bavail) = (files, freeFiles, freeBlocks)
        #expect(IOError.isWithoutInodes(status) == isWithoutInodes)
    }
}
