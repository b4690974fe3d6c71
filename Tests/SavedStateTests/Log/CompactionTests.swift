import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of compactions that are interrupted by failures of the disk or by other programs.
@Suite struct CompactionTests {
    private let foreign = Sample.log([Sample.first, Sample.third], published: 9)
    private let leftover = "\(Sample.directory)/data.archive.compacted"

    /// Returns an archive that was closed during a compaction, and the copy that was made nevertheless.
    private func cancelledCopy(
        on disk: SimulatedDisk
    ) throws -> (archive: ApplicationArchive, job: CompactionJob, result: CompactionResult) {
        let archive = try Sample.grownArchive(on: disk)
        let job = try #require(archive.beginCompaction())
        try archive.close()
        return (archive, job, job.run())
    }

    @Test(arguments: [EINVAL, ENOSYS])
    func `an unsupported exchange of names is reported once and not attempted again`(
        code: CInt
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: code, isPermanent: true, kinds: [.exchange]))
        #expect(archive.endCompaction(job, job.run()) == nil)
        #expect(archive.consumeIncidents() == [.compactionUnsupported])
        #expect(disk.file(leftover) == nil)
        let live = try #require(archive.contents)
        #expect(try Sample.contents(on: disk.copy(afterPowerCut: false))?.state == live.state)

        // The file continues to grow up to a limit, and is not compacted.
        var longest = 0
        for times in 21..<80 {
            try Sample.grow(archive, times: times)
            #expect(archive.beginCompaction() == nil)
            longest = max(longest, disk.file(Sample.file)?.count ?? 0)
        }
        let whole = live.objects.map { 60 + $0.header.identifier.utf8.count + $0.values.count }
        #expect(longest < 20 * whole.reduce(200, +))
        #expect(archive.consumeIncidents().isEmpty)
        let after = try Sample.contents(on: disk.copy(afterPowerCut: false))
        #expect(after?.state == archive.contents?.state)
    }

    @Test
    func `another program's file keeps its name when an exchange is cancelled`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        try #require(try disk.root.openSubdirectory(Sample.directory)).remove("data.archive")
        disk.put(foreign, at: Sample.file)
        let result = job.run()
        // The archive is closed before it has processed the result of the exchange.
        #expect(throws: SaveError.self) { try archive.close() }
        #expect(archive.endCompaction(job, result) == nil)
        #expect(disk.file(Sample.file) == foreign)
        #expect(disk.file(leftover) == nil)
        #expect(archive.isChangedExternally)
        archive.quarantineOnNextWrite()
        try archive.close()
        #expect(disk.kept(foreign))
    }

    @Test func `each failing step of an exchange has the expected outcome`() throws {
        func outcomes(_ fault: SimulatedDisk.Fault?) throws -> (String, [DiskOperation]) {
            let disk = SimulatedDisk()
            let job = try Sample.exchange(of: try Sample.grownArchive(on: disk))
            disk.inject(fault)
            disk.startRecording()
            let result = job.run()
            let operations = try #require(disk.stopRecording()).steps.map(\.operation)
            switch result {
            case .copied: return ("copied", operations)
            case .published(let isForeignFileRestored):
                return ("published \(isForeignFileRestored)", operations)
            case .failed(.aborted): return ("refused", operations)
            case .failed(.unsupported): return ("unsupported", operations)
            case .failed(.unpublished): return ("unpublished", operations)
            case .failed(.unreadable): return ("unreadable", operations)
            }
        }
        let (result, operations) = try outcomes(nil)
        #expect(result == "published false")
        var found: [String] = []
        for (index, operation) in operations.enumerated() {
            let fault = SimulatedDisk.Fault(operation: index + 1, code: EIO)
            found.append("\(operation.kind.rawValue): \(try outcomes(fault).0)")
        }
        #expect(
            found == [
                "synchronizeData: refused", "exchange: refused",
                "synchronizeDirectory: unpublished",
                "status: unpublished", "status: unpublished", "read: unpublished",
                "remove: unpublished",
            ])
    }

    @Test(arguments: ["cancelled", "refused", "exchanged"])
    func `after any outcome of an exchange, the next append detects that the file lost its name`(
        end: String
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        switch end {
        case "cancelled":
            try directory.rename("data.archive", to: "elsewhere")
            #expect(try archive.check(readingContents: false) == .removed)
            try directory.rename("elsewhere", to: "data.archive")
            #expect(try archive.check(readingContents: false) == .unchanged)
            #expect(archive.endCompaction(job, job.run()) == nil)
        case "refused":
            disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.exchange]))
            #expect(archive.endCompaction(job, job.run()) == nil)
            disk.inject(nil)
        default:
            #expect(archive.endCompaction(job, job.run()) == nil)
        }
        try Sample.grow(archive, times: 1)
        #expect(try archive.check(readingContents: true) == .unchanged)
        try directory.remove("data.archive")
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 2) }
        #expect(archive.isChangedExternally)
    }

    @Test(arguments: [false, true])
    func `a sync during a compaction makes both the old and the new file durable`(
        isJob: Bool
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        // The new file has the name, but the archive has not processed that yet.
        _ = try Sample.exchange(of: archive).run()
        try Sample.grow(archive, times: 1)
        #expect(!archive.isDurable)
        if isJob { try Sample.synchronize(archive) } else { try archive.synchronize() }
        #expect(archive.isDurable)
        let live = archive.contents?.state
        #expect(try Sample.contents(on: disk.copy(afterPowerCut: true))?.state == live)
    }

    @Test
    func `after a failed sync during a compaction, both files still count as the archive's own`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        _ = try Sample.exchange(of: archive).run()
        try Sample.grow(archive, times: 1)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeData]))
        #expect(throws: SaveError.self) { try Sample.synchronize(archive) }
        disk.inject(nil)
        try Sample.grow(archive, times: 2)
        #expect(!archive.isChangedExternally)
        #expect(try archive.check(readingContents: true) == .unchanged)
        #expect(try disk.root.openSubdirectory("\(Sample.directory)/quarantine") == nil)
        let live = archive.contents?.state
        #expect(try Sample.contents(on: disk.copy(afterPowerCut: false))?.state == live)
    }

    @Test func `a failed append to the new file of a compaction does not damage the old file`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        // The records are appended to the old file first.
        disk.inject(SimulatedDisk.Fault(operation: 2, code: ENOSPC, kinds: [.write]))
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        disk.inject(nil)
        try Sample.grow(archive, times: 2)
        #expect(!archive.isChangedExternally)
        #expect(archive.endCompaction(job, job.run()) == nil)
        let live = archive.contents?.state
        #expect(try Sample.contents(on: disk.copy(afterPowerCut: false))?.state == live)
    }

    @Test
    func `a failed compaction is retried only after growth, and a success clears the failure`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let copy = try #require(archive.beginCompaction())
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        #expect(archive.endCompaction(copy, copy.run()) == nil)
        disk.inject(nil)
        let size = try #require(disk.file(Sample.file)).count
        #expect(archive.beginCompaction() == nil)
        var round = 0
        while try #require(disk.file(Sample.file)).count <= size + size / 2, round < 50 {
            #expect(archive.beginCompaction() == nil)
            round += 1
            try Sample.grow(archive, times: round)
        }
        let job = try Sample.exchange(of: archive)
        #expect(archive.endCompaction(job, job.run()) == nil)
        // The earlier failure has no further effect.
        try Sample.grow(archive)
        #expect(archive.beginCompaction() != nil)
    }

    @Test
    func `a file that another program overwrote is not compacted, and the change is detected`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let copy = try #require(archive.beginCompaction())
        disk.put(foreign, at: Sample.file)
        #expect(archive.endCompaction(copy, copy.run()) == nil)
        #expect(archive.isChangedExternally)
        #expect(try archive.check(readingContents: true) != .unchanged)
        #expect(disk.file(leftover) == nil)
        #expect(disk.file(Sample.file) == foreign)
    }

    @Test(arguments: ["emptied", "damaged", "replaced"])
    func `L8: a file that another program changes before the exchange gets its name back`(
        change: String
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        var bytes = try #require(disk.file(Sample.file))
        switch change {
        case "emptied": bytes = []
        case "damaged": bytes[bytes.count / 2] ^= 1
        default: bytes = foreign
        }
        disk.put(bytes, at: Sample.file)
        #expect(archive.endCompaction(job, job.run()) == nil)
        #expect(archive.isChangedExternally)
        #expect(disk.file(leftover) == nil)
        #expect(disk.file(Sample.file) == bytes)
        archive.quarantineOnNextWrite()
        try archive.close()
        #expect(disk.kept(bytes))
    }

    @Test(arguments: [false, true])
    func `leftovers of a cancelled compaction are removed after any number of whole-file writes`(
        isCopied: Bool
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        // One step continues after the failed sync, and ends when the archive no longer needs it.
        let copy = try #require(archive.beginCompaction())
        let copied = copy.run()
        let exchange = isCopied ? archive.endCompaction(copy, copied) : nil
        for number in 1...3 {
            try Sample.grow(archive, times: number)
            let sync = try #require(archive.beginSync())
            #expect(throws: SaveError.self) {
                try archive.endSync(
                    sync, .failure(IOError(.synchronize, path: archive.path, code: EIO)))
            }
        }
        try Sample.grow(archive, times: 4)
        let live = archive.contents?.state
        #expect(disk.file(leftover) != nil)
        let killed = disk.copy(afterPowerCut: false)
        #expect(try Sample.contents(on: killed)?.state == live)
        #expect(killed.file(leftover) == nil)
        #expect(killed.file("\(Sample.directory)/quarantine/000001-data.archive") == nil)
        // A process that continues removes the leftover itself.
        if let exchange {
            #expect(archive.endCompaction(exchange, exchange.run()) == nil)
        } else {
            #expect(archive.endCompaction(copy, copied) == nil)
        }
        #expect(disk.file(leftover) == nil)
    }

    @Test func `a closed archive is not compacted`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        try archive.close()
        #expect(archive.beginCompaction() == nil)
        try archive.markOpened()
        #expect(archive.beginCompaction() != nil)
    }

    @Test
    func `an unrelated archive under the name of a compaction's leftover is quarantined at load`()
        throws
    {
        let disk = SimulatedDisk()
        try Sample.grownArchive(on: disk).close()
        disk.put(foreign, at: leftover)
        _ = try Sample.loaded(on: disk)
        #expect(disk.kept(foreign))
        #expect(disk.file(leftover) == nil)
    }

    @Test(arguments: [false, true])
    func `a compaction's leftover is recognized even after a whole file is written`(
        isExchanged: Bool
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        let kinds: Set<DiskOperation.Kind> =
            isExchanged ? [.remove] : [.remove, .synchronizeData]
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true, kinds: kinds))
        #expect(archive.endCompaction(job, job.run()) == nil)
        #expect(disk.file(leftover) != nil)
        disk.inject(nil)
        try archive.requireNewFile()
        try archive.append(TurnRecords())
        let killed = disk.copy(afterPowerCut: false)
        _ = try Sample.loaded(on: killed)
        #expect(killed.file(leftover) == nil)
        #expect(try killed.root.openSubdirectory("\(Sample.directory)/quarantine") == nil)
    }

    @Test(arguments: 1...12)
    func `the next load removes the leftover of a killed process's compaction`(operation: Int)
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: operation, code: EIO, isPermanent: true))
        let copy = archive.beginCompaction()
        let next = copy.flatMap { archive.endCompaction($0, $0.run()) }
        _ = next.map { $0.run() }
        disk.inject(nil)
        let killed = disk.copy(afterPowerCut: false)
        _ = try Sample.loaded(on: killed)
        #expect(killed.file(leftover) == nil)
        #expect(try killed.root.openSubdirectory("\(Sample.directory)/quarantine") == nil)
    }

    @Test func `a compaction does not take back sequence numbers that are already used`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        // The copy in quarantine has used the next sequence numbers.
        _ = try archive.quarantineScenes([1], reason: "It is red.")
        let turn = archive.lastSequenceNumber
        let job = try Sample.exchange(of: archive)
        #expect(archive.lastSequenceNumber == turn)
        #expect(archive.endCompaction(job, job.run()) == nil)
        #expect(archive.lastSequenceNumber == turn)
    }

    @Test
    func `a whole file records its direct source only after a cancelled compaction has ended`()
        throws
    {
        func header(on disk: SimulatedDisk) throws -> ArchiveHeader {
            let bytes = try #require(disk.file(Sample.file))
            return try #require(ArchiveHeader(bytes))
        }
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let first = try header(on: disk)
        let copy = try #require(archive.beginCompaction())
        let copied = copy.run()
        for _ in 1...2 {
            let sync = try #require(archive.beginSync())
            #expect(throws: SaveError.self) {
                try archive.endSync(
                    sync, .failure(IOError(.synchronize, path: archive.path, code: EIO)))
            }
            // The first change is written to a whole file, and the second change is appended to it.
            try Sample.grow(archive, times: 2)
            // Until the compaction has ended, its leftover is identified by the file from which it was made.
            #expect(try header(on: disk).sourceFileMark == first.fileMark)
        }
        #expect(archive.endCompaction(copy, copied) == nil)
        let before = try header(on: disk)
        try archive.requireNewFile()
        try archive.append(TurnRecords())
        #expect(try header(on: disk).sourceFileMark == before.fileMark)
    }

    @Test(arguments: ["required", "removed", "closed"])
    func `cancelling an exchange that cannot be made durable is an error`(
        operation: String
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        _ = try Sample.exchange(of: archive).run()
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeDirectory]))
        func giveUp() throws {
            switch operation {
            case "required": try archive.requireNewFile()
            case "removed": try archive.remove(because: "of a test")
            default: try archive.close()
            }
        }
        #expect(throws: SaveError.self) { try giveUp() }
        disk.inject(nil)
        #expect(try archive.append(TurnRecords()) == .durable)
    }

    @Test(
        arguments: [
            (.exchange, EINVAL, true), (.exchange, ENOSYS, true), (.exchange, EOPNOTSUPP, true),
            (.exchange, EIO, false), (.synchronizeData, EINVAL, false),
        ] as [(DiskOperation.Kind, CInt, Bool)])
    func `only an exchange that the file system does not support is reported as unsupported`(
        kind: DiskOperation.Kind, code: CInt, isUnknown: Bool
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try Sample.exchange(of: archive)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: code, kinds: [kind]))
        #expect(archive.endCompaction(job, job.run()) == nil)
        let incidents = archive.consumeIncidents()
        #expect((incidents == [.compactionUnsupported]) == isUnknown)
        #expect(incidents.count == 1)
        #expect(disk.file(leftover) == nil)
    }

    @Test(arguments: 1...2)
    func `a copy that lacks records appended meanwhile does not replace the file`(
        write: Int
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try #require(archive.beginCompaction())
        try Sample.grow(archive, times: 70)
        let live = archive.contents?.state
        disk.inject(SimulatedDisk.Fault(operation: write, code: ENOSPC, kinds: [.write]))
        let result = job.run()
        guard case .failed = result else {
            Issue.record("the copy lacks records")
            return
        }
        disk.inject(nil)
        #expect(archive.endCompaction(job, result) == nil)
        #expect(disk.file(leftover) == nil)
        #expect(try Sample.contents(on: disk)?.state == live)
    }

    @Test func `a copy contains the records that are appended while it is made`() throws {
        for times in [1, 64, 65, 70, 200] {
            let disk = SimulatedDisk()
            let archive = try Sample.grownArchive(on: disk)
            let job = try #require(archive.beginCompaction())
            try Sample.grow(archive, times: times)
            let turn = archive.lastSequenceNumber
            let exchange = try #require(archive.endCompaction(job, job.run()))
            #expect(archive.lastSequenceNumber == turn)
            try Sample.grow(archive, times: 3)
            #expect(archive.endCompaction(exchange, exchange.run()) == nil)
            #expect(archive.lastSequenceNumber == turn + 3)
            #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
        }
    }

    @Test func `a copy does not contain records whose append failed`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        let job = try #require(archive.beginCompaction())
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        #expect(throws: SaveError.self) { try Sample.grow(archive, times: 1) }
        disk.inject(nil)
        try Sample.grow(archive, times: 2)
        let exchange = try #require(archive.endCompaction(job, job.run()))
        #expect(archive.endCompaction(exchange, exchange.run()) == nil)
        #expect(!archive.isChangedExternally)
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    @Test func `the copy of a cancelled compaction is removed`() throws {
        let disk = SimulatedDisk()
        let (archive, job, result) = try cancelledCopy(on: disk)
        #expect(disk.file(leftover) != nil)
        #expect(archive.endCompaction(job, result) == nil)
        #expect(disk.file(leftover) == nil)
        #expect(try Sample.contents(on: disk)?.isClosed == true)
        #expect(archive.consumeIncidents() == [])
        disk.put([1], at: leftover)
        #expect(archive.endCompaction(job, result) == nil)
        #expect(disk.file(leftover) == [1], "it is another file")
    }

    @Test func `the file grows up to 16 times the necessary length without compaction`() throws {
        let disk = SimulatedDisk()
        let archive = ApplicationArchive(
            bundleIdentifier: Sample.application, below: disk.root, limit: 1000,
            maximumUncompactedBytes: 0)
        _ = try archive.load()
        let log = archive.log
        #expect(log.maximumBytes(compactedByteCount: 3, maximumUncompactedBytes: 2) == 1000)
        log.compactionThreshold = .max
        for (whole, minimum, most) in [
            (3, 2, 48), (2, 3, 48), (0, 0, 0), (62, 0, 992), (63, 0, 1000), (0, 63, 1000),
        ] {
            #expect(
                log.maximumBytes(compactedByteCount: whole, maximumUncompactedBytes: minimum)
                    == most)
        }
    }

    /// Checks that new records always have higher sequence numbers than all earlier records.
    @Test(arguments: 0..<12)
    func `L5: sequence numbers only increase in the archive and the history`(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let disk = SimulatedDisk()
        let archive = try Sample.grownArchive(on: disk)
        var highest: UInt64 = 0
        var (generations, changes) = (0, 100)
        func end(_ path: String) throws -> UInt64 {
            let bytes = try #require(disk.file(path))
            guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
                throw MalformedPass("\(path) is not whole")
            }
            return prefix.end.sequence
        }
        for step in 0..<40 {
            switch numbers.below(6) {
            case 0: try archive.requireNewFile()
            case 1:
                _ = try archive.makeGeneration(because: "of a test")
                generations += 1
                let name = NumberedName.paddedNumber(generations)
                let generation = try end("\(Sample.directory)/history/\(name).archive")
                #expect(generation > highest, "step \(step)")
                highest = generation
            case 2:
                guard let copy = archive.beginCompaction() else { continue }
                let result = copy.run()
                if numbers.happens(percent: 50) {
                    _ = try archive.makeGeneration(because: "of a test")
                    generations += 1
                }
                if let exchange = archive.endCompaction(copy, result) {
                    _ = archive.endCompaction(exchange, exchange.run())
                }
            default: break
            }
            for _ in 0...numbers.below(3) {
                // No turn equals the turn before, because an equal turn would not be appended.
                changes += 1
                var turn = TurnRecords()
                turn.addObject(
                    Sample.header(4, below: 1, "side"),
                    values: [UInt8](repeating: UInt8(changes), count: 80))
                turn.endPass(PassEnd(scene: 1, timestamp: Int64(changes)))
                try archive.append(turn)
            }
            let file = try end(Sample.file)
            #expect(file >= highest, "step \(step)")
            highest = file
        }
    }

    @Test func `a copy that cannot be removed is reported`() throws {
        let disk = SimulatedDisk()
        let (archive, job, result) = try cancelledCopy(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.remove]))
        #expect(archive.endCompaction(job, result) == nil)
        guard case .cleanupFailed(let error) = archive.consumeIncidents().first else {
            Issue.record("nothing is reported")
            return
        }
        #expect(error.code == EIO)
        #expect(disk.file(leftover) != nil)
    }
}
