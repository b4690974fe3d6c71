import Glibc
import Testing

@testable import LinuxIO

@Suite struct FileTests {
    @Test func `every operation on a file that is not open is an error`() {
        let file = File(OwnedDescriptor(-1), path: "/a")
        let operations: [(IOError.Operation, () throws -> Void)] = [
            (.write, { try file.write([1]) }),
            (.read, { _ = try file.read(from: 0, upTo: 1) }),
            (.truncate, { try file.truncate(to: 0) }),
            (.synchronize, { try file.synchronize() }),
            (.synchronize, { try file.synchronizeData() }),
            (.status, { _ = try file.status() }),
            (.status, { try file.setModified(0) }),
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
}
