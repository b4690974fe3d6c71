import SimulatedDisk
import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of the salvage of files that contain no complete pass (L5).
@Suite struct ArchiveSalvageTests {
    /// Returns the numbers of the names that an object's values use. Each byte of the values is such a number.
    private static func referencedNameNumbers(_ object: ObjectRecord) -> [UInt32]? {
        object.values.map { UInt32($0) }
    }

    private static func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
        var header = Sample.header(number, below: parent, "id\(number)")
        if parent == 0 { header.classToken = 0 }
        return header
    }

    /// Scene of eleven objects. Some objects have children, and one object has a large value.
    private static var whole: TurnRecords {
        var turn = TurnRecords()
        for number in UInt32(1)...4 { turn.addName("name \(number)", number: number) }
        turn.addObject(header(1, below: 0), values: [2])
        let parents: [UInt32] = [1, 2, 2, 4, 1, 6, 6, 8, 1, 1]
        for (index, parent) in parents.enumerated() {
            let number = UInt32(index + 2)
            let large = OutOfLineValue(key: 4, bytes: Array(repeating: 7, count: 90)[...])
            turn.addObject(
                ObjectRecord(
                    header: header(number, below: parent),
                    values: [UInt8](repeating: number.isMultiple(of: 2) ? 2 : 3, count: 9)[...],
                    outOfLine: number == 10 ? [large] : []))
        }
        turn.endPass(PassEnd(scene: 1, timestamp: 5))
        return turn
    }

    private static func path(_ number: UInt32, in objects: [UInt32: ObjectRecord]) -> [String] {
        guard let header = objects[number]?.header, header.parent != 0 else { return [] }
        return path(header.parent, in: objects) + [header.identifier]
    }

    @Test func `L5: after any wrong byte, intact objects are salvaged and the others are reported`()
        throws
    {
        let bytes = Sample.log([Self.whole], published: 16)
        let inspection = ArchiveInspection(bytes)
        let all = try #require(inspection.contents).objects
        let objects = Dictionary(uniqueKeysWithValues: all.map { ($0.header.number, $0) })
        let pieces = Array(inspection.records)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= place.isMultiple(of: 2) ? 1 : 0x90
            guard
                case .damaged(_, _, nil) = ArchiveReader.read(
                    damaged, bundleIdentifier: Sample.application)
            else {
                Issue.record("byte \(place) is not checked")
                continue
            }
            let piece = pieces.first { ($0.offset..<$0.offset + $0.byteCount).contains(place) }
            var wrong: Set<UInt32> = []
            if case .intact(let record, _, _, _) = piece?.finding {
                switch record {
                case .object(let object): wrong = [object.header.number]
                case .value(let number, _): wrong = [number]
                case .name(let name, _):
                    wrong = Set(
                        all.filter {
                            $0.header.classToken == name || $0.values.contains(UInt8(name))
                        }.map(\.header.number))
                default: break
                }
            }
            // A scene of which only the scene's own values are lost still contains its objects.
            var lostObjects = wrong
            for object in all
            where lostObjects.contains(object.header.parent) && object.header.parent != 1 {
                lostObjects.insert(object.header.number)
            }
            let expected = all.filter { !lostObjects.contains($0.header.number) }
            let salvage = ArchiveSalvage(
                damaged, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers
            )
            guard !expected.isEmpty else {
                #expect(salvage == nil, "byte \(place)")
                continue
            }
            let found = try #require(salvage, "byte \(place)").contents.objects
            #expect(
                found.filter { $0.header.number != 1 || !lostObjects.contains(1) }.sorted {
                    $0.header.number < $1.header.number
                } == expected, "byte \(place)")
            #expect(
                Set(salvage?.damage.lostObjects.map(\.path) ?? [])
                    == Set(lostObjects.map { Self.path($0, in: objects) }),
                "byte \(place)")
            #expect(salvage?.damage.isComplete == true, "byte \(place)")
        }
    }

    /// Changes that can follow ``whole``: a patch, a whole record, and a removal.
    private static var changes: TurnRecords {
        var turn = TurnRecords()
        var values = [UInt8](repeating: 2, count: 9)
        values[3] = 3
        turn.addObject(header(2, below: 1), values: values)
        turn.addPlacement(header(11, below: 2))
        turn.addRemoval(6)
        turn.endPass(PassEnd(scene: 1, timestamp: 6))
        return turn
    }

    @Test(arguments: [UInt32(2), 3, 6, 11])
    func `L5: a later record is used only if the records that it builds on are intact`(
        number: UInt32
    ) throws {
        let bytes = Sample.log([Self.whole, Self.changes], published: 19)
        // Damages the first record of the object.
        let first = try #require(
            ArchiveInspection(bytes).records.first { piece in
                guard case .intact(.object(let object), _, _, _) = piece.finding else {
                    return false
                }
                return object.header.number == number
            })
        var damaged = bytes
        damaged[first.offset + first.byteCount - 10] ^= 4
        let salvage = try #require(
            ArchiveSalvage(
                damaged, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers
            ))
        let found = Set(salvage.contents.numbers)
        let lostObjects = salvage.damage.lostObjects.compactMap(\.path?.last)
        // No new object gets the number of a lost object.
        #expect(salvage.contents.highestObjectNumber == 11)
        switch number {
        case 2:
            // A patch without its values is not enough, and the objects below the lost object are lost with it.
            #expect(found == [1, 10])
            #expect(lostObjects == ["id2", "id3", "id4", "id11", "id5"])
        case 3:
            #expect(found == [1, 2, 4, 5, 10, 11])
            #expect(lostObjects == ["id3"])
            #expect(salvage.contents.values(2)?[3] == 3)
        case 6:
            // The object was removed together with all objects below it.
            #expect(found == [1, 2, 3, 4, 5, 10, 11])
            #expect(lostObjects.isEmpty)
        default:
            #expect(found == [1, 2, 3, 4, 5, 10])
            #expect(salvage.damage.lostObjects.map(\.path) == [["id2", "id11"]])
        }
    }

    @Test func `L5: an object whose newest header is damaged is reported with its newest path`()
        throws
    {
        var bytes = Sample.log([Self.whole, Self.changes], published: 19)
        let placement = try #require(
            ArchiveInspection(bytes).records.first {
                if case .intact(.placement, _, _, _) = $0.finding { true } else { false }
            })
        // The last byte of the identifier. A name is damaged as well, so no pass is complete.
        bytes[placement.offset + placement.byteCount - 9] ^= 4
        bytes[ArchiveBytes(bytes).records[3].lowerBound + 20] ^= 0x55
        let salvage = try #require(
            ArchiveSalvage(
                bytes, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers))
        #expect(salvage.damage.lostObjects.map(\.path) == [["id2", "id11"]])
    }

    @Test func `L5: a file that continues the sequence numbers of another file may be complete`()
        throws
    {
        let entries = [object(1, below: 0), object(2, below: 1), end]
        let header = ArchiveHeader(
            fileID: Array(1...16), publishedSequence: 8, bundleIdentifier: Sample.application)
        let bytes = EncodedRecords(header: header, after: 5, RecordList(entries)).bytes
        let salvage = try #require(
            ArchiveSalvage(bytes, bundleIdentifier: Sample.application) { _ in [] })
        #expect(salvage.contents.numbers == [1, 2])
        #expect(salvage.contents.sequence == 8)
        #expect(salvage.damage == ArchiveSalvage.DamageReport())
    }

    @Test func `L5: the damage report is incomplete if records may be missing`() throws {
        let bytes = Sample.log([Self.whole, Self.changes], published: 19)
        let pieces = Array(ArchiveInspection(bytes).records)
        func account(of damaged: [UInt8]) throws -> ArchiveSalvage.DamageReport {
            try #require(
                ArchiveSalvage(
                    damaged, bundleIdentifier: Sample.application,
                    referencedNameNumbers: Self.referencedNameNumbers)
            ).damage
        }
        func account(_ places: Range<Int>) throws -> ArchiveSalvage.DamageReport {
            var damaged = bytes
            for place in places { damaged[place] ^= 0x5A }
            return try account(of: damaged)
        }
        // A missing record, whose checksum is followed by the next record, and missing records at the end.
        let end7 = pieces[7].offset + pieces[7].byteCount
        let cut = Array(bytes[..<(pieces[7].offset - 8)] + bytes[(end7 - 8)...])
        #expect(try !account(of: cut).isComplete)
        #expect(try !account(of: Array(bytes[..<pieces[pieces.count - 2].offset])).isComplete)
        // The end of the damaged records is unknown, so it is also unknown whether another record followed.
        #expect(try !account(pieces[6].offset..<pieces[8].offset - 8).isComplete)
        #expect(try !account(pieces[pieces.count - 2].offset..<bytes.count).isComplete)
        #expect(try account(pieces[6].offset + 60..<pieces[6].offset + 61).isComplete)
        // If the checksum of a removal is wrong, the removed object is not certain.
        let removal = try #require(
            pieces.firstIndex {
                if case .intact(.removal, _, _, _) = $0.finding { true } else { false }
            })
        let end = pieces[removal].offset + pieces[removal].byteCount
        #expect(try !account(end - 8..<end).isComplete)
    }

    @Test(arguments: [UInt64(0), 16, 20])
    func `L5: a complete pass is salvaged, and missing synced records are reported`(
        published: UInt64
    ) throws {
        let bytes = Sample.log([Self.whole], published: published, synced: 0)
        let salvage = try #require(
            ArchiveSalvage(
                bytes, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers))
        #expect(salvage.contents.numbers.sorted() == Array(1...11))
        #expect(salvage.contents.sequence == max(16, published))
        #expect(
            salvage.damage
                == ArchiveSalvage.DamageReport(lostObjects: [], isComplete: published <= 16))
        let all = try #require(ArchiveInspection(bytes).contents)
        #expect(salvage.contents.names.count == 4)
        #expect(salvage.contents.names == all.names)
        #expect(salvage.contents.passEnds == all.passEnds)
    }

    @Test
    func `L5: a damaged record of a complete pass is reported as lost even if it was not synced`()
        throws
    {
        var bytes = Sample.log([Self.whole], published: 0, synced: 0)
        let piece = try #require(
            ArchiveInspection(bytes).records.first {
                if case .intact(.object(let object), _, _, _) = $0.finding {
                    object.header.number == 3
                } else {
                    false
                }
            })
        bytes[piece.offset + piece.byteCount - 1] ^= 1
        let salvage = try #require(
            ArchiveSalvage(
                bytes, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers))
        #expect(salvage.contents.numbers.sorted() == [1, 2] + Array(4...11))
        #expect(salvage.damage.lostObjects.map(\.path) == [["id2", "id3"]])
    }

    @Test(arguments: [12, 21, 22, 1_000_000, 1 << 31, 1 << 31 + 1, UInt32.max] as [UInt32])
    func `L5: a broken record with any object number does not prevent the salvage`(
        number: UInt32
    ) throws {
        var bytes = Sample.log([Self.whole], published: 16)
        let piece = try #require(
            ArchiveInspection(bytes).records.first {
                if case .intact(.object(let object), _, _, _) = $0.finding {
                    object.header.number == 3
                } else {
                    false
                }
            })
        let offset = try #require(
            (piece.offset..<piece.offset + piece.byteCount - 4).first {
                Array(bytes[$0..<$0 + 8]) == [3, 0, 0, 0, 2, 0, 0, 0]
            })
        withUnsafeBytes(of: number.littleEndian) {
            bytes.replaceSubrange(offset..<offset + 4, with: $0)
        }
        // A second wrong byte, so that the number is not certain.
        bytes[piece.offset + piece.byteCount - 9] ^= 0x5A
        let salvage = try #require(
            ArchiveSalvage(
                bytes, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers))
        #expect(salvage.contents.numbers.sorted() == [1, 2] + Array(4...11))
        // There are twelve objects, including the unknown one.
        #expect(salvage.contents.highestObjectNumber == (number <= 11 + 12 ? number : 11))
    }

    @Test func `L5: bytes after the last synced record do not count as lost records`() throws {
        let bytes =
            Sample.log([Self.whole], published: 16) + [UInt8](repeating: 0xA5, count: 100)
        let salvage = try #require(
            ArchiveSalvage(
                bytes, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers))
        #expect(salvage.contents.numbers.sorted() == Array(1...11))
        #expect(salvage.damage == ArchiveSalvage.DamageReport())
    }

    private func salvage(_ entries: [ArchiveEntry]) -> ArchiveSalvage? {
        ArchiveSalvage(
            Sample.log(entries, published: 0), bundleIdentifier: Sample.application
        ) { _ in [] }
    }

    private func object(_ number: UInt32, below parent: UInt32) -> ArchiveEntry {
        let header = ObjectHeader(number: number, parent: parent, kind: 1, identifier: "x")
        return ArchiveEntry(.object(ObjectRecord(header: header, values: [])))
    }

    private let end = ArchiveEntry(.nothing, end: PassEnd(scene: 1))

    @Test func `L5: a record of an incomplete pass is salvaged only if a later record was synced`()
    {
        let entries = [object(1, below: 0), end, object(2, below: 1)]
        #expect(salvage(entries)?.contents.numbers == [1])
        let closed = ArchiveEntry(.closed, end: PassEnd())
        #expect(salvage(entries + [closed])?.contents.numbers == [1, 2])
    }

    @Test func `L5: objects in a cycle and objects nested too deep are left out`() {
        let cycle = salvage([object(1, below: 0), object(2, below: 3), object(3, below: 2), end])
        #expect(cycle?.contents.numbers == [1])
        #expect(cycle?.damage.isComplete == false)
        let chain = (1...4098 as ClosedRange<UInt32>).map { object($0, below: $0 - 1) }
        let deep = salvage(chain + [end])
        #expect(deep?.contents.numbers == Array(1...4097))
        #expect(deep?.damage.isComplete == false)
    }

    @Test func `L5: nothing is salvaged if an object number is out of range`() {
        #expect(salvage([object(1, below: 0), object(0x8000_0001, below: 1), end]) == nil)
    }

    @Test func `L5: salvaged objects are saved, and the damaged file is quarantined`() throws {
        var bytes = Sample.log([Self.whole], published: 16)
        let place = try #require(bytes.firstRange(of: Array("id7".utf8)))
        bytes[place.lowerBound] = 9
        let disk = SimulatedDisk()
        disk.put(bytes, at: Sample.file)
        let archive = Sample.archive(on: disk)
        guard
            case .damaged(let damage) = try archive.load(
                referencedNameNumbers: Self.referencedNameNumbers)
        else {
            Issue.record("the damage was not seen")
            return
        }
        #expect(archive.contents?.numbers == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
        #expect(damage.salvageReport?.lostObjects.map(\.path) == [["id6", "id7"]])
        #expect(damage.salvageReport?.lostObjects.map(\.scene) == ["id1"])
        let copy = disk.copy(afterPowerCut: true)
        // The salvaged file durably has the archive's name.
        #expect(copy.file(Sample.file) != nil)
        #expect(try Sample.contents(on: copy)?.numbers == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
        #expect(copy.kept(bytes))
    }

    @Test(arguments: [UInt64.max, 1 << 62])
    func `L5: objects salvaged despite an impossible published number can be loaded again`(
        published: UInt64
    ) throws {
        var bytes = Sample.log([Self.whole], published: published)
        let place = try #require(bytes.firstRange(of: Array("id7".utf8)))
        bytes[place.lowerBound] = 9
        let disk = SimulatedDisk()
        disk.put(bytes, at: Sample.file)
        _ = try Sample.archive(on: disk).load(referencedNameNumbers: Self.referencedNameNumbers)
        #expect(try Sample.contents(on: disk)?.numbers == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
        #expect(disk.kept(bytes))
    }

    @Test func `L5: nothing is salvaged from another application's damaged archive`() {
        var bytes = Sample.log([Self.whole], published: 16, application: "org.example.Sampla")
        bytes[20] ^= 1
        #expect(
            ArchiveSalvage(
                bytes, bundleIdentifier: Sample.application,
                referencedNameNumbers: Self.referencedNameNumbers)
                == nil)
    }

    @Test
    func `L5: nothing is salvaged if only the header's checksum belongs to the application`() {
        func header(of application: String) -> ArchiveHeader {
            ArchiveHeader(
                fileID: Array(1...16), publishedSequence: 0, bundleIdentifier: application)
        }
        let own = header(of: Sample.application).encoded()
        let chain = EncodedRecords.ChainEnd(
            sequence: 0, checksum: own.storedChecksum(endingAt: own.count),
            fileMark: header(of: Sample.application).fileMark)
        let records = RecordList([object(1, below: 0), end])
        let bytes =
            Array(header(of: "a.b").encoded().dropLast(8)) + own.suffix(8)
            + EncodedRecords(continuing: chain, records, syncedSequence: 0).bytes
        #expect(ArchiveSalvage(bytes, bundleIdentifier: nil) { _ in [] }?.contents.numbers == [1])
        #expect(ArchiveSalvage(bytes, bundleIdentifier: Sample.application) { _ in [] } == nil)
    }

    @Test func `L5: a record that closes the file does not change the pass of a scene`() {
        let closed = ArchiveEntry(.closed, end: PassEnd(scene: 1, timestamp: 9))
        let found = salvage([object(1, below: 0), end, closed])?.contents.passEnds
        #expect(found == [1: PassEnd(scene: 1)])
    }

    @Test func `L5: every scene that lost only its own values keeps its objects`() {
        let scenes: [UInt32] = [1, 3, 5, 7]
        let objects = scenes.flatMap { [object($0, below: 0), object($0 + 1, below: $0)] }
        for lostObjects in [[], [3], [3, 5], [1, 5, 7], scenes] {
            let salvage = ArchiveSalvage(
                Sample.log(objects + [end], published: 0), bundleIdentifier: Sample.application
            ) { lostObjects.contains($0.header.number) ? nil : [] }
            #expect(salvage?.contents.numbers.sorted() == Array(1...8), "\(lostObjects)")
            #expect(salvage?.damage.lostObjects.count == lostObjects.count, "\(lostObjects)")
        }
    }

    @Test(arguments: [UInt32(10_000), 10_001])
    func `L5: at most 10000 damaged objects are listed, and a longer list is marked incomplete`(
        count: UInt32
    ) {
        let children = (2...count + 2).map { object($0, below: 1) }
        let salvage = ArchiveSalvage(
            Sample.log([object(1, below: 0)] + children + [end], published: 0),
            bundleIdentifier: Sample.application
        ) { $0.header.number <= 2 ? [] : nil }
        #expect(salvage?.contents.numbers == [1, 2])
        #expect(salvage?.damage.lostObjects.count == 10_000)
        #expect(salvage?.damage.isComplete == (count == 10_000))
    }

    @Test
    func `L5: all large values that an object's newest record lists are salvaged`()
        throws
    {
        let values = (UInt32(2)...4).map {
            OutOfLineValue(key: $0, bytes: [UInt8](repeating: UInt8($0), count: 50)[...])
        }
        func object(_ values: [OutOfLineValue]) -> ArchiveRecord {
            .object(
                ObjectRecord(header: Self.header(2, below: 1), values: [2], outOfLine: values))
        }
        var entries = (UInt32(1)...4).map {
            ArchiveEntry(.name(number: $0, text: "name \($0)"))
        }
        entries += [
            ArchiveEntry(.object(ObjectRecord(header: Self.header(1, below: 0), values: [2]))),
            ArchiveEntry(object(values)),
        ]
        entries += values.map { ArchiveEntry(.value(object: 2, $0)) }
        entries[entries.count - 1].end = PassEnd(scene: 1, timestamp: 1)
        entries += [ArchiveEntry(object(Array(values.dropFirst()))), ArchiveEntry(.nothing)]
        entries[entries.count - 1].end = PassEnd(scene: 1, timestamp: 2)
        var bytes = Sample.log(entries)
        // The name 3 is damaged, so no pass is complete.
        bytes[ArchiveBytes(bytes).records[2].lowerBound + 20] ^= 0x55
        let salvage = try #require(
            ArchiveSalvage(
                bytes, bundleIdentifier: Sample.application, referencedNameNumbers: { _ in [2] }))
        let found = try #require(
            salvage.contents.objects.first { $0.header.number == 2 })
        #expect(found.outOfLine == Array(values.dropFirst()))
    }
}
