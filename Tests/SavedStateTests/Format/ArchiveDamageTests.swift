import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests that load every kind of damaged file. The original bytes are never lost (L5).
@Suite struct ArchiveDamageTests {
    @Test func `the newest 16 copies of torn archives and all other files stay in quarantine`()
        throws
    {
        let disk = SimulatedDisk()
        let quarantine = "\(Sample.directory)/quarantine"
        disk.put([9], at: "\(quarantine)/000001-data.archive")
        disk.put(Array("It is damaged.\n".utf8), at: "\(quarantine)/000001-data.archive.reason")
        disk.put([8], at: "\(quarantine)/000002-data.archive")
        let intact = Sample.log([Sample.first], published: 6)
        for number in 0..<20 {
            disk.put(intact + Array(repeating: 1, count: 30 + number), at: Sample.file)
            try Sample.loaded(on: disk).append(TurnRecords())
        }
        let directory = try #require(try disk.root.openSubdirectory(quarantine))
        let names = try directory.names()
        #expect(names.count { !$0.hasSuffix(".reason") } == 2 + 16)
        #expect(names.count { $0.hasSuffix(".reason") } == 1 + 16)
        #expect(disk.file("\(quarantine)/000001-data.archive") == [9])
        #expect(disk.file("\(quarantine)/000002-data.archive") == [8])
        #expect(names.contains("000022-data.archive") && !names.contains("000006-data.archive"))
        #expect(disk.file("\(quarantine)/000022-data.archive")?.count == intact.count + 49)
    }

    /// A whole file, a file that grew as a log and has no synced record after its first pass, and the same file with
    /// placements.
    static let samples: [[UInt8]] = {
        let intact = Sample.log([Sample.first, Sample.second], published: 11)
        let log = Sample.log([Sample.first, Sample.second], published: 6, synced: 6)
        let placed = Sample.log([Sample.first, Sample.third], published: 6, synced: 6)
        return [intact, log, placed]
    }()

    /// Loads bytes, saves once, and checks that refused bytes are in quarantine.
    private func load(
        _ bytes: [UInt8], _ note: String
    ) throws -> (outcome: LoadOutcome, contents: ArchiveContents?) {
        let disk = SimulatedDisk()
        disk.put(bytes, at: Sample.file)
        let archive = Sample.archive(on: disk)
        let outcome = try archive.load()
        let contents = archive.contents
        switch outcome {
        case .none:
            Issue.record("\(note): loaded as nothing")
        case .loaded(_, tornTail: nil):
            #expect(disk.file(Sample.file) == bytes, "\(note)")
        case .loaded(_, .some):
            #expect(disk.file(Sample.file) == bytes, "\(note)")
            try archive.close()
            #expect(disk.copy(afterPowerCut: true).kept(bytes), "\(note)")
        case .damaged(let damage):
            let cut = disk.copy(afterPowerCut: true)
            #expect(cut.kept(bytes), "\(note)")
            let again = try Sample.contents(on: cut)
            #expect(again?.state == damage.salvagedContents?.state, "\(note)")
        }
        if case .damaged(let damage) = outcome, damage.salvagedContents == nil {
            return (outcome, nil)
        }
        return (outcome, contents)
    }

    /// Checks that only the state after a complete pass is restored. If no pass is complete, only unchanged objects are
    /// restored.
    private func check(_ contents: ArchiveContents?, _ outcome: LoadOutcome, _ note: String) {
        if case .damaged(let damage) = outcome, damage.salvageReport != nil {
            let valid: [UInt32: [[UInt8]]] = [
                1: [[]], 2: [[1, 2, 3]], 3: [Array(0..<40), [7, 7]], 4: [[9]], 5: [[5], []],
                6: [[6]],
            ]
            for object in contents?.objects ?? [] {
                let values = valid[object.header.number] ?? []
                #expect(values.contains(Array(object.values)), "\(note)")
            }
            return
        }
        let valid: [[UInt32]?] = [
            nil, [], [1, 2, 3, 4], [1, 2, 3], [1, 2, 3, 5, 6], [1, 4, 3, 2],
        ]
        #expect(valid.contains(contents?.numbers), "\(note)")
        if let contents, !contents.numbers.isEmpty {
            let long = contents.numbers.contains(4)
            #expect(contents.values(3) == (long ? Array(0..<40) : [7, 7]), "\(note)")
        }
    }

    @Test func `L5: the newest intact generation replaces a damaged archive`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        for turn in [Sample.second, Sample.late] {
            try archive.append(turn)
            _ = try archive.makeGeneration(because: "of a test")
        }
        for name in ["history/000002.archive", "data.archive"] {
            let bytes = try #require(disk.file("\(Sample.directory)/\(name)"))
            disk.put([UInt8](repeating: 1, count: bytes.count), at: "\(Sample.directory)/\(name)")
        }
        guard case .damaged(let damage) = try Sample.archive(on: disk).load() else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.salvageSourcePath?.hasSuffix("/history/000001.archive") == true)
        #expect(damage.salvagedContents?.numbers == [1, 2, 3, 5, 6])
        #expect(damage.salvagedContents?.values(6) == [6])
    }

    @Test(arguments: samples.indices)
    func `L5: any truncation leaves an intact state and preserves the original bytes`(
        index: Int
    ) throws {
        let intact = Self.samples[index]
        for length in 0..<intact.count {
            let note = "cut to \(length)"
            let (outcome, contents) = try load(Array(intact.prefix(length)), note)
            check(contents, outcome, note)
            if index == 0, case .loaded = outcome {
                Issue.record("\(note): what was synced is missing, and that is no power cut")
            }
        }
    }

    @Test(arguments: samples.indices)
    func `L5: any flipped byte leaves an intact state and preserves the original bytes`(
        index: Int
    ) throws {
        let intact = Self.samples[index]
        for offset in intact.indices {
            let mask = FlippedBits.mask(offset)
            var bytes = intact
            bytes[offset] ^= mask
            let note = "byte \(offset) flipped by \(mask)"
            let (outcome, contents) = try load(bytes, note)
            check(contents, outcome, note)
            if case .loaded(_, tornTail: nil) = outcome { Issue.record("\(note): not noticed") }
            if index == 0, case .loaded = outcome { Issue.record("\(note): only torn") }
        }
    }

    @Test func `damage in the last pass leaves the earlier passes usable`() throws {
        var bytes = Self.samples[0]
        bytes[bytes.count - 1] ^= 1
        guard case .damaged(let damage) = try load(bytes, "last byte").outcome else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.salvagedContents?.numbers == [1, 2, 3])
        let directory = "/state/\(Sample.directory)/quarantine"
        #expect(damage.quarantinePath == "\(directory)/000001-data.archive")
    }

    @Test(
        arguments: [
            ([], .empty), (Array("hello, this is no archive at all".utf8), .notAnArchive),
            (
                Sample.log([Sample.first], published: 6, application: "org.example.Other"),
                .foreign(bundleIdentifier: "org.example.Other")
            ),
            (Array(Sample.log([Sample.first], published: 6).dropLast()), .changedBytes),
            (Array(Sample.log([Sample.first], published: 6).dropFirst()), .notAnArchive),
            (Array(ArchiveFormat.magic.prefix(5)), .changedBytes),
            ([0] + Array(Sample.log([Sample.first], published: 6).dropFirst()), .changedBytes),
            ([UInt8](repeating: 0, count: 100), .changedBytes),
        ] as [([UInt8], Damage.Cause)])
    func `the reason for the quarantine includes the remedy for the cause of the damage`(
        bytes: [UInt8], cause: Damage.Cause
    ) throws {
        let disk = SimulatedDisk()
        disk.put(bytes, at: Sample.file)
        let archive = Sample.archive(on: disk)
        guard case .damaged(let damage) = try archive.load() else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.cause == cause)
        let reason = try #require(try archive.quarantinedFiles().first?.reason)
        #expect(reason.hasSuffix("\(cause.remedy)."))
    }

    @Test func `an empty file counts as damaged`() throws {
        guard case .damaged(let damage) = try load([], "empty").outcome else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.reason.contains("empty"))
        #expect(damage.salvagedContents == nil)
    }

    @Test func `another application's archive counts as damaged and is described as foreign`()
        throws
    {
        let bytes = Sample.log([Sample.first], published: 6, application: "org.example.Other")
        guard case .damaged(let damage) = try load(bytes, "foreign").outcome else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.reason.contains("foreign file"))
        #expect(damage.reason.contains("org.example.Other"))
    }

    @Test func `L5: an archive in a newer format is refused and left unchanged`() throws {
        var bytes = Sample.log([Sample.first])
        bytes[8] = 2
        let sum = checksum(bytes, 0..<64, seed: 0)
        bytes.replaceSubrange(64..<72, with: withUnsafeBytes(of: sum) { Array($0) })
        let disk = SimulatedDisk()
        disk.put(bytes, at: Sample.file)
        let archive = Sample.archive(on: disk)
        #expect(throws: LoadError.newerFormat(path: archive.path, version: 2)) {
            try archive.load()
        }
        #expect(throws: SaveError.self) { try archive.append(Sample.first) }
        #expect(disk.file(Sample.file) == bytes)
        #expect(try disk.root.openSubdirectory(Sample.directory)?.names() == ["data.archive"])
    }

    @Test func `an interrupted salvage is completed, but a stale one is never used`() throws {
        let salvage = "\(Sample.directory)/data.archive.salvaged"
        let stale = SimulatedDisk()
        stale.put(Sample.log([Sample.first], published: 6), at: salvage)
        let interrupted = stale.copy(afterPowerCut: false)
        #expect(try Sample.contents(on: interrupted)?.numbers == [1, 2, 3, 4])
        #expect(interrupted.file(salvage) == nil)

        stale.put(Sample.log([Sample.first, Sample.second], published: 11), at: Sample.file)
        let archive = try Sample.loaded(on: stale)
        #expect(archive.contents?.numbers == [1, 2, 3, 5, 6])
        try archive.close()
        #expect(stale.copy(afterPowerCut: true).file(salvage) == nil)
        try archive.remove(because: "of a test")
        #expect(try Sample.contents(on: stale) == nil)
    }

    @Test
    func `L5: the pending replacement of a changed archive is used if the archive is damaged`()
        throws
    {
        let disk = SimulatedDisk()
        disk.put(
            Sample.log([Sample.first, Sample.second], published: 11),
            at: "\(Sample.directory)/data.archive.salvaged")
        disk.put(Array("something else".utf8), at: Sample.file)
        guard case .damaged(let damage) = try Sample.archive(on: disk).load() else {
            Issue.record("not damaged")
            return
        }
        #expect(damage.salvagedContents?.numbers == [1, 2, 3, 5, 6])
        let cut = disk.copy(afterPowerCut: true)
        #expect(try Sample.contents(on: cut)?.numbers == [1, 2, 3, 5, 6])
    }

    @Test func `each damaged file gets its own number and reason`() throws {
        let disk = SimulatedDisk()
        for number in 1...3 {
            disk.put([UInt8](repeating: 7, count: number), at: Sample.file)
            _ = try Sample.archive(on: disk).load()
        }
        let names = try disk.root.openSubdirectory("\(Sample.directory)/quarantine")?.names()
        #expect(
            names == [
                "000001-data.archive", "000001-data.archive.reason", "000002-data.archive",
                "000002-data.archive.reason", "000003-data.archive", "000003-data.archive.reason",
            ])
        let reason = disk.file("\(Sample.directory)/quarantine/000003-data.archive.reason")
        #expect(
            reason.map { String(decoding: $0, as: UTF8.self) }
                == "The archive is damaged at byte 0: it does not begin like an archive; "
                + "\(Damage.Cause.notAnArchive.remedy).\n")
    }
}
