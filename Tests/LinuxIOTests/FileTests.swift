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
}
