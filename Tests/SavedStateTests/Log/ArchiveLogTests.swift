import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of the archive's file and its states.
@Suite struct ArchiveLogTests {
    private func header(of bytes: [UInt8]?) throws -> ArchiveHeader {
        guard let header = ArchiveHeader(try #require(bytes)) else {
            Issue.record("no header")
            throw CancellationError()
        }
        return header
    }

    private func change(_ values: [UInt8], _ time: Int) -> TurnRecords {
        var turn = TurnRecords()
        turn.addObject(Sample.header(4, below: 1, "side"), values: values)
        turn.endPass(PassEnd(scene: 1, timestamp: Int64(time)))
        return turn
    }

    @Test func `R2: an append cancels a closed record, and the archive can be closed again`() throws
    {
        let disk = SimulatedDisk()
        let first = try Sample.loaded(on: disk)
        try first.append(Sample.first)
        try first.close()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.second)
        #expect(archive.contents?.isClosed == false)
        try archive.close()
        #expect(try Sample.contents(on: disk)?.isClosed == true)
    }

    @Test
    func `changes pending on a full disk are bounded, then saved by a rewrite that is reported`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = ApplicationArchive(bundleIdentifier: Sample.application, below: disk.root)
        _ = try archive.load()
        try archive.append(Sample.first)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        for number in 1...20 {
            let values = [UInt8](repeating: UInt8(number), count: 200_000)
            #expect(throws: SaveError.self) { try archive.append(change(values, number)) }
        }
        disk.inject(nil)
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(archive.consumeIncidents().contains(.rewritten))
        #expect(try #require(disk.file(Sample.file)).count < 300_000)
        let found = try Sample.contents(on: disk)
        #expect(found?.values(4)?.first == 20)
    }

    @Test func `an archive always has room for its closed record`() throws {
        let limit = 8192
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk, limit: limit)
        _ = try archive.load()
        try archive.append(Sample.first)
        var isRewritten = false
        for number in 1...400 {
            let before = try #require(disk.file(Sample.file)).count
            let values = (0...number % 7).map { UInt8(truncatingIfNeeded: $0 + number) }
            try archive.append(change(values, number))
            let count = try #require(disk.file(Sample.file)).count
            #expect(count + ArchiveLog.openCloseByteCount <= limit)
            if count < before { isRewritten = true }
        }
        #expect(isRewritten)
    }

    @Test(arguments: [false, true])
    func `a file that is written as a whole records the mark of its source file`(isReloaded: Bool)
        throws
    {
        let disk = SimulatedDisk()
        var archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        let first = try header(of: disk.file(Sample.file))
        if isReloaded {
            archive = try Sample.loaded(on: disk)
            try archive.append(Sample.second)
            #expect(try header(of: disk.file(Sample.file)).sourceFileMark == first.fileMark)
        } else {
            let name = try #require(try archive.quarantineScenes([1], reason: "It is red."))
            let copy = disk.file("\(Sample.directory)/quarantine/\(name)")
            #expect(try header(of: copy).sourceFileMark == first.fileMark)
        }
    }

    @Test func `bytes left by a failed write do not count as another program's change`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        let size = try #require(disk.file(Sample.file)).count
        disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: EIO, isPermanent: true, kinds: [.write, .truncate]))
        #expect(throws: SaveError.self) { try archive.append(Sample.second) }
        disk.inject(nil)
        #expect(try #require(disk.file(Sample.file)).count > size)
        #expect(try archive.check(readingContents: true) == .unchanged)
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 5, 6])
    }

    @Test func `forgetting the state cancels its required generation`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.requireGeneration(because: "of a test")
        archive.discardState()
        #expect(!archive.isGenerationRequired)
        #expect(archive.requiredGenerationReason == "")
    }

    @Test func `an archive whose closed record failed to sync is not closed for the next process`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        // The sync after `closed` fails, and no whole file can be written either.
        disk.inject(SimulatedDisk.Fault(operation: 2, code: EIO, kinds: [.synchronizeData]))
        disk.setGate { $0 != .create }
        #expect(throws: SaveError.self) { try archive.close() }
        disk.setGate(nil)
        disk.inject(nil)
        #expect(!archive.isClosed)
        let found = try Sample.contents(on: disk.copy(afterPowerCut: false))
        #expect(found?.isClosed == false)
        #expect(found?.numbers == [1, 2, 3, 5, 6])
    }

    @Test func `after a whole file is written, its devices are known and its name needs no sync`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        #expect(archive.log.knownFiles.devices == (try archive.location.devices()))
        #expect(archive.log.knownFiles.devices != DirectoryDevices())
        try archive.append(Sample.second)
        let job = try #require(archive.beginSync())
        #expect(job.unsyncedLocation == nil)
    }

    @Test func `directories whose sync failed are synced before a change counts as durable`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        disk.emptyRoot()
        #expect(try archive.check(readingContents: false) == .removed)
        archive.discardState()
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeDirectory]))
        #expect(throws: SaveError.self) { try archive.append(Sample.first) }
        disk.inject(nil)
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(try Sample.contents(on: disk.copy(afterPowerCut: true))?.numbers == [1, 2, 3, 4])
    }

    @Test func `changes pending on a full disk may take as many bytes as two whole files`() throws {
        let disk = SimulatedDisk()
        let archive = ApplicationArchive(bundleIdentifier: Sample.application, below: disk.root)
        _ = try archive.load()
        try archive.append(Sample.first)
        var large = TurnRecords()
        large.addObject(
            Sample.header(2, below: 1, "nav"), values: [UInt8](repeating: 1, count: 1 << 20))
        large.endPass(PassEnd(scene: 1, timestamp: 1))
        try archive.append(large)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        for number in 1...3 {
            let values = [UInt8](repeating: UInt8(number), count: 400_000)
            #expect(throws: SaveError.self) { try archive.append(change(values, number)) }
        }
        disk.inject(nil)
        #expect(try archive.append(TurnRecords()) == .written)
        #expect(archive.consumeIncidents().isEmpty)
        let next = ApplicationArchive(bundleIdentifier: Sample.application, below: disk.root)
        _ = try next.load()
        #expect(next.contents?.values(4)?.first == 3)
    }

    @Test func `L5: sequence numbers continue after a newer generation that replaces an archive`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try Sample.grow(archive, times: 50)
        _ = try archive.makeGeneration(because: "of a test")
        disk.put([UInt8](repeating: 1, count: 100), at: Sample.file)
        let next = Sample.archive(on: disk)
        guard case .damaged = try next.load() else {
            Issue.record("not damaged")
            return
        }
        #expect(next.lastSequenceNumber > archive.lastSequenceNumber)
    }

    @Test func `a scene that exceeds the maximum file size is not quarantined`() throws {
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk, limit: 16_384)
        _ = try archive.load()
        try archive.append(Sample.first)
        try archive.stage(change([UInt8](repeating: 1, count: 16_384), 1))
        #expect(throws: SaveError.self) {
            try archive.quarantineScenes([1], reason: "It is red.")
        }
        #expect(try disk.root.openSubdirectory("\(Sample.directory)/quarantine") == nil)
    }

    @Test func `nothing is quarantined if an earlier reason cannot be removed`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.remove]))
        #expect(throws: SaveError.self) {
            try archive.quarantineScenes([1], reason: "It is red.")
        }
        #expect(disk.names(in: "\(Sample.directory)/quarantine").isEmpty)
    }

    @Test func `devices that cannot be determined are forgotten, and the failure is reported`()
        throws
    {
        // The last operation of a write of a whole file determines the devices. Its number is determined first.
        var count: Int?
        for _ in 1...2 {
            let disk = SimulatedDisk()
            let archive = try Sample.loaded(on: disk)
            try archive.append(Sample.first)
            try archive.requireNewFile()
            disk.inject(count.map { SimulatedDisk.Fault(operation: $0, code: EIO) })
            #expect(try archive.append(TurnRecords()) == .durable)
            let isKnown = archive.log.knownFiles.devices != DirectoryDevices()
            #expect(isKnown == (count == nil))
            let isLogged = archive.consumeIncidents().contains {
                if case .checkFailed = $0 { true } else { false }
            }
            #expect(isLogged == (count != nil))
            count = disk.log.count
        }
    }
}
