import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

@Suite struct GenerationTests {
    private static let history = "\(Sample.directory)/history"

    private func saved(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        return archive
    }

    /// Returns the numbers of the objects in a generation, or `nil` if the generation does not exist or is incomplete.
    private func generation(_ number: Int, on disk: SimulatedDisk) -> [UInt32]? {
        guard let bytes = disk.file("\(Self.history)/00000\(number).archive"),
            case .whole(let prefix) = ArchiveReader.read(
                bytes, bundleIdentifier: Sample.application)
        else { return nil }
        return prefix.contents.numbers
    }

    @Test func `a generation durably stores the state in memory in its own file`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        let bytes = disk.file(Sample.file)
        #expect(
            try archive.makeGeneration(because: "of a test")
                == "/state/\(Self.history)/000001.archive")
        let kept = disk.file("\(Self.history)/000001.archive")
        let cut = disk.copy(afterPowerCut: true)
        #expect(cut.file("\(Self.history)/000001.archive") == kept)
        #expect(generation(1, on: cut) == [1, 2, 3, 4])
        #expect(cut.file(Sample.file) == bytes)
        _ = try archive.append(Sample.second)
        #expect(disk.file("\(Self.history)/000001.archive") == kept)
        #expect(
            try archive.makeGeneration(because: "of a test")
                == "/state/\(Self.history)/000002.archive")
        #expect(generation(2, on: disk) == [1, 2, 3, 5, 6])
        #expect(try archive.generations().map { Int($0.name) } == [1, 2])
    }

    @Test func `a state that exceeds the size limit cannot become a generation`() throws {
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk, limit: 8192)
        _ = try archive.load()
        try archive.append(Sample.first)
        var turn = TurnRecords()
        turn.addObject(
            Sample.header(4, below: 1, "side"), values: Array(repeating: 1, count: 9000))
        turn.endPass(PassEnd(scene: 1, timestamp: 2))
        try archive.stage(turn)
        #expect(throws: SaveError.self) { try archive.requireGeneration(because: "of a test") }
        #expect(throws: SaveError.self) { try archive.makeGeneration(because: "of a test") }
        #expect(throws: SaveError.self) { try archive.quarantineScenes([1], reason: "Too long.") }
        #expect(throws: SaveError.self) { try archive.remove(because: "of a test") }
        #expect(!archive.isGenerationRequired)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
        #expect(try disk.root.openSubdirectory(Self.history) == nil)
    }

    @Test func `without saved state, neither a generation nor its directory is created`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        #expect(try archive.makeGeneration(because: "of a test") == nil)
        #expect(!archive.isGenerationRequired)
        #expect(disk.nodeCount == 1)
    }

    @Test func `a generation includes changes that are not saved yet`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.stage(Sample.second)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
        _ = try archive.makeGeneration(because: "of a test")
        #expect(generation(1, on: disk) == [1, 2, 3, 5, 6])
        #expect(archive.hasPendingChanges)
    }

    @Test func `L5: a generation of pending changes is not newer than an archive saved after it`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.stage(Sample.second)
        _ = try archive.makeGeneration(because: "of a test")
        _ = try archive.append(TurnRecords())
        let length = try #require(disk.file(Sample.file)).count
        _ = try archive.append(Sample.late)
        try archive.close()
        var bytes = try #require(disk.file(Sample.file))
        bytes[length + 30] ^= 1
        disk.put(bytes, at: Sample.file)
        guard case .damaged(let damage) = try Sample.archive(on: disk).load() else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.salvageSourcePath == nil)
        #expect(damage.salvagedContents?.numbers == [1, 2, 3, 5, 6])
    }

    @Test
    func `a required generation is added by the next write and contains the earlier state`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        let bytes = disk.file(Sample.file)
        disk.inject(nil)
        try archive.requireGeneration(because: "of a test")
        #expect(disk.log.isEmpty)
        #expect(archive.hasUnwrittenState)
        _ = try archive.append(Sample.second)
        #expect(!archive.hasUnwrittenState)
        #expect(disk.file("\(Self.history)/000001.archive") == bytes)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 5, 6])
        _ = try archive.append(TurnRecords())
        #expect(try archive.generations().count == 1)
    }

    @Test func `no generation counts as unchanged while another one is required`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        let path = try archive.makeGeneration(because: "of a test")
        #expect(archive.unchangedGenerationPath() == path)
        try archive.requireGeneration(because: "of another")
        #expect(archive.unchangedGenerationPath() == nil)
        try archive.makeRequiredGeneration()
        #expect(archive.unchangedGenerationPath()?.hasSuffix("000002.archive") == true)
    }

    @Test func `closing an archive adds the required generation`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.requireGeneration(because: "of a test")
        try archive.close()
        #expect(generation(1, on: disk) == [1, 2, 3, 4])
    }

    @Test(arguments: ArchiveFaultTests.faults.indices)
    func `R16: state that requires a generation is not overwritten before the generation exists`(
        index: Int
    ) throws {
        let fault = ArchiveFaultTests.faults[index]
        for number in 1...200 {
            let disk = SimulatedDisk()
            let archive = try saved(on: disk)
            let bytes = disk.file(Sample.file)
            try archive.requireGeneration(because: "of a test")
            disk.inject(
                SimulatedDisk.Fault(
                    operation: number, code: fault.code, isPermanent: fault.isPermanent))
            var hasThrown = false
            do { _ = try archive.append(Sample.second) } catch { hasThrown = true }
            let hasOccurred = disk.hasFaultOccurred
            disk.inject(nil)
            guard hasOccurred else {
                #expect(number > 8)
                return
            }
            for cut in [false, true] {
                let copy = disk.copy(afterPowerCut: cut)
                // The temporary file of a generation is not a generation.
                let isKept = generation(1, on: copy) == [1, 2, 3, 4]
                #expect(isKept || copy.file(Sample.file) == bytes, "operation \(number)")
            }
            #expect(hasThrown == archive.hasUnwrittenState)
            _ = try archive.append(TurnRecords())
            try Sample.synchronize(archive)
            #expect(archive.isDurable)
            let after = disk.copy(afterPowerCut: true)
            #expect(generation(1, on: after) == [1, 2, 3, 4])
            #expect(try Sample.contents(on: after)?.numbers == [1, 2, 3, 5, 6])
        }
        Issue.record("the task does not end")
    }

    @Test(arguments: ArchiveFaultTests.faults.indices, [false, true])
    func `L1: a failure at any step of a forced quit loses nothing`(index: Int, pending: Bool)
        throws
    {
        let fault = ArchiveFaultTests.faults[index]
        let expected: [UInt32] = pending ? [1, 2, 3, 5, 6] : [1, 2, 3, 4]
        for number in 1...200 {
            let disk = SimulatedDisk()
            let archive = try saved(on: disk)
            if pending { try archive.stage(Sample.second) }
            disk.inject(
                SimulatedDisk.Fault(
                    operation: number, code: fault.code, isPermanent: fault.isPermanent))
            var hasThrown = false
            do { try archive.remove(because: "of a test") } catch { hasThrown = true }
            let hasOccurred = disk.hasFaultOccurred
            disk.inject(nil)
            guard hasOccurred else {
                #expect(number > 6)
                #expect(generation(1, on: disk.copy(afterPowerCut: true)) == expected)
                return
            }
            let after = disk.copy(afterPowerCut: true)
            if hasThrown {
                let saved = try Sample.contents(on: after)?.numbers
                #expect(
                    saved == [1, 2, 3, 4] || generation(1, on: after) == expected,
                    "operation \(number)")
                #expect(archive.contents?.numbers == expected)
                _ = try archive.append(TurnRecords())
                #expect(try Sample.contents(on: disk)?.numbers == expected)
                try archive.remove(because: "of a test")
            }
            #expect(try Sample.contents(on: disk.copy(afterPowerCut: true)) == nil)
        }
        Issue.record("the task does not end")
    }

    @Test func `L1: a forced quit also adds the generation that is required`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.requireGeneration(because: "of a test")
        try archive.stage(Sample.second)
        #expect(try archive.remove(because: "of a test")?.hasSuffix("/000002.archive") == true)
        #expect(generation(1, on: disk) == [1, 2, 3, 4])
        #expect(generation(2, on: disk) == [1, 2, 3, 5, 6])
        #expect(try Sample.contents(on: disk) == nil)
    }

    @Test func `L1: a torn archive is quarantined when it is removed`() throws {
        let torn = Array(Sample.log([Sample.first, Sample.second], synced: 0).dropLast(3))
        let disk = SimulatedDisk()
        disk.put(torn, at: Sample.file)
        let archive = try Sample.loaded(on: disk)
        try archive.stage(Sample.first.withoutNames)
        try archive.remove(because: "of a test")
        #expect(disk.kept(torn))
        #expect(generation(1, on: disk) == [1, 2, 3, 4])
    }

    @Test func `an archive is not closed if a required generation cannot be made`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.requireGeneration(because: "of a test")
        disk.put([1], at: Self.history)
        #expect(throws: SaveError.self) { try archive.close() }
        #expect(!archive.isClosed)
        #expect(archive.isGenerationRequired)
    }

    @Test func `only an existing generation can be deleted, and only once`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        for _ in 1...2 { _ = try archive.makeGeneration(because: "of a test") }
        let path = "/state/\(Self.history)"
        for name in ["", "0", "3", "+1", "-1", "000001.archive", "../data"] {
            #expect(throws: StoredStateError.unknown(name: name, in: path)) {
                try archive.deleteGeneration(name)
            }
        }
        try archive.deleteGeneration("1")
        let left = ["000002.archive", "000002.archive.reason"]
        #expect(disk.copy(afterPowerCut: true).names(in: Self.history) == left)
        #expect(throws: StoredStateError.unknown(name: "1", in: path)) {
            try archive.deleteGeneration("1")
        }
    }

    @Test func `only a file that quarantine lists can be deleted from it, and only once`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        _ = try archive.makeGeneration(because: "of a test")
        let name = try #require(try archive.quarantineScenes([1], reason: "It is red."))
        let quarantine = "\(Sample.directory)/quarantine"
        disk.put([1], at: "\(quarantine)/archive.new")
        let before = disk.names(in: quarantine)
        for other in ["none", "\(name).reason", "archive.new", "../history/000001.archive"] {
            #expect(throws: StoredStateError.self) { try archive.deleteQuarantinedFile(other) }
        }
        #expect(disk.names(in: quarantine) == before)
        #expect(disk.file("\(Self.history)/000001.archive") != nil)
        try archive.deleteQuarantinedFile(name)
        #expect(disk.copy(afterPowerCut: true).names(in: quarantine) == ["archive.new"])
        #expect(throws: StoredStateError.unknown(name: name, in: "/state/\(quarantine)/")) {
            try archive.deleteQuarantinedFile(name)
        }
    }

    @Test func `a deferred generation contains the state from before the later changes`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.deferRequiredGeneration()
        #expect(!archive.isGenerationRequired && !archive.isGenerationDeferred)
        try archive.requireGeneration(because: "of a test")
        try archive.requireGeneration(because: "of another one")
        #expect(archive.requiredGenerationReason == "of a test")
        #expect(archive.isGenerationRequired && !archive.isGenerationDeferred)
        let bytes = disk.file(Sample.file)
        try archive.deferRequiredGeneration()
        #expect(!archive.isGenerationRequired && archive.isGenerationDeferred)
        #expect(!archive.hasUnwrittenState)
        try archive.append(Sample.second)
        #expect(disk.names(in: Self.history) == [])
        #expect(try archive.makeRequiredGeneration() == "/state/\(Self.history)/000001.archive")
        #expect(disk.file("\(Self.history)/000001.archive") == bytes)
        #expect(!archive.isGenerationDeferred)
        #expect(try archive.makeRequiredGeneration() == nil)
    }

    @Test func `deferring the required generation of an archive without a file cancels it`() throws
    {
        let archive = try Sample.loaded(on: SimulatedDisk())
        try archive.requireGeneration(because: "of a test")
        try archive.deferRequiredGeneration()
        #expect(!archive.isGenerationRequired && !archive.isGenerationDeferred)
    }

    @Test(arguments: [EFBIG, EINVAL, EISDIR, EACCES, EIO])
    func `L5: an older generation is used if the newest one cannot be used`(
        code: CInt
    ) throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        _ = try archive.makeGeneration(because: "of a test")
        try archive.append(Sample.second)
        _ = try archive.makeGeneration(because: "of a test")
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        let history = try #require(try NumberedFileDirectory(.history, existingIn: directory))
        func newest() throws -> String? {
            try history.newestUsableGeneration(
                limit: 1 << 20, bundleIdentifier: Sample.application)?.path
        }
        #expect(try newest()?.hasSuffix("000002.archive") == true)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: code, kinds: [.read]))
        if code == EIO {
            #expect(throws: IOError.self) { try newest() }
        } else {
            #expect(try newest()?.hasSuffix("000001.archive") == true)
        }
        disk.inject(nil)
        disk.put([1], at: "\(Self.history)/000002.archive")
        #expect(try newest()?.hasSuffix("000001.archive") == true)
    }
}

extension TurnRecords {
    /// The objects of a turn, for an archive that already has the turn's names.
    fileprivate var withoutNames: TurnRecords {
        var turn = TurnRecords()
        for pass in passes {
            for object in pass.objects.objects { turn.addObject(object) }
            turn.endPass(pass.end)
        }
        return turn
    }
}
