import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

@Suite struct KnownFilesTests {
    @Test func `L4: bytes that another program appended before a failed sync are quarantined`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        #expect(try archive.append(Sample.second) == .written)
        let job = try #require(archive.beginSync())
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        try #require(try directory.openForAppending("data.archive")).write([1, 2, 3])
        let changed = try #require(disk.file(Sample.file))
        let failure = IOError(.synchronize, path: archive.path, code: EIO)
        #expect(throws: SaveError.self) { try archive.endSync(job, .failure(failure)) }
        #expect(throws: SaveError.self) { try archive.append(TurnRecords()) }
        #expect(archive.isChangedExternally)
        #expect(disk.file(Sample.file) == changed)
        archive.quarantineOnNextWrite()
        try archive.append(TurnRecords())
        #expect(disk.kept(changed))
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 5, 6])
    }
}
