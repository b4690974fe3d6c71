import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of the list of generations and of reading generations.
@Suite struct GenerationListTests {
    private static let history = "\(Sample.directory)/history"

    private func saved(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        return archive
    }

    private func file(_ name: String) -> String { "\(Self.history)/\(name)" }

    @Test func `generations are listed oldest first, each with its reason`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        #expect(try archive.generations().isEmpty)
        try archive.makeGeneration(because: "of the first")
        try archive.requireGeneration(because: "of the second")
        _ = try archive.append(Sample.second)
        try archive.remove(because: "of the\nthird")
        let listed = try archive.generations()
        #expect(listed.map { "\($0.name)" } == ["000001", "000002", "000003"])
        #expect(listed.map(\.reason) == ["of the first", "of the second", "of the third"])
        #expect(
            listed.map(\.path) == (1...3).map { "/state/\(Self.history)/00000\($0).archive" })
        #expect(
            listed.map(\.byteCount)
                == (1...3).map { disk.file(file("00000\($0).archive"))?.count ?? 0 })
        #expect(disk.file(file("000001.archive.reason")) == Array("of the first\n".utf8))
    }

    @Test func `the newest generations, or the newest before a given generation, are listed`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        for _ in 1...4 { try archive.makeGeneration(because: "of a test") }
        let reader = try archive.historyReader()
        func listed(before name: String?, _ limit: Int) throws -> ([Int?], omitted: Int) {
            let (files, omitted) = try reader.generations(
                before: name.flatMap { GenerationName($0) }, limit: limit)
            return (files.map { Int($0.name) }, omitted)
        }
        #expect(try listed(before: nil, 2) == ([3, 4], 2))
        #expect(try listed(before: nil, 4) == ([1, 2, 3, 4], 0))
        #expect(try listed(before: "4", 2) == ([2, 3], 1))
        #expect(try listed(before: "000002", 2) == ([1], 0))
        #expect(try listed(before: "1", 2) == ([], 0))
        #expect(try listed(before: "9", 1) == ([4], 3))
        // The time of a listing grows with the number of generations, not with its square.
        disk.inject(nil)
        for file in try reader.generations().files { _ = try reader.contents(of: file.name) }
        #expect(disk.log.count { $0 == .list } == 1)
    }

    @Test func `entries that are not generations are neither listed nor read as generations`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.makeGeneration(because: "of a test")
        for name in [
            "notes", "7.archive", "0000008.archive", "x.archive", ".archive", "-00009.archive",
            "000000.archive", "000009.archive.reason", "archive.new", "00001x.archive",
            "000000000000000000001.archive",
        ] {
            disk.put([1], at: file(name))
        }
        disk.put([1], at: file("000010.archive/inside"))
        #expect(try archive.generations().map { Int($0.name) } == [1])
        #expect(throws: StoredStateError.self) { try archive.contents(ofGeneration: "10") }
        try archive.makeGeneration(because: "of another")
        #expect(try archive.generations().map { Int($0.name) } == [1, 11])
    }

    @Test func `after the highest generation number, no generation is added or overwritten`() throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        disk.put([1], at: file("999999999999999998.archive"))
        disk.put([1], at: file("1000000000000000000.archive"))
        try archive.makeGeneration(because: "of the last")
        #expect(
            try archive.generations().map { Int($0.name) }
                == [999_999_999_999_999_998, 999_999_999_999_999_999])
        #expect(throws: SaveError.self) { try archive.makeGeneration(because: "of no other") }
        #expect(try archive.generations().last?.reason == "of the last")
    }

    @Test(arguments: [nil, "", "\n", "no end", "\u{FF}", "a first\nand a second"])
    func `a missing or malformed reason does not make a generation unusable`(reason: String?) throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.makeGeneration(because: "of a test")
        let path = file("000001.archive.reason")
        if let reason {
            let bytes = reason == "\u{FF}" ? [0xFF, 0x0A] : Array(reason.utf8)
            disk.put(bytes, at: path)
        } else {
            _ = try disk.root.remove(path)
        }
        let listed = try archive.generations()
        #expect(listed.map(\.reason) == [reason?.hasPrefix("a first") == true ? "a first" : nil])
        #expect(try archive.contents(ofGeneration: "1").contents.numbers == [1, 2, 3, 4])
    }

    @Test func `a reason that is a directory or too long is ignored`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.makeGeneration(because: "of a test")
        _ = try disk.root.remove(file("000001.archive.reason"))
        disk.put(Array(repeating: 65, count: 1 << 17), at: file("000001.archive.reason"))
        #expect(try archive.generations().map(\.reason) == [nil])
        _ = try disk.root.remove(file("000001.archive.reason"))
        disk.put([1], at: file("000001.archive.reason/x"))
        #expect(try archive.generations().map(\.reason) == [nil])
    }

    @Test func `a generation is found by its number, with or without leading zeros`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        try archive.makeGeneration(because: "of a test")
        _ = try archive.append(Sample.second)
        for name in ["000001", "1", "01"] {
            let kept = try archive.contents(ofGeneration: name)
            #expect(kept.contents.numbers == [1, 2, 3, 4])
            #expect(kept.shortfall == nil)
            #expect(kept.path == "/state/\(Self.history)/000001.archive")
        }
    }

    @Test func `an error identifies a generation that is unknown or cannot be used`() throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        func error(_ name: String) -> StoredStateError? {
            do throws(StoredStateError) {
                _ = try archive.contents(ofGeneration: name)
                return nil
            } catch {
                return error
            }
        }
        let directory = "/state/\(Self.history)"
        #expect(error("1") == .unknown(name: "1", in: directory))
        try archive.makeGeneration(because: "of a test")
        let intact = try #require(disk.file(file("000001.archive")))
        for name in ["2", "", "x", "../data", "000001.archive", "-1", "+1", "0", "１"] {
            #expect(error(name) == .unknown(name: name, in: directory))
        }
        var damaged = intact
        damaged[0] ^= 1
        disk.put(damaged, at: file("000002.archive"))
        guard case .damaged(let path, _) = error("2") else {
            Issue.record("not damaged")
            return
        }
        #expect(path == "\(directory)/000002.archive")
        disk.put(
            Sample.log([Sample.first], application: "org.example.Other"),
            at: file("000003.archive"))
        #expect(
            error("3")
                == .foreign(
                    path: "\(directory)/000003.archive", bundleIdentifier: "org.example.Other"))
        disk.put(Array(repeating: 0, count: (1 << 20) + 1), at: file("000004.archive"))
        #expect(error("4") == .io(IOError(.read, path: "\(directory)/000004.archive", code: EFBIG)))
    }

    @Test func `the complete passes of a torn generation are read, and the tear is reported`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        let log = Sample.log([Sample.first, Sample.second], synced: 0)
        disk.put(Array(log.dropLast(3)), at: file("000001.archive"))
        let torn = try archive.contents(ofGeneration: "1")
        #expect(torn.contents.numbers == [1, 2, 3])
        #expect(torn.shortfall?.hasPrefix("it is torn at byte ") == true)
    }

    // MARK: What changed

    @Test func `a generation is added only if the state has changed since the newest generation`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        #expect(try archive.makeGenerationIfChanged(because: "a") != nil)
        #expect(try archive.makeGenerationIfChanged(because: "b") == nil)
        // Another pass with the same state, which differs only in its time.
        var again = TurnRecords()
        again.addObject(Sample.header(4, below: 1, "side"), values: [8])
        again.endPass(PassEnd(scene: 1, timestamp: 7_000_000))
        _ = try archive.append(again)
        again = TurnRecords()
        again.addObject(Sample.header(4, below: 1, "side"), values: [9])
        again.endPass(PassEnd(scene: 1, timestamp: 8_000_000))
        _ = try archive.append(again)
        #expect(try archive.makeGenerationIfChanged(because: "c") == nil)
        _ = try archive.append(Sample.second)
        #expect(try archive.makeGenerationIfChanged(because: "d") != nil)
        #expect(try archive.generations().map(\.reason) == ["a", "d"])
    }

    @Test func `changes since the newest generation are detected after a restart`() throws {
        let disk = SimulatedDisk()
        do {
            let archive = try saved(on: disk)
            #expect(try archive.makeGenerationIfChanged(because: "a") != nil)
            try archive.close()
        }
        let archive = try Sample.loaded(on: disk)
        try archive.markOpened()
        #expect(try archive.makeGenerationIfChanged(because: "b") == nil)
        _ = try archive.append(Sample.third)
        #expect(try archive.makeGenerationIfChanged(because: "c") != nil)
    }

    @Test func `another generation is added if the newest generation is missing or damaged`() throws
    {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        #expect(try archive.makeGenerationIfChanged(because: "a") != nil)
        _ = try disk.root.remove(file("000001.archive"))
        #expect(try archive.makeGenerationIfChanged(because: "b") != nil)
        let newest = try #require(try archive.generations().last)
        #expect(newest.reason == "b")
        disk.put([1, 2, 3], at: file("\(newest.name).archive"))
        let other = try Sample.loaded(on: disk)
        #expect(try other.makeGenerationIfChanged(because: "c") != nil)
    }

    @Test(arguments: [
        Sample.second, Sample.third, Sample.values, Sample.renamed, Sample.outOfLine,
    ])
    func `every change to a state gives it a different digest`(change: TurnRecords) throws {
        let disk = SimulatedDisk()
        let archive = try saved(on: disk)
        let before = try #require(archive.contents).digest
        #expect(archive.contents?.digest == before)
        _ = try archive.append(change)
        #expect(archive.contents?.digest != before)
    }

    @Test func `a directory is listed in quarantine, but not as a generation`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        _ = try archive.makeGeneration(because: "of a test")
        _ = try archive.quarantineScenes([1], reason: "of a test")
        let directory = try #require(try disk.root.openSubdirectory(Sample.directory))
        _ = try directory.openSubdirectory("history")?.openOrCreateSubdirectory("000002.archive")
        _ = try directory.openSubdirectory("quarantine")?.openOrCreateSubdirectory(
            "000002-data.archive")
        #expect(try archive.generations().map(\.name) == ["000001"])
        #expect(
            try archive.quarantinedFiles().map { "\($0.name) \($0.kind.rawValue)" }
                == ["000001-main.archive file", "000002-data.archive directory"])
    }

    @Test(arguments: [198, 199, 200, 201, 202, 1000], ["x", "ä", "🌍"])
    func `the file name of a quarantined scene contains at most 200 bytes of the scene's name`(
        byteCount: Int, character: String
    ) {
        let width = character.utf8.count
        let name = String(repeating: character, count: byteCount / width)
        let suffix = NumberedName.suffix(for: name)
        let kept = min(byteCount / width, 200 / width)
        #expect(suffix == String(repeating: character, count: kept) + ".archive")
    }

    @Test(
        arguments: [
            ("main", "main"), ("a/b", "a_b"), ("a\u{0}b\u{1F}c\u{20}d\u{7F}e", "a_b_c d_e"),
            ("", ""),
        ])
    func `characters that a file name cannot contain are replaced`(scene: String, shown: String) {
        #expect(NumberedName.suffix(for: scene) == "\(shown).archive")
    }

    @Test(
        arguments: [
            ("", nil), ("x", nil), ("000001", 1), ("000001-x", 1), ("12x34", 12),
            ("999999999999999999", 999_999_999_999_999_999), ("1000000000000000000", nil),
        ] as [(String, Int?)])
    func `the number of a quarantined file has at most 18 digits`(name: String, number: Int?) {
        #expect(NumberedName.number(of: name) == number)
    }

    @Test(
        arguments: [
            (0, nil), (1, "000001"), (999_999, "999999"), (1_000_000, "1000000"),
            (999_999_999_999_999_999, "999999999999999999"), (1_000_000_000_000_000_000, nil),
        ] as [(Int, String?)])
    func `the number of a generation has six to 18 digits`(number: Int, text: String?) throws {
        let name = GenerationName(number: number)
        #expect(name?.description == text)
        guard let text else { return }
        #expect(GenerationName(text) == name)
        #expect(GenerationName(fileName: "\(text).archive") == name)
        #expect(GenerationName(fileName: "0\(text).archive") == nil)
        #expect(GenerationName(path: "/a/\(text).archive") == name)
    }
}

extension Sample {
    /// Change to one object's values.
    fileprivate static var values: TurnRecords { object(header(4, below: 1, "side"), [9, 9]) }

    /// Change of an object's class.
    fileprivate static var renamed: TurnRecords {
        var changed = header(4, below: 1, "side")
        changed.classToken = 2
        return object(changed, [9])
    }

    /// Large value of an object.
    fileprivate static var outOfLine: TurnRecords {
        var turn = TurnRecords()
        turn.addObject(
            ObjectRecord(
                header: header(4, below: 1, "side"), values: [9],
                outOfLine: [OutOfLineValue(key: 2, bytes: [2, 0])]))
        turn.endPass(PassEnd(scene: 1, timestamp: 1_000_000))
        return turn
    }

    private static func object(_ header: ObjectHeader, _ values: [UInt8]) -> TurnRecords {
        var turn = TurnRecords()
        turn.addObject(header, values: values[...])
        turn.endPass(PassEnd(scene: 1, timestamp: 1_000_000))
        return turn
    }
}
