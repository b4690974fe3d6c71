import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

@Suite struct PlacementTests {
    private func read(_ entries: [ArchiveEntry]) -> ArchiveReader.Outcome {
        ArchiveReader.read(Sample.log(entries), bundleIdentifier: Sample.application)
    }

    private func reasonOfDamage(_ entries: [ArchiveEntry]) -> String? {
        guard case .damaged(let reason, _, _) = read(entries) else { return nil }
        return reason
    }

    private func header(
        _ number: UInt32, below parent: UInt32, storyboard: UInt32 = 0
    ) -> ObjectHeader {
        ObjectHeader(
            number: number, parent: parent, kind: 1, identifier: "x", storyboard: storyboard)
    }

    private func object(_ number: UInt32, below parent: UInt32) -> ArchiveEntry {
        ArchiveEntry(.object(ObjectRecord(header: header(number, below: parent), values: [7])))
    }

    private func placement(_ number: UInt32, below parent: UInt32) -> ArchiveEntry {
        ArchiveEntry(.placement(header(number, below: parent)))
    }

    private let end = ArchiveEntry(.nothing, end: PassEnd(scene: 1, timestamp: 0))

    @Test func `the written bytes of a placement match the documented format`() {
        let header = ObjectHeader(
            number: 2, parent: 1, kind: 9, identifier: "é", classToken: 3,
            restorationClassToken: 4, storyboard: 5, storyboardIdentifier: 6)
        let bytes = Sample.log([ArchiveEntry(.placement(header)), end])
        let record: [UInt8] =
            [56, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]
            + [3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9, 0, 2, 0, 0, 0, 0xC3, 0xA9]
        #expect(Array(bytes[72..<120]) == record)
    }

    @Test func `a placement replaces the header and keeps the values and the objects below`() throws
    {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        var turn = TurnRecords()
        turn.addPlacement(Sample.header(2, below: 4, "moved"))
        turn.endPass(PassEnd(scene: 1, timestamp: 2))
        #expect(try archive.append(turn) == .written)
        let contents = try #require(try Sample.contents(on: disk))
        #expect(contents.numbers == [1, 4, 2, 3])
        #expect(contents.objects[2].header == Sample.header(2, below: 4, "moved"))
        #expect(contents.values(2) == [1, 2, 3])
        #expect(contents.values(3) == Array(0..<40))
        #expect(contents.state == archive.contents?.state)
    }

    @Test
    func `an archive with placements has the same contents as one that is written as a whole`()
        throws
    {
        let bytes = Sample.log([Sample.first, Sample.third], published: 9)
        guard
            case .whole(let prefix) = ArchiveReader.read(
                bytes, bundleIdentifier: Sample.application)
        else {
            Issue.record("not whole")
            return
        }
        let whole = Sample.log(prefix.store.allRecords())
        guard
            case .whole(let again) = ArchiveReader.read(
                whole, bundleIdentifier: Sample.application)
        else {
            Issue.record("not whole")
            return
        }
        #expect(again.contents.state == prefix.contents.state)
        #expect(prefix.contents.numbers == [1, 4, 3, 2])
        #expect(prefix.contents.values(2) == [1, 2, 3])
    }

    @Test func `an object may be placed in the pass that adds it, but only after it is added`() {
        let known = [object(1, below: 0), object(2, below: 1)]
        #expect(reasonOfDamage(known + [placement(2, below: 1), end]) == nil)
        let early = [object(1, below: 0), placement(2, below: 1), object(2, below: 1), end]
        #expect(reasonOfDamage(early)?.contains("does not exist") == true)
    }

    @Test func `placements that contradict the archive count as damage`() {
        let base = [object(1, below: 0), object(2, below: 1), object(3, below: 2), end]
        #expect(reasonOfDamage(base + [placement(3, below: 1), end]) == nil)
        #expect(
            reasonOfDamage(base + [placement(9, below: 1), end])?.contains("not exist") == true)
        #expect(
            reasonOfDamage(base + [placement(3, below: 9), end])?.contains("not exist") == true)
        #expect(reasonOfDamage(base + [placement(2, below: 3), end])?.contains("itself") == true)
        #expect(reasonOfDamage(base + [placement(2, below: 2), end])?.contains("itself") == true)
        #expect(reasonOfDamage(base + [placement(1, below: 3), end])?.contains("itself") == true)
        #expect(reasonOfDamage(base + [placement(0, below: 1), end])?.contains("number") == true)
        #expect(
            reasonOfDamage(
                base + [ArchiveEntry(.removal(number: 3)), placement(3, below: 1), end])?
                .contains("after a removal") == true)
        #expect(
            reasonOfDamage(
                base + [ArchiveEntry(.placement(header(3, below: 1, storyboard: 4))), end])?
                .contains("name 4") == true)
        #expect(
            reasonOfDamage(base + [placement(1, below: 0), placement(2, below: 0), end]) == nil)
        let scene = ArchiveEntry(.nothing, end: PassEnd(scene: 3, timestamp: 0))
        #expect(reasonOfDamage(base + [placement(3, below: 1), scene])?.contains("scene") == true)
        #expect(reasonOfDamage(base + [placement(3, below: 0), scene]) == nil)
    }

    @Test func `a placement with values or with a truncated header counts as damage`() {
        let base = Sample.log([object(1, below: 0), object(2, below: 1), end])
        for (payload, isRight) in [
            (Array(base.objectPayload.dropLast(0)), true), (base.objectPayload + [7], false),
            (Array(base.objectPayload.dropLast(2)), false), ([], false),
        ] {
            let bytes = base.appending(type: 7, payload)
            let outcome = ArchiveReader.read(bytes, bundleIdentifier: Sample.application)
            switch outcome {
            case .damaged(let reason, let offset, prefixBeforeDamage: .some):
                #expect(!isRight)
                #expect(reason.contains("type 7 has an invalid payload"))
                #expect(offset == base.count)
            case .torn:
                // The placement is accepted, and the pass has no end.
                #expect(isRight)
            default:
                Issue.record("\(payload.count) bytes: \(outcome)")
            }
        }
    }

    @Test func `a refused placement leaves the archive unchanged`() throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        _ = try archive.append(Sample.first)
        let before = disk.file(Sample.file)
        var turn = TurnRecords()
        turn.addPlacement(Sample.header(2, below: 3, "circle"))
        turn.endPass(PassEnd(scene: 1, timestamp: 2))
        #expect(throws: SaveError.self) { try archive.append(turn) }
        #expect(disk.file(Sample.file) == before)
        #expect(!archive.hasPendingChanges)
    }
}

extension [UInt8] {
    /// The header of object 2 below object 1, as the payload of a record.
    fileprivate var objectPayload: [UInt8] {
        [2, 0, 0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + [1, 0, 1, 0, 0, 0]
            + Array("x".utf8)
    }

    /// Returns an archive of three records with another record appended.
    fileprivate func appending(type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var reader = LittleEndianReader(self, count - 8..<count)
        let seed = reader.next(UInt64.self) ?? 0
        var record: [UInt8] = []
        record.appendLittleEndian(UInt32(24 + payload.count))
        record += [type, 0, 0, 0]
        record.appendLittleEndian(UInt64(4))
        record += payload
        record.appendLittleEndian(checksum(record, 0..<record.count, seed: seed))
        return self + record
    }
}
