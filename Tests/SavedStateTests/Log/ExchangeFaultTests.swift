import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Synchronization
import Testing

@testable import SavedState

/// Tests of failures during a compaction whose steps the archive has not processed yet.
@Suite struct ExchangeFaultTests {
    private let foreign = Sample.log([Sample.first, Sample.third], published: 9)
    private let leftover = "\(Sample.directory)/data.archive.compacted"

    /// Returns an archive that consists mostly of obsolete records.
    private func grown(
        on disk: SimulatedDisk, limit: Int = 1 << 20, times: Int = 20
    ) throws -> ApplicationArchive {
        let archive = ApplicationArchive(
            bundleIdentifier: Sample.application, below: disk.root, limit: limit,
            maximumUncompactedBytes: 0)
        _ = try archive.load()
        try archive.append(Sample.first)
        try Sample.grow(archive, times: times)
        return archive
    }

    /// Puts another program's archive at the archive's path.
    private func replaceArchive(on disk: SimulatedDisk) throws {
        _ = try disk.root.remove(Sample.file)
        disk.put(foreign, at: Sample.file)
    }

    private func expectSaved(
        _ archive: ApplicationArchive, on disk: SimulatedDisk,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(!archive.isChangedExternally, sourceLocation: sourceLocation)
        let found = try Sample.contents(on: disk)?.state
        #expect(found == archive.contents?.state, sourceLocation: sourceLocation)
    }

    // MARK: Copying

    @Test func `records that cannot be added to a copy prevent the exchange of names`() throws {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        let copy = try #require(archive.beginCompaction())
        let result = copy.run()
        try Sample.grow(archive, times: 1)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        #expect(archive.endCompaction(copy, result) == nil)
        #expect(disk.hasFaultOccurred)
        disk.inject(nil)
        guard case .compactionFailed = archive.consumeIncidents().first else {
            Issue.record("it is not reported")
            return
        }
        try Sample.grow(archive, times: 2)
        try expectSaved(archive, on: disk)
    }

    @Test func `a copy does not remove another program's archive that cannot be quarantined`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        disk.put(foreign, at: leftover)
        disk.put([1], at: "\(Sample.directory)/quarantine")
        let copy = try #require(archive.beginCompaction())
        let result = copy.run()
        guard case .failed(.aborted) = result else {
            Issue.record("the copy succeeded")
            return
        }
        #expect(archive.endCompaction(copy, result) == nil)
        #expect(disk.file(leftover) == foreign)
        try expectSaved(archive, on: disk.copy(afterPowerCut: false))
    }

    // MARK: Exchanging the names

    @Test(arguments: [false, true])
    func `an append and a close succeed after a refused exchange whose result is still unknown`(
        closes: Bool
    ) throws {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        let job = try Sample.exchange(of: archive)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.exchange]))
        let result = job.run()
        disk.inject(nil)
        if closes { try archive.close() } else { try Sample.grow(archive, times: 1) }
        #expect(archive.endCompaction(job, result) == nil)
        try expectSaved(archive, on: disk)
        #expect(try Sample.contents(on: disk)?.isClosed == closes)
    }

    @Test func `if an exchange is not durable, turns are still written to the old file`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        let job = try Sample.exchange(of: archive)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeDirectory]))
        let result = job.run()
        disk.inject(nil)
        guard case .failed(.unpublished) = result else {
            Issue.record("the exchange is durable")
            return
        }
        try Sample.grow(archive, times: 1)
        try archive.synchronize()
        // The power cut undoes the exchange.
        try expectSaved(archive, on: disk.copy(afterPowerCut: true))
        #expect(archive.endCompaction(job, result) == nil)
        #expect(try archive.append(TurnRecords()) == .durable)
        try expectSaved(archive, on: disk.copy(afterPowerCut: true))
    }

    @Test func `P16: during an exchange, a failed write to the old file is an error`() throws {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        let job = try Sample.exchange(of: archive)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        disk.inject(nil)
        try Sample.grow(archive, times: 2)
        #expect(archive.endCompaction(job, job.run()) == nil)
        try expectSaved(archive, on: disk)
    }

    @Test func `P16: if records cannot be removed from the old file, a new file is written`() throws
    {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        let job = try Sample.exchange(of: archive)
        // The write to the new file fails, and then the old file cannot be shortened.
        let counts = Mutex<[DiskOperation.Kind: Int]>([:])
        disk.setGate { kind in
            guard kind == .write || kind == .truncate else { return true }
            return counts.withLock { counts -> Bool in
                counts[kind, default: 0] += 1
                return counts[kind] != 2
            }
        }
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        disk.setGate(nil)
        let refused = counts.withLock { $0 }
        #expect(refused == [.write: 2, .truncate: 2])
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(archive.endCompaction(job, job.run()) == nil)
        #expect(disk.file(leftover) == nil)
        try expectSaved(archive, on: disk)
    }

    @Test func `L8: a file that does not get its name back is quarantined by the next load`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        let job = try Sample.exchange(of: archive)
        try replaceArchive(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.rename]))
        let result = job.run()
        disk.inject(nil)
        guard case .failed(.unpublished) = result else {
            Issue.record("the failure is not reported")
            return
        }
        #expect(archive.endCompaction(job, result) == nil)
        #expect(disk.file(leftover) == foreign)
        let killed = disk.copy(afterPowerCut: false)
        try expectSaved(archive, on: killed)
        #expect(killed.kept(foreign))
    }

    // MARK: Other operations

    @Test func `L4: a check does not cancel an exchange that has just been made`() throws {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        let job = try Sample.exchange(of: archive)
        let result = job.run()
        #expect(try archive.check(readingContents: true) == .unchanged)
        #expect(archive.endCompaction(job, result) == nil)
        let incidents = archive.consumeIncidents()
        #expect(incidents.count == 1)
        guard case .compacted = incidents.first else {
            Issue.record("the compaction was cancelled")
            return
        }
    }

    @Test(arguments: [false, true])
    func `L4: a check fails if a cancelled exchange cannot be made durable`(isKnown: Bool) throws {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk)
        _ = try Sample.exchange(of: archive).run()
        try replaceArchive(on: disk)
        if isKnown { #expect(archive.beginSync() == nil) }
        #expect(archive.isChangedExternally == isKnown)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeDirectory]))
        #expect(throws: IOError.self) { try archive.check(readingContents: false) }
        disk.inject(nil)
        guard case .replaced = try archive.check(readingContents: false) else {
            Issue.record("it is not taken for an archive")
            return
        }
    }

    @Test func `an append that needs a new file fails if an exchange cannot be made durable`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try grown(on: disk, limit: 8192, times: 45)
        _ = try Sample.exchange(of: archive).run()
        // The turn does not fit in the old file.
        var turn = TurnRecords()
        turn.addObject(
            Sample.header(4, below: 1, "side"), values: [UInt8](repeating: 1, count: 1100))
        turn.endPass(PassEnd(scene: 1, timestamp: 1))
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeDirectory]))
        let error = #expect(throws: SaveError.self) { try archive.append(turn) }
        disk.inject(nil)
        guard case .io(let cause) = error else {
            Issue.record("unexpected error: \(error as Any)")
            return
        }
        #expect(cause.code == EIO)
        #expect(try archive.append(TurnRecords()) == .durable)
        try expectSaved(archive, on: disk)
    }
}
