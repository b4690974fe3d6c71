import Glibc
import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

/// Tests in which each operation of each task fails once or permanently, with each errno.
@Suite struct ArchiveFaultTests {
    static let faults: [(code: CInt, isPermanent: Bool)] = [
        (ENOSPC, false), (EIO, false), (EROFS, true), (EIO, true),
    ]

    /// Runs a task once for each of its operations, which fails.
    ///
    /// - Parameter check: Called with the disk after the fault was removed, the archive, and whether the task threw an
    ///   error.
    private func failEach(
        _ fault: (code: CInt, isPermanent: Bool),
        prepare: (SimulatedDisk) throws -> ApplicationArchive,
        task: (ApplicationArchive) throws -> Void,
        check: (SimulatedDisk, ApplicationArchive, Bool) throws -> Void
    ) throws -> Int {
        for number in 1...200 {
            let disk = SimulatedDisk()
            let archive = try prepare(disk)
            disk.inject(
                SimulatedDisk.Fault(
                    operation: number, code: fault.code, isPermanent: fault.isPermanent))
            var hasThrown = false
            do { try task(archive) } catch { hasThrown = true }
            let hasOccurred = disk.hasFaultOccurred
            disk.inject(nil)
            guard hasOccurred else { return number - 1 }
            try check(disk, archive, hasThrown)
        }
        Issue.record("the task does not end")
        return 200
    }

    @Test(arguments: faults.indices)
    func `P16: a failed append harms no saved state, and the next append includes its changes`(
        index: Int
    ) throws {
        let reference = SimulatedDisk()
        let archive = try Sample.loaded(on: reference)
        _ = try archive.append(Sample.first)
        let before = try #require(archive.contents).state
        _ = try archive.append(Sample.second)
        let after = try #require(archive.contents).state

        let count = try failEach(Self.faults[index]) { disk in
            let archive = try Sample.loaded(on: disk)
            _ = try archive.append(Sample.first)
            return archive
        } task: { archive in
            _ = try archive.append(Sample.second)
        } check: { disk, archive, hasThrown in
            #expect(hasThrown == archive.hasPendingChanges)
            for cut in [false, true] {
                let found = try Sample.contents(on: disk.copy(afterPowerCut: cut))?.state
                // The first of the two passes may be complete.
                #expect(found == before || found == after || found?.numbers == [1, 2, 3])
                if !hasThrown, !cut { #expect(found == after) }
            }
            _ = try archive.append(TurnRecords())
            try Sample.synchronize(archive)
            #expect(archive.isDurable)
            #expect(try Sample.contents(on: disk.copy(afterPowerCut: true))?.state == after)
            #expect(!archive.hasPendingChanges)
        }
        #expect(count >= 2)
    }

    @Test(arguments: faults.indices)
    func `a failure at any step of the first append loses nothing`(index: Int) throws {
        let count = try failEach(Self.faults[index]) { disk in
            try Sample.loaded(on: disk)
        } task: { archive in
            _ = try archive.append(Sample.first)
        } check: { disk, archive, hasThrown in
            let found = try Sample.contents(on: disk.copy(afterPowerCut: true))
            #expect(found == nil || found?.numbers == [1, 2, 3, 4])
            #expect(try archive.append(TurnRecords()) == .durable)
            let later = try Sample.contents(on: disk.copy(afterPowerCut: true))
            #expect(later?.numbers == [1, 2, 3, 4])
        }
        #expect(count >= 10)
    }

    @Test(arguments: faults.indices)
    func `a failure at any step of closing keeps the state`(index: Int) throws {
        _ = try failEach(Self.faults[index]) { disk in
            let archive = try Sample.loaded(on: disk)
            _ = try archive.append(Sample.first)
            return archive
        } task: { archive in
            try archive.close()
        } check: { disk, archive, hasThrown in
            let found = try Sample.contents(on: disk.copy(afterPowerCut: true))
            #expect(found?.numbers == [1, 2, 3, 4])
            if !hasThrown { #expect(found?.isClosed == true) }
            try archive.close()
            #expect(try Sample.contents(on: disk.copy(afterPowerCut: true))?.isClosed == true)
        }
    }

    @Test func `closing an archive without a file does not repeat a failed write`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.stage(Sample.first)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        let error = #expect(throws: SaveError.self) { try archive.close() }
        guard case .io(let cause) = error else {
            Issue.record("unexpected error: \(error as Any)")
            return
        }
        #expect(cause.code == ENOSPC)
        #expect(archive.hasPendingChanges)
        #expect(disk.file(Sample.file) == nil)
        try archive.close()
        let found = try Sample.contents(on: disk.copy(afterPowerCut: true))
        #expect(found?.numbers == [1, 2, 3, 4])
        #expect(found?.isClosed == true)
        #expect(archive.consumeIncidents() == [], "no file was replaced")
    }

    @Test(arguments: faults.indices)
    func `L5: a failure at any step of quarantining a damaged archive loses nothing`(index: Int)
        throws
    {
        var damaged = Sample.log([Sample.first, Sample.second], published: 11)
        damaged[damaged.count - 1] ^= 1
        let bytes = damaged
        let count = try failEach(Self.faults[index]) { disk in
            disk.put(bytes, at: Sample.file)
            return Sample.archive(on: disk)
        } task: { archive in
            _ = try archive.load()
        } check: { disk, _, _ in
            for cut in [false, true] {
                let copy = disk.copy(afterPowerCut: cut)
                let archive = Sample.archive(on: copy)
                _ = try archive.load()
                // Both loads lead to the same result: the salvaged prefix is never lost.
                #expect(archive.contents?.numbers == [1, 2, 3])
                #expect(copy.kept(bytes))
            }
        }
        #expect(count >= 12)
    }

    @Test(arguments: faults.indices)
    func `a torn end is removed only after the file is copied to quarantine`(index: Int) throws {
        let torn = Array(Sample.log([Sample.first, Sample.second], synced: 0).dropLast(3))
        _ = try failEach(Self.faults[index]) { disk in
            disk.put(torn, at: Sample.file)
            return try Sample.loaded(on: disk)
        } task: { archive in
            try archive.close()
        } check: { disk, _, _ in
            for cut in [false, true] {
                let copy = disk.copy(afterPowerCut: cut)
                #expect(copy.file(Sample.file) == torn || copy.kept(torn))
                let found = try Sample.contents(on: copy)
                #expect(found?.numbers == [1, 2, 3])
            }
        }
    }

    @Test(arguments: [EIO, EACCES])
    func `L5: a system error does not count as damage, and nothing is saved until the next load`(
        code: CInt
    ) throws {
        let disk = SimulatedDisk()
        _ = try Sample.loaded(on: disk).append(Sample.first)
        let before = disk.file(Sample.file)
        let archive = Sample.archive(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: 3, code: code, isPermanent: true))
        let error = LoadError.io(
            IOError(code == EACCES ? .read : .open, path: archive.path, code: code))
        #expect(throws: error) { try archive.load() }
        disk.inject(nil)
        #expect(throws: SaveError.loadFailed(path: archive.path, because: error)) {
            try archive.append(Sample.second)
        }
        #expect(throws: SaveError.self) { try archive.close() }
        #expect(throws: SaveError.self) { try archive.markOpened() }
        #expect(throws: SaveError.self) { try archive.remove(because: "of a test") }
        #expect(disk.log.isEmpty)
        #expect(disk.file(Sample.file) == before)
        _ = try archive.load()
        #expect(try archive.append(Sample.second) == .durable)
    }

    /// Tasks that change names in an application's directories.
    enum Renaming: CaseIterable {
        case firstSave, replacement, salvage, removal, removalOfPending

        /// Prepares the disk. Returns the archive and the task.
        func prepare(
            _ disk: SimulatedDisk
        ) throws -> (archive: ApplicationArchive, change: (ApplicationArchive) throws -> Void) {
            switch self {
            case .firstSave:
                return (try Sample.loaded(on: disk), { _ = try $0.append(Sample.first) })
            case .replacement:
                let archive = try saved(on: disk)
                disk.put([1, 2, 3], at: Sample.file)
                _ = try archive.check(readingContents: true)
                archive.quarantineOnNextWrite()
                return (archive, { _ = try $0.append(TurnRecords()) })
            case .salvage:
                var bytes = Sample.log([Sample.first, Sample.second], published: 11)
                bytes[bytes.count - 1] ^= 1
                disk.put(bytes, at: Sample.file)
                return (Sample.archive(on: disk), { _ = try $0.load() })
            case .removal:
                return (try saved(on: disk), { _ = try $0.remove(because: "of a test") })
            case .removalOfPending:
                let archive = try saved(on: disk)
                try archive.stage(Sample.second)
                return (archive, { _ = try $0.remove(because: "of a test") })
            }
        }

        private func saved(on disk: SimulatedDisk) throws -> ApplicationArchive {
            let archive = try Sample.loaded(on: disk)
            _ = try archive.append(Sample.first)
            return archive
        }
    }

    @Test(arguments: Renaming.allCases)
    func `a failed directory sync is always an error`(renaming: Renaming) throws {
        for number in 1...30 {
            let disk = SimulatedDisk()
            let (archive, change) = try renaming.prepare(disk)
            disk.inject(
                SimulatedDisk.Fault(operation: number, code: EIO, kinds: [.synchronizeDirectory]))
            var hasThrown = false
            do { try change(archive) } catch { hasThrown = true }
            guard disk.hasFaultOccurred else {
                #expect(!hasThrown)
                #expect(number > 2)
                return
            }
            #expect(hasThrown, "sync \(number)")
        }
        Issue.record("the task does not end")
    }

    @Test func `L5: a damaged archive is not moved if a leftover file cannot be removed`() throws {
        let disk = SimulatedDisk()
        disk.put([1, 2, 3], at: Sample.file)
        disk.put([4], at: "\(Sample.directory)/data.archive.salvaged")
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.remove]))
        #expect(throws: LoadError.self) { try Sample.archive(on: disk).load() }
        #expect(disk.file(Sample.file) == [1, 2, 3])
    }
}

extension SimulatedDisk {
    /// Returns whether quarantine contains exactly these bytes, with a reason.
    func kept(_ bytes: [UInt8]) -> Bool {
        (1...9).contains { number in
            let name = "\(Sample.directory)/quarantine/00000\(number)-data.archive"
            return file(name) == bytes && file("\(name).reason")?.isEmpty == false
        }
    }
}
