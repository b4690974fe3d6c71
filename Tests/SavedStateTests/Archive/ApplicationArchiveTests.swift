import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

@Suite struct ApplicationArchiveTests {
    @Test func `an archive without saved state loads as none and creates no directory`() throws {
        let disk = SimulatedDisk()
        #expect(try Sample.archive(on: disk).load() == .none)
        #expect(disk.nodeCount == 1)
    }

    @Test func `appended objects are loaded with parents before children`() throws {
        let disk = SimulatedDisk()
        #expect(try Sample.loaded(on: disk).append(Sample.first) == .durable)
        let contents = try #require(try Sample.contents(on: disk.copy(afterPowerCut: true)))
        #expect(contents.numbers == [1, 2, 3, 4])
        #expect(contents.names == [1: "Token", 2: "text"])
        #expect(contents.objects[2].header == Sample.header(3, below: 2, "wörld 🌍"))
        #expect(contents.values(3) == Array(0..<40))
        #expect(contents.passEnds == [1: PassEnd(scene: 1, timestamp: 1_000_000)])
        #expect(contents.highestObjectNumber == 4)
        #expect(contents.names.keys.max() == 2)
        #expect(!contents.isClosed)
    }

    @Test func `a later record replaces the earlier one, and a removal deletes the whole subtree`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        _ = try archive.append(Sample.second)
        var turn = TurnRecords()
        turn.addObject(Sample.header(7, below: 3, "kept"), values: [1])
        turn.addObject(Sample.header(3, below: 1, "moved"), values: [8])
        turn.addRemoval(2)
        turn.endPass(PassEnd(scene: 1, timestamp: 3))
        _ = try archive.append(turn)
        let contents = try #require(try Sample.contents(on: disk))
        #expect(contents.numbers == [1, 3, 7, 5, 6])
        #expect(contents.state == archive.contents?.state)
    }

    @Test func `removing a scene deletes its objects and its pass, but no names`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        var turn = TurnRecords()
        turn.addRemoval(1)
        turn.endPass(PassEnd(scene: 1, timestamp: 3))
        _ = try archive.append(turn)
        let contents = try #require(try Sample.contents(on: disk))
        #expect(contents.numbers.isEmpty)
        #expect(contents.passEnds.isEmpty)
        #expect(contents.names.count == 2)
    }

    @Test func `P16: an empty turn writes nothing`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        disk.inject(nil)
        #expect(try archive.append(TurnRecords()) == .durable)
        #expect(disk.log.isEmpty)
    }

    @Test func `a turn takes one status call and one write`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        disk.inject(nil)
        _ = try archive.append(Sample.second)
        #expect(disk.log == [.status, .write])
    }

    @Test func `sequence numbers increase across rewrites and launches`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        let first = try #require(try Sample.contents(on: disk)).sequence
        let next = try Sample.loaded(on: disk)
        _ = try next.append(Sample.second)
        #expect(try #require(try Sample.contents(on: disk)).sequence > first)
    }

    /// All operations that change the archive.
    private static let operations: [(String, @Sendable (ApplicationArchive) throws -> Void)] = [
        ("append", { try $0.append(Sample.first) }), ("stage", { try $0.stage(Sample.first) }),
        ("check", { try $0.check(Sample.first) }), ("markOpened", { try $0.markOpened() }),
        ("synchronize", { try $0.synchronize() }), ("close", { try $0.close() }),
        ("requireWholeFile", { try $0.requireNewFile() }),
        ("requireGeneration", { try $0.requireGeneration(because: "test") }),
        ("makeRequiredGeneration", { _ = try $0.makeRequiredGeneration() }),
        ("makeGeneration", { _ = try $0.makeGeneration(because: "test") }),
        ("quarantineScenes", { _ = try $0.quarantineScenes([1], reason: "Test.") }),
        ("remove", { try $0.remove(because: "test") }),
    ]

    @Test func `every operation fails before the archive is loaded`() throws {
        for (name, operation) in Self.operations {
            let disk = SimulatedDisk()
            let archive = Sample.archive(on: disk)
            #expect(throws: SaveError.notLoaded(path: archive.path), "\(name)") {
                try operation(archive)
            }
            #expect(try disk.root.names() == [], "\(name)")
        }
    }

    @Test func `a refused archive is never overwritten`() throws {
        var bytes = Sample.log([Sample.second])
        bytes[8] = 2
        let sum = checksum(bytes, 0..<64, seed: 0)
        bytes.replaceSubrange(64..<72, with: withUnsafeBytes(of: sum) { Array($0) })
        for (name, operation) in Self.operations {
            let disk = SimulatedDisk()
            disk.put(bytes, at: Sample.file)
            let archive = Sample.archive(on: disk)
            let error = try #require(
                #expect(throws: LoadError.self, "\(name)") { try archive.load() })
            #expect(throws: SaveError.loadFailed(path: archive.path, because: error), "\(name)") {
                try operation(archive)
            }
            #expect(disk.file(Sample.file) == bytes, "\(name)")
            #expect(
                try disk.root.openSubdirectory(Sample.directory)?.names() == ["data.archive"],
                "\(name)")
        }
    }

    @Test func `a pass without an end block is refused and not applied`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        let before = disk.file(Sample.file)
        var turn = TurnRecords()
        turn.addObject(Sample.header(9, below: 1, "late"), values: [])
        #expect(throws: SaveError.self) { try archive.append(turn) }
        #expect(disk.file(Sample.file) == before)
        #expect(archive.contents?.numbers == [1, 2, 3, 4])
        #expect(!archive.hasPendingChanges)
    }

    @Test func `a turn that exceeds the size limit is refused and stays pending`() throws {
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk, limit: 8192)
        _ = try archive.load()
        _ = try archive.append(Sample.first)
        let before = disk.file(Sample.file)
        var turn = TurnRecords()
        turn.addObject(
            Sample.header(2, below: 1, "nav"), values: [UInt8](repeating: 1, count: 9000))
        turn.endPass(PassEnd(scene: 1, timestamp: 2))
        #expect(throws: SaveError.self) { try archive.append(turn) }
        #expect(disk.file(Sample.file) == before)
        #expect(archive.hasPendingChanges)
        var smaller = TurnRecords()
        smaller.addObject(Sample.header(2, below: 1, "nav"), values: [1])
        smaller.endPass(PassEnd(scene: 1, timestamp: 3))
        #expect(try archive.append(smaller) == .durable)
    }

    @Test func `L1: a forced quit leaves a generation and nothing else to load`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        #expect(try archive.remove(because: "of a test") == nil)
        _ = try archive.append(Sample.first)
        let saved = disk.file(Sample.file)
        #expect(
            try archive.remove(because: "of a test")
                == "/state/\(Sample.directory)/history/000001.archive")
        let after = disk.copy(afterPowerCut: true)
        #expect(after.file("\(Sample.directory)/history/000001.archive") == saved)
        #expect(try Sample.contents(on: after) == nil)
        _ = try archive.append(Sample.first)
        #expect(try archive.remove(because: "of a test")?.hasSuffix("/000002.archive") == true)
    }

    @Test func `L4: after the directory was removed, the next change creates it again`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        try disk.root.openSubdirectory(Sample.directory)?.remove("data.archive")
        disk.emptyRoot()
        #expect(throws: SaveError.self) { try archive.append(Sample.second) }
        #expect(try archive.check(readingContents: false) == .removed)
        archive.discardState()
        _ = try archive.append(Sample.first)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
    }

    @Test(arguments: [EACCES, EPERM, EROFS, EKEYEXPIRED, EIO])
    func `an archive that cannot be opened for writing is still loaded, except after EIO`(
        code: CInt
    ) throws {
        let disk = SimulatedDisk()
        try Sample.loaded(on: disk).append(Sample.first)
        let archive = Sample.archive(on: disk)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: code, kinds: [.open]))
        if code == EIO {
            #expect(throws: LoadError.self) { try archive.load() }
        } else {
            #expect(try archive.load() == .loaded(isClosed: false, tornTail: nil))
            #expect(archive.contents?.numbers == [1, 2, 3, 4])
        }
    }

    @Test(arguments: [EACCES, EPERM, EFBIG, EIO])
    func `another program's unreadable file is unusable, but EIO is thrown`(code: CInt) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        try directory.remove("data.archive")
        disk.put(Sample.log([Sample.first, Sample.third]), at: Sample.file)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: code, isPermanent: true, kinds: [.read]))
        if code == EIO {
            #expect(throws: IOError.self) { try archive.check(readingContents: true) }
            return
        }
        guard case .unusable = try archive.check(readingContents: true) else {
            Issue.record("it is usable")
            return
        }
    }

    @Test func `each change gives the state a new digest, however the change is merged`() throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        var digests = [archive.stateDigest()]
        for turn in [Sample.first, Sample.second, Sample.late] {
            try archive.append(turn)
            digests.append(archive.stateDigest())
            #expect(archive.stateDigest() == digests.last)
        }
        #expect(Set(digests).count == 4)
        var store = ObjectStore()
        let before = store.digest()
        for pass in Sample.first.passes { store.merge(store.changes(of: pass).records, pass.end) }
        #expect(store.digest() != before)
        #expect(store.digest() == digests[1])
    }

    @Test(arguments: [0, 1] as [UInt32])
    func `name and object numbers have a maximum`(excess: UInt32) throws {
        let highest = ArchiveFormat.highestNumber
        let turns: [(inout TurnRecords) -> Void] = [
            { $0.addName("name", number: highest + excess) },
            { $0.addRemoval(highest + excess) },
            { $0.addObject(Sample.header(highest + excess, below: 1, "x"), values: []) },
            { $0.addObject(Sample.header(9, below: highest + excess, "x"), values: []) },
        ]
        for (index, change) in turns.enumerated() {
            let archive = try Sample.loaded(on: SimulatedDisk())
            try archive.append(Sample.first)
            var turn = TurnRecords()
            if index == 3, excess == 0 {
                turn.addObject(Sample.header(highest, below: 1, "above"), values: [])
            }
            change(&turn)
            turn.endPass(PassEnd(scene: 1, timestamp: 2))
            if excess == 0 {
                try archive.append(turn)
            } else {
                #expect(throws: SaveError.self, "\(index)") { try archive.append(turn) }
            }
        }
    }

    @Test func `a turn is checked as a whole, and checking it changes nothing`() throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        try archive.append(Sample.first)
        let before = archive.contents
        try archive.check(Sample.second)
        var turn = Sample.second
        turn.addObject(Sample.header(9, below: 99, "lost"), values: [])
        turn.endPass(PassEnd(scene: 1, timestamp: 3))
        #expect(throws: SaveError.self) { try archive.check(turn) }
        #expect(archive.contents == before)
        let unloaded = Sample.archive(on: SimulatedDisk())
        #expect(throws: SaveError.notLoaded(path: unloaded.path)) { try unloaded.check(turn) }
    }

    @Test func `a turn is empty only if neither a finished nor an open pass has records`() {
        var turn = TurnRecords()
        #expect(turn.isEmpty)
        turn.addRemoval(1)
        #expect(!turn.isEmpty)
        turn.endPass(PassEnd())
        #expect(!turn.isEmpty)
    }

    @Test func `a pass with records that cannot be encoded is refused`() throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        var turn = TurnRecords()
        turn.addObject(
            Sample.header(1, below: 0, String(repeating: "x", count: 65_536)), values: [])
        turn.endPass(PassEnd(scene: 1, timestamp: 1))
        #expect(throws: SaveError.self) { try archive.append(turn) }
        #expect(archive.contents?.objects == [])
    }

    @Test func `scenes are listed up to a limit, and objects have paths`() throws {
        let archive = try Sample.loaded(on: SimulatedDisk())
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        for (limit, numbers) in [(0, []), (1, [1]), (2, [1, 5]), (3, [1, 5])] as [(Int, [UInt32])] {
            #expect(archive.scenes(atMost: limit).map(\.header.number) == numbers)
        }
        #expect(archive.sceneCount == 2)
        #expect(archive.objectCount == 3)
        #expect(archive.lastPassEnd == PassEnd(scene: 5, timestamp: 2_000_001))
        #expect(archive.passEnd(ofScene: 1) == PassEnd(scene: 1, timestamp: 2_000_000))
        for (number, path) in [
            (1, ""), (2, "nav"), (3, "nav/wörld 🌍"), (4, nil), (5, ""), (6, "child"), (99, nil),
        ] as [(UInt32, String?)] {
            #expect(archive.path(of: number) == path)
            #expect(archive.path(of: number, kind: 1) == path)
            #expect(archive.path(of: number, kind: 2) == nil)
        }
    }

    @Test(arguments: [0, 1])
    func `an archive may be exactly as long as its limit`(excess: Int) throws {
        let whole = try Sample.loaded(on: SimulatedDisk())
        try whole.append(Sample.first)
        let needed =
            ArchiveFormat.maximumHeaderBytes + whole.store.allRecords().byteCount
            + ArchiveLog.openCloseByteCount
        let disk = SimulatedDisk()
        let archive = Sample.archive(on: disk, limit: needed - excess)
        _ = try archive.load()
        if excess == 0 {
            try archive.append(Sample.first)
            #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4])
        } else {
            let error = SaveError.tooLarge(
                path: archive.path, byteCount: needed, limit: needed - excess)
            #expect(throws: error) { try archive.append(Sample.first) }
            #expect(disk.file(Sample.file) == nil)
        }
    }

    @Test func `a closed archive with another hard link is not opened in place`() throws {
        let disk = SimulatedDisk()
        try Sample.loaded(on: disk).append(Sample.first)
        let archive = try Sample.loaded(on: disk)
        try archive.close()
        let bytes = disk.file(Sample.file)
        disk.changeStatus { $0.linkCount = 2 }
        let next = try Sample.loaded(on: disk)
        #expect(next.isClosed)
        try next.markOpened()
        #expect(disk.file(Sample.file) == bytes)
        #expect(next.consumeIncidents() == [.hasHardLinks])
    }

    @Test
    func `a missing history counts as removed only if it existed or its directory is missing`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        #expect(try archive.isHistoryRemoved(), "nothing was saved")
        try archive.append(Sample.first)
        _ = archive.pruneGenerations(count: 9, bytes: 999_999)
        #expect(try !archive.isHistoryRemoved())
        _ = try archive.makeGeneration(because: "of a test")
        _ = archive.pruneQuarantine(count: 9, bytes: 999_999)
        #expect(try !archive.isHistoryRemoved())
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        try directory.rename("history", to: "elsewhere")
        #expect(try archive.isHistoryRemoved())
        try directory.rename("elsewhere", to: "history")
        let next = try Sample.loaded(on: disk)
        try directory.rename("history", to: "elsewhere")
        #expect(try !next.isHistoryRemoved(), "nobody has checked for it")
        try directory.rename("elsewhere", to: "history")
        _ = next.pruneGenerations(count: 9, bytes: 999_999)
        _ = next.pruneQuarantine(count: 9, bytes: 999_999)
        try directory.rename("history", to: "elsewhere")
        #expect(try next.isHistoryRemoved())
    }
}
