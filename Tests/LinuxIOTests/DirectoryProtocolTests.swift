import Glibc
import LinuxIO
import SimulatedDisk
import Synchronization
import Testing

/// Reading and replacement of whole files, for any implementation of a directory.
@Suite struct DirectoryProtocolTests {
    /// A file whose status can contain a size other than the size of its contents, like files in `/proc`.
    private final class UnsizedFile: FileProtocol {
        let path = "/a"
        let contents: [UInt8]
        let stated: FileStatus
        let requests = Mutex<[Int]>([])

        init(_ count: Int, statedSize: Int, mode: UInt32 = S_IFREG) {
            contents = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            stated = FileStatus(size: statedSize, inode: 1, mode: mode)
        }

        func status() throws(IOError) -> FileStatus { stated }
        func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
            requests.withLock { $0.append(byteCount) }
            return Array(contents.dropFirst(offset).prefix(byteCount))
        }
        func write(_ bytes: [UInt8]) throws(IOError) {}
        func truncate(to length: Int) throws(IOError) {}
        func synchronize() throws(IOError) {}
        func synchronizeData() throws(IOError) {}
    }

    @Test(
        arguments: [
            (0, 0, 0), (1, 0, 1), (5, 5, 5), (5, 6, 6), (6, 5, 6), (4_096, 0, 4_096),
            (4_097, 0, 10_000), (10_000, 0, 10_000), (10_000, 4_999, 10_000),
        ])
    func `a file is read as a whole, whatever size its status reports`(
        count: Int, stated: Int, limit: Int
    ) throws {
        let file = UnsizedFile(count, statedSize: stated)
        #expect(try file.readAll(limit: limit) == file.contents)
    }

    @Test(arguments: [(1, 0, 0), (6, 5, 5), (5, 6, 5), (10_000, 0, 9_999), (4_097, 4_097, 4_096)])
    func `a file whose actual or reported size is above the limit is not read`(
        count: Int, stated: Int, limit: Int
    ) throws {
        #expect(throws: IOError(.read, path: "/a", code: EFBIG)) {
            try UnsizedFile(count, statedSize: stated).readAll(limit: limit)
        }
    }

    @Test func `a file with a reported size is read in one call, and other files in growing parts`()
        throws
    {
        let sized = UnsizedFile(100, statedSize: 100)
        _ = try sized.readAll(limit: 100)
        #expect(sized.requests.withLock { $0 } == [101])
        let unsized = UnsizedFile(10_000, statedSize: 0)
        _ = try unsized.readAll(limit: 10_000)
        #expect(unsized.requests.withLock { $0 } == [1, 4_095, 4_096, 8_192])
    }

    @Test func `reading ends with the first part that exceeds the limit`() {
        let file = UnsizedFile(10_000, statedSize: 0)
        #expect(throws: IOError(.read, path: "/a", code: EFBIG)) { try file.readAll(limit: 10) }
        #expect(file.requests.withLock { $0 } == [1, 4_095])
    }

    @Test(arguments: [S_IFDIR, S_IFIFO, S_IFLNK, S_IFSOCK])
    func `only a regular file is read`(mode: UInt32) {
        let file = UnsizedFile(3, statedSize: 3, mode: mode)
        #expect(throws: IOError(.read, path: "/a", code: EINVAL)) {
            try file.readAll(limit: 10)
        }
        #expect(file.requests.withLock { $0 } == [])
    }

    @Test
    func `a replacement syncs the new file before the rename and the directory after the rename`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put([1], at: "file")
        disk.startRecording()
        let sizes = Mutex<[Int]>([])
        try disk.root.replace("file", with: [2, 3], temporaryName: "new", modificationTime: 7) {
            status throws(IOError) in
            sizes.withLock { $0.append(status.size) }
        }
        #expect(sizes.withLock { $0 } == [2])
        let changes = try #require(disk.stopRecording()).steps.map(\.operation.kind)
            .filter(\.changesDisk)
        #expect(
            changes == [.remove, .create, .write, .synchronize, .rename, .synchronizeDirectory])
    }

    @Test func `each error of a replacement is thrown and leaves the old file or the new file`()
        throws
    {
        for number in 1...20 {
            let disk = SimulatedDisk()
            disk.put([1], at: "file")
            disk.put([9], at: "new")
            disk.inject(SimulatedDisk.Fault(operation: number, code: EIO))
            var hasThrown = false
            do {
                try disk.root.replace("file", with: [2, 3], temporaryName: "new") {
                    _ throws(IOError) in
                }
            } catch { hasThrown = true }
            guard disk.hasFaultOccurred else {
                #expect(number > 6 && !hasThrown)
                return
            }
            #expect(hasThrown, "operation \(number)")
            let isNamed = disk.log.contains(.synchronizeDirectory)
            #expect(disk.file("file") == (isNamed ? [2, 3] : [1]))
            #expect(disk.file("new") == (number == 1 ? [9] : nil))
        }
        Issue.record("the replacement does not finish")
    }

    @Test func `an error before the rename prevents the rename`() throws {
        let disk = SimulatedDisk()
        disk.put([1], at: "file")
        let refusal = IOError(.rename, path: "/other", code: ESTALE)
        #expect(throws: refusal) {
            try disk.root.replace("file", with: [2], temporaryName: "new") { _ throws(IOError) in
                throw refusal
            }
        }
        #expect(disk.file("file") == [1])
        #expect(disk.names(in: "") == ["file"])
    }

    @Test(arguments: [EIO, EROFS])
    func `each error while a new file is written is thrown`(code: CInt) throws {
        for number in 1...10 {
            let disk = SimulatedDisk()
            disk.inject(SimulatedDisk.Fault(operation: number, code: code))
            var hasThrown = false
            do { try disk.root.writeNewFile("file", [1]) } catch { hasThrown = true }
            guard disk.hasFaultOccurred else {
                #expect(number == 4)
                return
            }
            #expect(hasThrown, "operation \(number)")
        }
        Issue.record("the task does not end")
    }
}
