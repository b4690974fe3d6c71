import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of the newest generation: whether it replaces an archive, and whether it is unchanged.
@Suite struct NewestGenerationTests {
    private static let history = "\(Sample.directory)/history"

    private func file(_ number: Int) -> String {
        "\(Self.history)/\(NumberedName.paddedNumber(number)).archive"
    }

    private func saved(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        return archive
    }

    /// Returns a turn that changes the values of object 4, which are `[9]` at first.
    private func change(_ value: UInt8) -> TurnRecords {
        var turn = TurnRecords()
        turn.addObject(Sample.header(4, below: 1, "side"), values: [value])
        turn.endPass(PassEnd(scene: 1, timestamp: 5_000_000))
        return turn
    }

    @Test func `L5: the passes before the damage are used unless a generation is newer`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        // The last sequence number of this generation is also the number of the next record.
        try archive.makeGeneration(because: "of a test")
        try archive.append(change(8))
        let length = try #require(disk.file(Sample.file)).count
        try archive.append(change(7))
        try archive.close()
        var bytes = try #require(disk.file(Sample.file))
        bytes[length + 30] ^= 1
        disk.put(bytes, at: Sample.file)
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        #expect(try ArchiveInspection(bytes).newerGenerationPath(in: directory) == nil)
        guard case .damaged(let damage) = try Sample.archive(on: disk).load() else {
            Issue.record("it is not damaged")
            return
        }
        #expect(damage.salvageSourcePath == nil)
        #expect(damage.salvagedContents?.values(4) == [8])
    }

    @Test func `a generation with the number of a removed generation is compared by its contents`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        let path = try archive.makeGeneration(because: "of a test")
        _ = try disk.root.remove(file(1))
        try archive.append(change(8))
        try archive.requireGeneration(because: "of another")
        #expect(try archive.makeRequiredGeneration() == path)
        #expect(archive.unchangedGenerationPath() == path)
        // This is the state of the removed generation again.
        try archive.append(change(9))
        #expect(archive.unchangedGenerationPath() == nil)
    }

    @Test func `a file with the number of a deleted generation is compared by its contents`() throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        let path = try archive.makeGeneration(because: "of a test")
        #expect(archive.unchangedGenerationPath() == path)
        try archive.deleteGeneration("1")
        disk.put(Sample.log([Sample.first, Sample.second]), at: file(1))
        #expect(archive.unchangedGenerationPath() == nil)
    }

    @Test func `L5: only the newest 16 generations are tried`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        let path = try archive.makeGeneration(because: "of a test")
        for number in 2...16 { disk.put([1], at: file(number)) }
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        let history = try #require(try NumberedFileDirectory(.history, existingIn: directory))
        func newest() throws -> String? {
            try history.newestUsableGeneration(
                limit: 1 << 20, bundleIdentifier: Sample.application)?.path
        }
        #expect(try newest() == path)
        disk.put([1], at: file(17))
        #expect(try newest() == nil)
    }

    @Test(
        arguments: [
            (ENOTDIR, true), (ELOOP, true), (EACCES, true), (EPERM, true), (ENOENT, false),
            (EIO, false), (ENOSPC, false),
        ])
    func `a directory counts as unusable if it is another kind of file or access is denied`(
        code: CInt, isUnusable: Bool
    ) {
        let error = IOError(.openDirectory, path: "history", code: code)
        #expect(error.indicatesUnusableDirectory == isUnusable)
    }
}
