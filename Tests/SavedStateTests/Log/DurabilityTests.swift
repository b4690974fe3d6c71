import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of the reported durability, for cases that a crash suite has found.
@Suite struct DurabilityTests {
    /// Returns the disk after a process was killed before the sync with a number.
    private func killed(
        before sync: Int, _ task: (ApplicationArchive) throws -> Void
    ) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.inject(
            SimulatedDisk.Fault(
                operation: sync, code: EIO, isPermanent: true,
                kinds: [.synchronize, .synchronizeData, .synchronizeDirectory]))
        do { try task(Sample.loaded(on: disk)) } catch {}
        return disk.copy(afterPowerCut: false)
    }

    @Test(arguments: 1...7, [false, true])
    func `writes that a killed process did not sync are durable after the next process syncs`(
        sync: Int, isWhole: Bool
    ) throws {
        let disk = try killed(before: sync) { archive in
            // Either a file that ends in `closed` from the beginning, or a file to which records are appended.
            if isWhole { try archive.stage(Sample.first) } else { try archive.append(Sample.first) }
            try archive.close()
        }
        let archive = try Sample.loaded(on: disk)
        try archive.markOpened()
        try archive.append(Sample.first.withoutNames(unless: archive.names.isEmpty))
        try Sample.synchronize(archive)
        #expect(archive.isDurable)
        let found = try Sample.contents(on: disk.copy(afterPowerCut: true))
        #expect(found?.numbers == [1, 2, 3, 4])
    }

    @Test func `a durable archive needs no sync`() throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        try archive.append(Sample.first)
        try Sample.synchronize(archive)
        #expect(archive.isDurable)
        #expect(archive.beginSync() == nil)
        try archive.append(Sample.second)
        #expect(!archive.isDurable)
        #expect(archive.beginSync() != nil)
    }

    @Test func `L1: a forced quit adds a durable generation even if the state was not synced`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        #expect(try archive.append(Sample.second) == .written)
        try archive.remove(because: "of a test")
        let cut = disk.copy(afterPowerCut: true)
        let bytes = try #require(cut.file("\(Sample.directory)/history/000001.archive"))
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("not whole")
            return
        }
        #expect(prefix.contents.numbers == [1, 2, 3, 5, 6])
    }

    @Test func `a sync covers the writes before its start and no later ones`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        let job = try #require(archive.beginSync())
        let result = job.run()
        #expect(try archive.append(Sample.late) == .written)
        try archive.endSync(job, result)
        #expect(archive.durableWriteNumber == job.coveredWriteNumber)
        #expect(archive.writeNumber == job.coveredWriteNumber + 1)
        #expect(!archive.isDurable)
        let next = try #require(archive.beginSync())
        #expect(next.coveredWriteNumber == archive.writeNumber)
        try archive.endSync(next, next.run())
        #expect(archive.isDurable)
        let cut = try Sample.contents(on: disk.copy(afterPowerCut: true))
        #expect(cut?.values(6) == [8, 8])
    }

    @Test func `a sync of a removed file does not make the next file durable`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        let job = try #require(archive.beginSync())
        let result = job.run()
        try archive.remove(because: "of a test")
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        let other = try #require(archive.beginSync())
        #expect(other.coveredWriteNumber > job.coveredWriteNumber)
        try archive.endSync(job, result)
        #expect(!archive.isDurable)
        try archive.endSync(other, other.run())
        #expect(archive.isDurable)
    }

    @Test(arguments: [false, true])
    func `an unprocessed sync failure loses nothing when the archive is closed or removed`(
        isRemoval: Bool
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        let job = try #require(archive.beginSync())
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO))
        let result = job.run()
        disk.inject(nil)
        if isRemoval { try archive.remove(because: "of a test") } else { try archive.close() }
        do { try archive.endSync(job, result) } catch {}
        let cut = disk.copy(afterPowerCut: true)
        if isRemoval {
            let bytes = try #require(cut.file("\(Sample.directory)/history/000001.archive"))
            cut.put(bytes, at: Sample.file)
        }
        #expect(try Sample.contents(on: cut)?.numbers == [1, 2, 3, 5, 6])
    }

    @Test func `a damaged file moved by a killed process is in quarantine after a power cut`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put([1, 2, 3], at: Sample.file)
        for number in 1... {
            let copy = disk.copy(afterPowerCut: false)
            copy.inject(SimulatedDisk.Fault(operation: number, code: EIO, isPermanent: true))
            do { _ = try Sample.archive(on: copy).load() } catch {}
            guard copy.hasFaultOccurred else { break }
            copy.inject(nil)
            let archive = try Sample.loaded(on: copy)
            try archive.append(Sample.first)
            #expect(copy.copy(afterPowerCut: true).kept([1, 2, 3]), "operation \(number)")
        }
    }

    @Test func `a sync fails if the name of the file cannot be made durable`() throws {
        let disk = SimulatedDisk()
        let first = try Sample.loaded(on: disk)
        try first.append(Sample.first)
        try first.close()
        let archive = try Sample.loaded(on: disk)
        try archive.markOpened()
        let job = try #require(archive.beginSync())
        #expect(job.unsyncedLocation != nil)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeDirectory]))
        guard case .failure(let error) = job.run() else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == EIO)
    }

    @Test func `a sync covers the writes before its start, and a whole file supersedes it`() {
        var durability = DurabilityCounters()
        func numbers() -> [UInt64?] {
            [
                durability.writeCount, durability.lastDurableWriteNumber,
                durability.syncingWriteNumber,
            ]
        }
        #expect(durability.isComplete)
        durability.recordWrite()
        #expect(!durability.isComplete)
        durability.beginSync()
        durability.recordWrite()
        #expect(numbers() == [2, 0, 1])
        durability.endSync(isDurable: false)
        #expect(numbers() == [2, 0, nil])
        durability.beginSync()
        durability.recordWrite()
        durability.markDurable()
        durability.endSync(isDurable: true)
        #expect(numbers() == [3, 3, nil])
        durability.beginSync()
        durability.recordNewFile()
        #expect(numbers() == [4, 4, nil])
        #expect(durability.epoch == 1)
        durability.endSync(isDurable: true)
        #expect(numbers() == [4, 4, nil])
        var later = DurabilityCounters()
        later.recordWrite()
        later.supersede(durability)
        #expect(later.epoch == 2)
        // The replacement is write 5, and the new file's first write follows it.
        #expect(later.writeCount == 6)
        #expect(later.lastDurableWriteNumber == 5)
    }

    @Test func `no write number stands for the states before and after a replacement`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.close()
        let bytes = try #require(disk.file(Sample.file))
        let writeNumber = archive.writeNumber
        try archive.adoptReplica(bytes)
        _ = try archive.load()
        #expect(archive.writeNumber > writeNumber)
        #expect(archive.durableWriteNumber > writeNumber)
        try Sample.synchronize(archive)
        #expect(archive.isDurable)
    }
}

extension TurnRecords {
    /// Returns the same turn with a different value, for an archive that already has the turn's names.
    fileprivate func withoutNames(unless areNew: Bool) -> TurnRecords {
        if areNew { return self }
        var turn = TurnRecords()
        turn.addObject(Sample.header(4, below: 1, "side"), values: [10])
        turn.endPass(PassEnd(scene: 1, timestamp: 9))
        return turn
    }
}
