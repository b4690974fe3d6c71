import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Synchronization
import TestSupport
import Testing

@testable import SavedState

/// Tests of other programs' changes to the file of a running application. No state of either program is lost (L4).
@Suite struct ExternalChangeTests {
    private let foreign = Sample.log([Sample.first, Sample.third], published: 9)

    private func applicationDirectory(_ disk: SimulatedDisk) throws -> SimulatedDirectory {
        try #require(try disk.root.openSubdirectory(Sample.directory))
    }

    /// Checks that the archive has noticed a change by another program.
    private func expectNoticed(
        _ archive: ApplicationArchive, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(SaveError) {
            try archive.append(TurnRecords())
            Issue.record("it was written over", sourceLocation: sourceLocation)
        } catch {
            guard case .changedExternally = error else {
                Issue.record("\(error)", sourceLocation: sourceLocation)
                return
            }
        }
        #expect(archive.isChangedExternally, sourceLocation: sourceLocation)
    }

    @Test func `a file that another program creates is quarantined, and the live state is saved`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.stage(Sample.first)
        disk.put(foreign, at: Sample.file)
        for _ in 1...2 {
            expectNoticed(archive)
            #expect(disk.file(Sample.file) == foreign)
        }
        archive.quarantineOnNextWrite()
        try archive.append(TurnRecords())
        #expect(disk.copy(afterPowerCut: true).kept(foreign))
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
        guard case .changedExternally = archive.consumeIncidents().first else {
            Issue.record("not told")
            return
        }
    }

    @Test func `a file that replaces an archive that was not closed is quarantined`() throws {
        let disk = SimulatedDisk()
        _ = try Sample.loaded(on: disk).append(Sample.first)
        let archive = try Sample.loaded(on: disk)
        try applicationDirectory(disk).remove("data.archive")
        disk.put(foreign, at: Sample.file)
        expectNoticed(archive)
        archive.quarantineOnNextWrite()
        try archive.append(TurnRecords())
        #expect(disk.kept(foreign))
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
    }

    @Test func `another program's file is not overwritten until it can be quarantined`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        try applicationDirectory(disk).remove("data.archive")
        disk.put(foreign, at: Sample.file)
        disk.put([1], at: "\(Sample.directory)/quarantine")
        try archive.stage(Sample.second)
        expectNoticed(archive)
        archive.quarantineOnNextWrite()
        for _ in 1...3 {
            #expect(throws: SaveError.self) { try archive.append(TurnRecords()) }
            #expect(disk.file(Sample.file) == foreign)
        }
        try applicationDirectory(disk).remove("quarantine")
        try archive.append(TurnRecords())
        #expect(disk.kept(foreign))
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 5, 6])
        #expect(disk.file("\(Sample.directory)/data.archive.salvaged") == nil)
    }

    @Test(arguments: [false, true])
    func `an archive that lost its name is detected before anything counts as durable`(
        closes: Bool
    ) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        #expect(try archive.append(Sample.second) == .written)
        try applicationDirectory(disk).rename("data.archive", to: "renamed")
        if closes {
            #expect(throws: SaveError.self) { try archive.close() }
        } else {
            #expect(archive.beginSync() == nil)
        }
        #expect(archive.isChangedExternally)
        #expect(!archive.isDurable)
        #expect(try archive.check(readingContents: false) == .removed)
        archive.quarantineOnNextWrite()
        if closes {
            try archive.close()
        } else {
            #expect(try archive.append(TurnRecords()) == .durable)
        }
        let after = try Sample.contents(on: disk.copy(afterPowerCut: true))
        #expect(after?.numbers == [1, 2, 3, 5, 6])
        #expect(after?.isClosed == closes)
    }

    // MARK: Looking

    @Test func `L4: unusable, removed and replaced archives are distinguished`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        #expect(try archive.check(readingContents: true) == .unchanged)
        _ = try archive.append(Sample.first)
        #expect(try archive.check(readingContents: true) == .unchanged)
        let own = try #require(disk.file(Sample.file))
        for (bytes, word) in [
            ([], "empty"), (Array("no archive".utf8), "does not begin like"),
            (foreign + [1, 2, 3], "torn"),
            (Array(foreign.dropLast(3)), "damaged"),
        ] {
            try applicationDirectory(disk).remove("data.archive")
            disk.put(bytes, at: Sample.file)
            guard case .unusable(let reason, _) = try archive.check(readingContents: false) else {
                Issue.record("\(word) is usable")
                continue
            }
            #expect(reason.contains(word))
            #expect(archive.isChangedExternally)
        }
        try applicationDirectory(disk).remove("data.archive")
        #expect(try archive.check(readingContents: false) == .removed)
        disk.put(foreign, at: Sample.file)
        guard case .replaced(let replacing) = try archive.check(readingContents: false) else {
            Issue.record("it is not taken for an archive")
            return
        }
        #expect(replacing.bytes == foreign)
        #expect(replacing.contents.objects.count == 4)
        #expect(own != foreign)
    }

    @Test func `L4: a replacement archive that is accepted is not quarantined`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        try applicationDirectory(disk).remove("data.archive")
        disk.put(foreign, at: Sample.file)
        guard case .replaced(let replacing) = try archive.check(readingContents: false) else {
            Issue.record("it is not taken for an archive")
            return
        }
        try archive.requireNewFile(accepting: replacing)
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(try applicationDirectory(disk).openSubdirectory("quarantine") == nil)
        #expect(try Sample.contents(on: disk.copy(afterPowerCut: true))?.numbers == [1, 2, 3, 4])
        #expect(try archive.check(readingContents: true) == .unchanged)
    }

    @Test func `L4: a removed archive is forgotten and not written again without a change`() throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        try applicationDirectory(disk).remove("data.archive")
        #expect(try archive.check(readingContents: false) == .removed)
        archive.discardState()
        #expect(!archive.isChangedExternally)
        #expect(archive.contents?.objects.isEmpty == true)
        try archive.append(TurnRecords())
        #expect(disk.file(Sample.file) == nil)
    }

    @Test
    func `a file that takes the archive's name during a write is detected and not overwritten`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        try archive.stage(Sample.second)
        try archive.requireNewFile()
        let directory = try applicationDirectory(disk)
        disk.setGate { [foreign] kind in
            // The new file is complete and about to be renamed.
            guard kind == .synchronize else { return true }
            disk.setGate(nil)
            do throws(IOError) { try directory.remove("data.archive") } catch {
                Issue.record("\(error)")
            }
            disk.put(foreign, at: Sample.file)
            return true
        }
        expectNoticed(archive)
        #expect(disk.file(Sample.file) == foreign)
        archive.quarantineOnNextWrite()
        try archive.append(TurnRecords())
        #expect(disk.kept(foreign))
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
    }

    /// Returns an archive whose file is no longer appended to, because the previous process did not close it, its end
    /// is torn, or a sync has failed.
    private func notAppending(_ cause: String, on path: String) throws -> ApplicationArchive {
        let archive = { () throws -> ApplicationArchive in
            let archive = try StateDirectory.open(path).archive(of: Sample.application)
            _ = try archive.load()
            return archive
        }
        let file = "\(path)/\(Sample.file)"
        if cause == "finished" {
            let archive = try archive()
            try archive.append(Sample.first)
            try archive.append(Sample.second)
            let job = try #require(archive.beginSync())
            let failure = IOError(.synchronize, path: file, code: EIO)
            #expect(throws: SaveError.self) { try archive.endSync(job, .failure(failure)) }
            return archive
        }
        try archive().append(Sample.first)
        if cause == "torn" {
            let directory = try #require(try Directory.open("\(path)/\(Sample.directory)"))
            try #require(try directory.openForAppending("data.archive")).write([1, 2, 3])
        }
        return try archive()
    }

    @Test(arguments: ["inherited", "torn", "finished"])
    func `changed bytes of equal length and time are detected in a file that is not appended to`(
        cause: String
    ) throws {
        try withScratchDirectory { path in
            let file = "\(path)/\(Sample.file)"
            let archive = try notAppending(cause, on: path)
            let directory = try #require(try Directory.open("\(path)/\(Sample.directory)"))
            var bytes = try #require(try directory.read("data.archive", limit: 1 << 20))
            bytes[bytes.count - 1] ^= 1
            var before = stat()
            #expect(stat(file, &before) == 0)
            let opened = try #require(try directory.openForAppending("data.archive"))
            try opened.truncate(to: 0)
            try opened.write(bytes)
            let times = [before.st_atim, before.st_mtim]
            #expect(utimensat(AT_FDCWD, file, times, 0) == 0)
            #expect(try archive.check(readingContents: false) == .unchanged)
            guard case .unusable = try archive.check(readingContents: true) else {
                Issue.record("it is taken for its own")
                return
            }
            // A change that was noticed is not forgotten if the next check is less thorough.
            guard case .unusable = try archive.check(readingContents: false) else {
                Issue.record("the change was forgotten")
                return
            }
            expectNoticed(archive)
            archive.quarantineOnNextWrite()
            try archive.append(TurnRecords())
            let quarantined = try #require(try archive.quarantinedFiles().last)
            let kept = "quarantine/\(quarantined.name)"
            #expect(try directory.read(kept, limit: 1 << 20) == bytes)
        }
    }

    @Test(arguments: ["inherited", "torn", "finished"])
    func `a file with a different time and the same bytes is still the archive's own`(cause: String)
        throws
    {
        try withScratchDirectory { path in
            let archive = try notAppending(cause, on: path)
            let then = timeval(tv_sec: 1, tv_usec: 0)
            #expect(utimes("\(path)/\(Sample.file)", [then, then]) == 0)
            #expect(try archive.check(readingContents: true) == .unchanged)
            try archive.append(TurnRecords())
            #expect(!archive.isChangedExternally)
            #expect(archive.isDurable)
        }
    }

    @Test func `a replacement may change its time, but not its bytes, before it is accepted`()
        throws
    {
        try withScratchDirectory { path in
            let archive = try StateDirectory.open(path).archive(of: Sample.application)
            _ = try archive.load()
            try archive.append(Sample.first)
            let directory = try #require(try Directory.open("\(path)/\(Sample.directory)"))
            try directory.replace("data.archive", with: foreign, temporaryName: "new")
            guard case .replaced(let replacing) = try archive.check(readingContents: false) else {
                Issue.record("it is not taken for an archive")
                return
            }
            let then = timeval(tv_sec: 1, tv_usec: 0)
            #expect(utimes("\(path)/\(Sample.file)", [then, then]) == 0)
            #expect(try archive.isStillInPlace(replacing))
            var others = foreign
            others[others.count - 1] ^= 1
            let opened = try #require(try directory.openForAppending("data.archive"))
            try opened.truncate(to: 0)
            try opened.write(others)
            #expect(utimes("\(path)/\(Sample.file)", [then, then]) == 0)
            #expect(try !archive.isStillInPlace(replacing))
            #expect(throws: SaveError.self) { try archive.requireNewFile(accepting: replacing) }
        }
    }

    @Test func `a change to a file that is no longer appended to is detected`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        let own = try #require(disk.file(Sample.file))
        // From now on, only a whole file can be written.
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeData]))
        _ = try archive.append(Sample.second)
        #expect(throws: SaveError.self) { try archive.synchronize() }
        disk.inject(nil)
        #expect(try archive.check(readingContents: true) == .unchanged)
        disk.put(own, at: Sample.file)
        guard case .replaced(let replacing) = try archive.check(readingContents: true) else {
            Issue.record("it is taken for its own")
            return
        }
        #expect(replacing.bytes == own)
    }

    @Test func `a file that is marked for quarantine stays marked, however often it is checked`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        disk.put([1, 2, 3], at: Sample.file)
        guard case .unusable = try archive.check(readingContents: true) else {
            Issue.record("it can be used")
            return
        }
        archive.quarantineOnNextWrite()
        guard case .unusable = try archive.check(readingContents: true) else {
            Issue.record("it can be used")
            return
        }
        #expect(!archive.isChangedExternally)
        try archive.append(TurnRecords())
        #expect(disk.kept([1, 2, 3]))
    }

    @Test func `L4: a replacement that was accepted and then refused is reported again`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try applicationDirectory(disk).remove("data.archive")
        disk.put(foreign, at: Sample.file)
        guard case .replaced(let replacing) = try archive.check(readingContents: false) else {
            Issue.record("it is not taken for an archive")
            return
        }
        try archive.requireNewFile(accepting: replacing)
        #expect(!archive.isChangedExternally)
        archive.rejectReplacement(replacing)
        expectNoticed(archive)
        #expect(try archive.check(readingContents: true) == .replaced(replacing))
    }

    @Test func `a file that grows while it is read does not count as an archive`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try applicationDirectory(disk).remove("data.archive")
        disk.put(foreign, at: Sample.file)
        guard case .replaced = try archive.check(readingContents: true) else {
            Issue.record("it is not taken for an archive")
            return
        }
        // The file is opened and then read.
        let reads = Mutex(0)
        let longer = foreign + [1]
        disk.setGate { kind in
            if kind == .read { reads.withLock { $0 += 1 } }
            guard kind == .status, reads.withLock({ $0 }) == 2 else { return true }
            disk.setGate(nil)
            disk.put(longer, at: Sample.file)
            return true
        }
        guard case .unusable(let reason, _) = try archive.check(readingContents: true) else {
            Issue.record("it is taken for an archive")
            return
        }
        #expect(reason == "it changed while it was being read")
    }

    @Test func `the file from before a compaction counts as a replacement`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            let archive = ApplicationArchive(
                bundleIdentifier: Sample.application, below: directory, maximumUncompactedBytes: 0)
            _ = try archive.load()
            try archive.append(Sample.first)
            try Sample.grow(archive, times: 30)
            #expect(link("\(path)/\(Sample.file)", "\(path)/before") == 0)
            let copy = try #require(archive.beginCompaction())
            let exchange = try #require(archive.endCompaction(copy, copy.run()))
            #expect(archive.endCompaction(exchange, exchange.run()) == nil)
            #expect(try archive.check(readingContents: false) == .unchanged)
            #expect(rename("\(path)/before", "\(path)/\(Sample.file)") == 0)
            guard case .replaced = try archive.check(readingContents: false) else {
                Issue.record("it is taken for the file that is appended to")
                return
            }
        }
    }

    /// Operations that write to the archive of a running application.
    enum Step: CaseIterable { case append, open, close, copy, exchange }

    @Test(arguments: Step.allCases)
    func `L9: a hard link to the archive keeps its bytes when the archive changes`(step: Step)
        throws
    {
        try withScratchDirectory { path in
            let directory = try #require(try Directory.open(path))
            let archive = ApplicationArchive(
                bundleIdentifier: Sample.application, below: directory, maximumUncompactedBytes: 0)
            _ = try archive.load()
            try archive.append(Sample.first)
            for name in ["one", "two"] {
                try Sample.grow(archive, times: 30)
                if step == .open { try archive.close() }
                #expect(link("\(path)/\(Sample.file)", "\(path)/\(name)") == 0)
                let before = try directory.read(name, limit: 1 << 20)
                switch step {
                case .append: try Sample.grow(archive, times: 1)
                case .open: try archive.markOpened()
                case .close: try archive.close()
                case .copy, .exchange:
                    let copy = try #require(archive.beginCompaction())
                    let exchange = archive.endCompaction(copy, copy.run())
                    if step == .exchange { _ = exchange?.run() }
                    try Sample.grow(archive, times: 1)
                    if step == .exchange, let exchange {
                        #expect(
                            archive.endCompaction(
                                exchange, .published(isForeignFileRestored: false)) == nil)
                    }
                }
                #expect(try directory.read(name, limit: 1 << 20) == before)
                #expect(archive.consumeIncidents().contains(.hasHardLinks) == (step != .exchange))
                try Sample.grow(archive, times: 1)
                #expect(!archive.isChangedExternally)
            }
            let other = ApplicationArchive(
                bundleIdentifier: Sample.application, below: directory, maximumUncompactedBytes: 0)
            _ = try other.load()
            #expect(other.contents?.state == archive.contents?.state)
        }
    }

    @Test(arguments: ["history", "quarantine"])
    func `a pending replacement stays pending if the archive cannot be removed`(blocked: String)
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        disk.put(foreign, at: Sample.file)
        guard case .replaced = try archive.check(readingContents: true) else {
            Issue.record("it is not taken for an archive")
            return
        }
        disk.put([1], at: "\(Sample.directory)/\(blocked)")
        #expect(throws: SaveError.self) { try archive.remove(because: "of a test") }
        #expect(archive.isChangedExternally)
        guard case .replaced(let replacing) = try archive.check(readingContents: true) else {
            Issue.record("it is taken for its own")
            return
        }
        #expect(replacing.bytes == foreign)
        #expect(disk.file(Sample.file) == foreign)
    }

    @Test func `an incomplete move to quarantine does not count as a removal`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        let directory = try applicationDirectory(disk)
        try directory.remove("data.archive")
        disk.put([1], at: Sample.file)
        guard case .unusable = try archive.check(readingContents: true) else {
            Issue.record("it can be used")
            return
        }
        archive.quarantineOnNextWrite()
        _ = archive.consumeIncidents()
        // The third sync of a directory makes the new name in quarantine durable.
        disk.inject(SimulatedDisk.Fault(operation: 3, code: EIO, kinds: [.synchronizeDirectory]))
        #expect(throws: SaveError.self) { try archive.append(TurnRecords()) }
        disk.inject(nil)
        #expect(disk.file(Sample.file) == nil)
        #expect(try archive.check(readingContents: true) == .unchanged)
        #expect(archive.hasPendingChanges)
        #expect(archive.consumeIncidents() == [])
        try archive.append(TurnRecords())
        #expect(try Sample.contents(on: disk)?.state == archive.contents?.state)
        #expect(disk.copy(afterPowerCut: true).kept([1]))
        guard case .changedExternally(_, let path?) = archive.consumeIncidents().first else {
            Issue.record("the quarantined file is not reported")
            return
        }
        #expect(path.hasSuffix("/quarantine/000001-data.archive"))
    }

    @Test func `files that cannot be checked or removed are reported`() throws {
        let disk = SimulatedDisk()
        try Sample.loaded(on: disk).append(Sample.first)
        disk.put([1], at: "\(Sample.directory)/data.archive.new")
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true, kinds: [.remove]))
        let archive = try Sample.loaded(on: disk)
        disk.inject(nil)
        guard case .cleanupFailed(let error) = archive.consumeIncidents().first else {
            Issue.record("it is not told what stays")
            return
        }
        #expect(error.path.hasSuffix("data.archive.new"))

        let next = Sample.archive(on: disk)
        var unreported = 0
        for number in 1...20 {
            disk.inject(SimulatedDisk.Fault(operation: number, code: EIO))
            let result = Result { try next.load() }
            guard disk.hasFaultOccurred else { break }
            disk.inject(nil)
            if case .success = result, next.consumeIncidents().isEmpty { unreported += 1 }
        }
        #expect(unreported == 0)
    }

    @Test func `name and object numbers that would overflow count as damage`() {
        let end = PassEnd(scene: 0, timestamp: 0)
        for record in [
            ArchiveRecord.removal(number: .max), .name(number: .max, text: "x"),
            .object(
                ObjectRecord(
                    header: ObjectHeader(number: .max, parent: 0, kind: 1, identifier: "x"),
                    values: [])),
        ] {
            let bytes = Sample.log([ArchiveEntry(record, end: end)])
            guard case .damaged = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
                Issue.record("\(record) was accepted")
                continue
            }
        }
    }

    @Test func `L4: different bytes in the same file count as another replacement`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        var found: [ExternalCheckResult] = []
        for turns in [[Sample.first], [Sample.first, Sample.third], [Sample.first]] {
            disk.put(Sample.log(turns, published: 6), at: Sample.file)
            found.append(try archive.check(readingContents: true))
        }
        #expect(found[0] != .unchanged)
        #expect(found[0] == found[2])
        #expect(found[0] != found[1])
    }
}
