import StateRecords
import Testing

@testable import SavedState

/// Tests of the state in memory: the passes that are valid, and their effects.
@Suite struct ObjectStoreTests {
    private func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
        ObjectHeader(number: number, parent: parent, kind: 1, identifier: "x")
    }

    private func object(_ number: UInt32, below parent: UInt32, _ values: [UInt8]) -> ArchiveEntry {
        ArchiveEntry(
            .object(ObjectRecord(header: header(number, below: parent), values: values[...])))
    }

    private let end = ArchiveEntry(.nothing, end: PassEnd(scene: 1))

    private func remove(_ number: UInt32, from store: inout ObjectStore) throws {
        var turn = TurnRecords()
        turn.addRemoval(number)
        turn.endPass(PassEnd())
        _ = try store.checkAndApply(turn.passes[0])
    }

    @Test func `a removed object leaves nothing except its number`() throws {
        var turn = TurnRecords()
        turn.addObject(header(1, below: 0), values: [1])
        let large = (1...3 as ClosedRange<UInt32>).map { OutOfLineValue(key: $0, bytes: [3, 4]) }
        turn.addObject(
            ObjectRecord(header: header(2, below: 1), values: [2], outOfLine: large))
        turn.addObject(header(3, below: 2), values: [5])
        turn.addObject(header(4, below: 1), values: [6])
        turn.endPass(PassEnd(scene: 1))
        var store = ObjectStore()
        _ = try store.checkAndApply(turn.passes[0])
        #expect(store.count == 4)
        #expect(store[2]?.outOfLine == large)
        try remove(2, from: &store)
        #expect(store.contents(isClosed: false, sequence: 0).numbers == [1, 4])
        #expect(store.count == 2)
        #expect((1...3).allSatisfy { store.outOfLineValue($0, of: 2) == nil })
        #expect(store.highestObjectNumber == 4)
        try remove(1, from: &store)
        #expect(store.count == 0)
        #expect(store.byteCount == ObjectStore().byteCount)
        #expect(store.segments.liveByteCount == 0)
        #expect(store.passEnds.isEmpty)
        #expect(store.highestObjectNumber == 4)
    }

    @Test func `patches are applied to every large object`() {
        let zeros = [UInt8](repeating: 0, count: 5000)
        let patches = [
            ValuesPatch(object: 1, offset: 0, removedByteCount: 1, bytes: [1, 1]),
            ValuesPatch(object: 2, offset: 4999, removedByteCount: 1, bytes: [2]),
            ValuesPatch(object: 3, offset: 1, removedByteCount: 4999, bytes: []),
        ]
        var entries = [1, 2, 3].map { object($0, below: $0 == 1 ? 0 : 1, zeros) } + [end]
        entries += patches.map { ArchiveEntry(.patch($0)) } + [end]
        let bytes = Sample.log(entries)
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("it cannot be read")
            return
        }
        #expect(prefix.contents.values(1) == [1, 1] + Array(zeros.dropLast()))
        #expect(prefix.contents.values(2) == Array(zeros.dropLast()) + [2])
        #expect(prefix.contents.values(3) == [0])
    }

    @Test func `a pass is refused if one of many objects lacks a value`() throws {
        func pass(lacking: UInt32?) -> RecordList {
            var entries: [ArchiveEntry] = []
            for number in 1...64 as ClosedRange<UInt32> {
                let value = OutOfLineValue(key: 1, bytes: [7])
                let record = ObjectRecord(
                    header: header(number, below: number == 1 ? 0 : 1), values: [],
                    outOfLine: [value])
                entries.append(ArchiveEntry(.object(record)))
                if number != lacking {
                    entries.append(ArchiveEntry(.value(object: number, value)))
                }
            }
            return RecordList(entries)
        }
        try ObjectStore().check(pass(lacking: nil), PassEnd())
        for number in [1, 40, 64] as [UInt32] {
            #expect(throws: MalformedPass("the value 1 of object \(number) is missing")) {
                try ObjectStore().check(pass(lacking: number), PassEnd())
            }
        }
    }

    @Test(
        arguments: [
            (0, false), (1, true), (0x8000_0000, true), (0x8000_0001, false),
        ] as [(UInt32, Bool)])
    func `name and object numbers range from 1 to 2^31`(number: UInt32, isWellFormed: Bool) {
        let records: [ArchiveRecord] = [
            .name(number: number, text: "x"), .removal(number: number),
            .object(ObjectRecord(header: header(number, below: 0), values: [])),
        ]
        for record in records {
            var isAccepted = true
            do throws(MalformedPass) {
                try ObjectStore().check(RecordList([ArchiveEntry(record)]), PassEnd())
            } catch {
                isAccepted = false
            }
            #expect(isAccepted == isWellFormed, "\(record)")
        }
    }

    @Test func `headers are equal only if all their fields are equal`() {
        func isSame(_ one: ObjectHeader, _ other: ObjectHeader) -> Bool {
            var (first, second): ([UInt8], [UInt8]) = ([], [])
            first.append(one)
            second.append(other)
            return first.withUnsafeBytes { first in
                second.withUnsafeBytes { ObjectFields(first).hasSameHeader(as: ObjectFields($0)) }
            }
        }
        let header = ObjectHeader(
            number: 1, parent: 2, kind: 3, identifier: "x", classToken: 4,
            restorationClassToken: 5, storyboard: 6, storyboardIdentifier: 7)
        #expect(isSame(header, header))
        let changes: [(inout ObjectHeader) -> Void] = [
            { $0.number = 9 }, { $0.parent = 9 }, { $0.kind = 9 }, { $0.identifier = "y" },
            { $0.identifier = "xx" }, { $0.classToken = 9 }, { $0.restorationClassToken = 9 },
            { $0.storyboard = 9 }, { $0.storyboardIdentifier = 9 },
        ]
        for (index, change) in changes.enumerated() {
            var other = header
            change(&other)
            #expect(!isSame(header, other), "change \(index)")
            #expect(!isSame(other, header), "change \(index)")
        }
    }

    @Test func `object, placement, value and patch records after a removal in a pass are refused`()
        throws
    {
        let value = OutOfLineValue(key: 1, bytes: [7])
        let known = ObjectRecord(header: header(1, below: 0), values: [1], outOfLine: [value])
        var store = ObjectStore()
        store.merge(
            RecordList([ArchiveEntry(.object(known)), ArchiveEntry(.value(object: 1, value))]),
            PassEnd(scene: 1))
        let records: [ArchiveRecord] = [
            .object(known), .placement(known.header), .value(object: 1, value),
            .patch(ValuesPatch(object: 1, offset: 0, removedByteCount: 1, bytes: [2])),
        ]
        for record in records {
            try store.check(RecordList([ArchiveEntry(record)]), PassEnd())
            let late = RecordList([ArchiveEntry(.removal(number: 9)), ArchiveEntry(record)])
            let error = #expect(throws: MalformedPass.self) { try store.check(late, PassEnd()) }
            #expect(error?.reason.contains("after a removal") == true, "\(record)")
        }
    }

    @Test func `a record list contains every object with its values`() {
        let objects = (1...3 as ClosedRange<UInt32>).map { number in
            ObjectRecord(
                header: header(number, below: number - 1), values: [UInt8(number)],
                outOfLine: (0..<number).map { OutOfLineValue(key: $0, bytes: [9, 8]) })
        }
        #expect(RecordList(objects).objects == objects)
    }

    @Test func `a value is set once in a pass, and only for an object that lists it`() throws {
        let value = OutOfLineValue(key: 1, bytes: [7])
        let other = OutOfLineValue(key: 2, bytes: [8])
        let known = ObjectRecord(header: header(1, below: 0), values: [], outOfLine: [value])
        let object = ArchiveEntry(.object(known))
        let given = ArchiveEntry(.value(object: 1, value))
        var store = ObjectStore()
        store.merge(RecordList([object, given]), PassEnd(scene: 1))
        let passes: [(before: ObjectStore, entries: [ArchiveEntry], isWellFormed: Bool)] = [
            (ObjectStore(), [object, given], true), (ObjectStore(), [object, given, given], false),
            (ObjectStore(), [object, given, ArchiveEntry(.value(object: 1, other))], false),
            (store, [given], true), (store, [given, given], false),
            (store, [ArchiveEntry(.value(object: 1, other))], false),
            (store, [ArchiveEntry(.value(object: 2, value))], false),
        ]
        for (number, pass) in passes.enumerated() {
            var isAccepted = true
            do throws(MalformedPass) {
                try pass.before.check(RecordList(pass.entries), PassEnd())
            } catch {
                #expect(error.reason.hasSuffix("or the value is set twice"))
                isAccepted = false
            }
            #expect(isAccepted == pass.isWellFormed, "pass \(number)")
        }
    }

    @Test func `a scene that is moved below another object no longer has its own pass`() {
        var store = ObjectStore()
        for scene in [1, 2] as [UInt32] {
            store.merge(RecordList([object(scene, below: 0, [])]), PassEnd(scene: scene))
        }
        #expect(store.passEnds.keys.sorted() == [1, 2])
        store.merge(
            RecordList([ArchiveEntry(.placement(header(2, below: 1)))]), PassEnd(scene: 1))
        #expect(store.passEnds.keys.sorted() == [1])
        store.merge(
            RecordList([ArchiveEntry(.placement(header(2, below: 0)))]), PassEnd(scene: 2))
        #expect(store.passEnds.keys.sorted() == [1, 2])
    }
}
