import Glibc
import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

@Suite struct OpenedClosedTests {
    private func closedDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        try archive.close()
        return disk
    }

    @Test func `R2: an orderly stop durably closes the archive`() throws {
        let disk = try closedDisk()
        let contents = try #require(try Sample.contents(on: disk.copy(afterPowerCut: true)))
        #expect(contents.isClosed)
        #expect(contents.numbers == [1, 2, 3, 4])
    }

    @Test func `R2: an opened archive is not closed, even after a kill without any pass`() throws {
        let disk = try closedDisk()
        try Sample.loaded(on: disk).markOpened()
        #expect(try Sample.contents(on: disk)?.isClosed == false)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
    }

    @Test func `opening takes one write and no sync, and only if the archive is closed`() throws {
        let disk = try closedDisk()
        let archive = try Sample.loaded(on: disk)
        disk.inject(nil)
        try archive.markOpened()
        #expect(disk.log == [.status, .write])
        disk.inject(nil)
        try archive.markOpened()
        #expect(disk.log.isEmpty)
    }

    @Test func `an opened archive can be opened, saved and closed again`() throws {
        let disk = try closedDisk()
        try Sample.loaded(on: disk).markOpened()
        let archive = try Sample.loaded(on: disk)
        try archive.markOpened()
        _ = try archive.append(Sample.second)
        #expect(try Sample.contents(on: disk)?.isClosed == false)
        try archive.close()
        #expect(try Sample.contents(on: disk)?.isClosed == true)
        disk.inject(nil)
        try archive.close()
        #expect(disk.log.isEmpty)
    }

    @Test func `a torn opened record leaves the state intact and the archive not closed`() throws {
        let disk = try closedDisk()
        let closed = try #require(disk.file(Sample.file))
        try Sample.loaded(on: disk).markOpened()
        let opened = try #require(disk.file(Sample.file))
        #expect(opened.count == closed.count + 24)
        for length in closed.count + 1..<opened.count {
            disk.put(Array(opened.prefix(length)), at: Sample.file)
            let archive = Sample.archive(on: disk)
            guard case .loaded(isClosed: let isClosed, let torn?) = try archive.load() else {
                Issue.record("not torn at \(length)")
                continue
            }
            #expect(!isClosed)
            #expect(archive.contents?.isClosed == false)
            #expect(archive.contents?.numbers == [1, 2, 3, 4])
            #expect(torn.offset == closed.count)
            #expect(torn.byteCount == length - closed.count)
        }
    }

    @Test func `a failed opening can be repeated`() throws {
        let disk = try closedDisk()
        let archive = try Sample.loaded(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: 2, code: EIO))
        #expect(throws: SaveError.self) { try archive.markOpened() }
        disk.inject(nil)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
        try archive.markOpened()
        #expect(try Sample.archive(on: disk).load() == .loaded(isClosed: false, tornTail: nil))
    }

    @Test func `R2: closing also closes the file that replaces one changed by another program`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        disk.put(Array("something else".utf8), at: Sample.file)
        #expect(throws: SaveError.self) { try archive.close() }
        archive.quarantineOnNextWrite()
        try archive.close()
        let contents = try #require(try Sample.contents(on: disk.copy(afterPowerCut: true)))
        #expect(contents.isClosed)
        #expect(contents.numbers == [1, 2, 3, 4])
    }

    @Test func `closing an archive without saved state creates no file`() throws {
        let disk = SimulatedDisk()
        try Sample.loaded(on: disk).close()
        #expect(disk.nodeCount == 1)
    }
}
