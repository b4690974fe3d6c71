import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of when a sync begins, and of the results of syncs.
@Suite struct ArchiveLogSyncingTests {
    private let disk = SimulatedDisk()

    /// Returns an archive with a write that is not durable.
    private func written() throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        #expect(try archive.append(Sample.second) == .written)
        return archive
    }

    @Test func `only one sync is in progress at a time`() throws {
        let archive = try written()
        let job = try #require(archive.beginSync())
        #expect(archive.beginSync() == nil)
        try archive.append(Sample.late)
        #expect(archive.beginSync() == nil)
        try archive.endSync(job, job.run())
        #expect(archive.beginSync() != nil)
    }

    @Test func `an archive is synced only while records are appended to its file`() throws {
        let archive = try written()
        let job = try #require(archive.beginSync())
        let failure = IOError(.synchronize, path: archive.path, code: EIO)
        #expect(throws: SaveError.self) { try archive.endSync(job, .failure(failure)) }
        #expect(!archive.isDurable)
        #expect(archive.beginSync() == nil)
        #expect(try Sample.loaded(on: disk).beginSync() == nil)
    }

    @Test func `the result of a sync is processed only once`() throws {
        let archive = try written()
        let job = try #require(archive.beginSync())
        try archive.endSync(job, job.run())
        #expect(archive.isDurable)
        try archive.endSync(
            job, .failure(IOError(.synchronize, path: archive.path, code: EIO)))
        #expect(archive.isDurable)
        #expect(archive.consumeIncidents().isEmpty)
    }

    @Test func `a failed sync is reported with the path of the archive`() throws {
        let archive = try written()
        let job = try #require(archive.beginSync())
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeData]))
        let result = job.run()
        disk.inject(nil)
        do throws(SaveError) {
            try archive.endSync(job, result)
            Issue.record("it did not fail")
        } catch {
            guard case .io(let error) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error == IOError(.synchronize, path: archive.path, code: EIO))
        }
    }

    @Test func `the names of a reopened archive are made durable only by the first sync`() throws {
        let first = try Sample.loaded(on: disk)
        try first.append(Sample.first)
        try first.close()
        let archive = try Sample.loaded(on: disk)
        try archive.markOpened()
        let job = try #require(archive.beginSync())
        #expect(job.unsyncedLocation != nil)
        try archive.endSync(job, job.run())
        try archive.append(Sample.second)
        let next = try #require(archive.beginSync())
        #expect(next.unsyncedLocation == nil)
    }
}
