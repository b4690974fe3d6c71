import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

/// Tests of the effects of a check on replacements, compactions and pending changes.
@Suite struct ExternalChangeCheckTests {
    private let foreign = Sample.log([Sample.first, Sample.third], published: 9)
    private let disk = SimulatedDisk()

    private func applicationDirectory() throws -> SimulatedDirectory {
        try #require(try disk.root.openSubdirectory(Sample.directory))
    }

    /// Returns an archive whose file another program has replaced, and the replacement.
    private func replaced() throws -> (archive: ApplicationArchive, by: ReplacementArchive) {
        let archive = Sample.archive(on: disk, limit: 1 << 14)
        _ = try archive.load()
        try archive.append(Sample.first)
        try applicationDirectory().remove("data.archive")
        disk.put(foreign, at: Sample.file)
        var found: ReplacementArchive?
        if case .replaced(let replacement) = try archive.check(readingContents: false) {
            found = replacement
        }
        return (archive, try #require(found))
    }

    private func isAborted(_ result: CompactionResult) -> Bool {
        if case .failed(.aborted) = result { true } else { false }
    }

    @Test func `a copy of a replacement is not the replacement itself`() throws {
        let (archive, replacement) = try replaced()
        #expect(try archive.isStillInPlace(replacement))
        disk.put(foreign, at: "\(Sample.directory)/copy")
        try applicationDirectory().rename("copy", to: "data.archive")
        #expect(try !archive.isStillInPlace(replacement))
    }

    @Test func `a replacement that has grown beyond the limit is no longer in place`() throws {
        let (archive, replacement) = try replaced()
        disk.put(foreign + [UInt8](repeating: 0, count: 1 << 14), at: Sample.file)
        #expect(try !archive.isStillInPlace(replacement))
    }

    @Test func `replacements are equal only if they are the same file`() throws {
        let (_, replacement) = try replaced()
        let contents = replacement.contents
        func other(inode: UInt64, _ bytes: [UInt8]) -> ReplacementArchive {
            ReplacementArchive(
                contents: contents, bytes: bytes,
                status: FileStatus(size: bytes.count, inode: inode))
        }
        #expect(other(inode: 1, foreign) == other(inode: 1, foreign))
        #expect(other(inode: 1, foreign) != other(inode: 2, foreign))
        #expect(other(inode: 1, foreign) != other(inode: 1, foreign + [0]))
    }

    @Test func `a check that detects no change does not cancel a compaction`() throws {
        let archive = try Sample.grownArchive(on: disk)
        let copy = try #require(archive.beginCompaction())
        #expect(try archive.check(readingContents: false) == .unchanged)
        #expect(archive.endCompaction(copy, copy.run()) != nil)
    }

    @Test func `the first detection of a change cancels a pending exchange`() throws {
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        try applicationDirectory().remove("data.archive")
        disk.put(foreign, at: Sample.file)
        guard case .replaced = try archive.check(readingContents: false) else {
            Issue.record("it is not taken for an archive")
            return
        }
        #expect(isAborted(job.run()))
        #expect(disk.file(Sample.file) == foreign)
    }

    @Test func `a check after a change that is undone cancels a pending exchange`() throws {
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        let directory = try applicationDirectory()
        try directory.rename("data.archive", to: "elsewhere")
        #expect(archive.beginSync() == nil)
        #expect(archive.isChangedExternally)
        try directory.rename("elsewhere", to: "data.archive")
        #expect(try archive.check(readingContents: false) == .unchanged)
        #expect(!archive.isChangedExternally)
        #expect(isAborted(job.run()))
    }

    @Test func `nothing is pending if there is no change to quarantine`() throws {
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        archive.quarantineOnNextWrite()
        #expect(!archive.hasPendingChanges)
        #expect(!archive.hasUnwrittenState)
    }

    @Test func `an archive that only temporarily lost its name needs no write`() throws {
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try Sample.synchronize(archive)
        let directory = try applicationDirectory()
        try directory.rename("data.archive", to: "elsewhere")
        #expect(try archive.check(readingContents: false) == .removed)
        try directory.rename("elsewhere", to: "data.archive")
        #expect(try archive.check(readingContents: false) == .unchanged)
        let writeNumber = archive.writeNumber
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(archive.writeNumber == writeNumber)
    }
}
