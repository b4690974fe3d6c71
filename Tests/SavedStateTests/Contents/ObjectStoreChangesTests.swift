import StateRecords
import Testing

@testable import SavedState

/// Passes that change objects of a store, and the records that the store writes for them.
@Suite struct ObjectStoreChangesTests {
    private func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
        ObjectHeader(number: number, parent: parent, kind: 1, identifier: "o\(number)")
    }

    private func pass(_ objects: [ObjectRecord], removing removals: [UInt32] = []) -> PassRecords {
        var pass = PassRecords()
        for object in objects { pass.add(object) }
        pass.removals = removals
        pass.end = PassEnd(scene: 1, timestamp: 1)
        return pass
    }

    private func heldByteCount(_ store: ObjectStore) -> Int {
        store.segments.buffers.reduce(0) { $0 + $1.count }
    }

    @Test func `an unchanged object with large values is not written again`() throws {
        let large = [OutOfLineValue(key: 1, bytes: [7]), OutOfLineValue(key: 2, bytes: [8])]
        let object = ObjectRecord(header: header(1, below: 0), values: [1], outOfLine: large)
        var store = ObjectStore()
        let recordCounts = try (1...2).map { _ in try store.checkAndApply(pass([object])).count }
        #expect(recordCounts == [3, 0])
    }

    @Test func `an object without large values does not retain those of its earlier record`()
        throws
    {
        let value = OutOfLineValue(key: 1, bytes: [7, 8, 9])
        let with = ObjectRecord(header: header(1, below: 0), values: [1], outOfLine: [value])
        let without = ObjectRecord(header: header(1, below: 0), values: [1])
        var store = ObjectStore()
        _ = try store.checkAndApply(pass([with]))
        #expect(throws: MalformedPass.self) {
            try store.check(
                RecordList([
                    ArchiveEntry(.object(without)), ArchiveEntry(.value(object: 1, value)),
                ]), PassEnd(scene: 1))
        }
        _ = try store.checkAndApply(pass([without]))
        var expected = ObjectStore()
        _ = try expected.checkAndApply(pass([without]))
        #expect(store.outOfLineValue(1, of: 1) == nil)
        #expect(!store.hasOutOfLineValue(1, of: 1))
        #expect(store.byteCount == expected.byteCount)
        #expect(store.segments.liveByteCount == expected.segments.liveByteCount)
    }

    @Test func `the objects of a pass may be in several buffers`() throws {
        var objects = RecordList([ObjectRecord(header: header(1, below: 0), values: [1, 1])])
        objects.append(RecordList([ObjectRecord(header: header(2, below: 1), values: [2, 2])]))
        #expect(objects.buffers.count == 2)
        var pass = PassRecords()
        pass.objects = objects
        pass.end = PassEnd(scene: 1)
        var store = ObjectStore()
        _ = try store.checkAndApply(pass)
        #expect(store.contents(isClosed: false, sequence: 0).values(1) == [1, 1])
        #expect(store.contents(isClosed: false, sequence: 0).values(2) == [2, 2])
    }

    @Test func `an empty store is written as one record without contents`() {
        #expect(ObjectStore().allRecords().records == [.nothing])
    }

    @Test(arguments: [1, 2] as [UInt32])
    func `the highest number that an object has had is written with the last scene`(
        sceneCount: UInt32
    ) throws {
        var store = ObjectStore()
        let scenes = (1...sceneCount).map { number in
            ObjectRecord(header: header(number, below: 0), values: [])
        }
        let removed = ObjectRecord(header: header(9, below: 1), values: [])
        _ = try store.checkAndApply(pass(scenes + [removed]))
        _ = try store.checkAndApply(pass([], removing: [9]))
        let records = store.allRecords()
        #expect(records.records.last == .removal(number: 9))
        let bytes = Sample.log(records)
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("it cannot be read")
            return
        }
        #expect(prefix.contents.numbers == Array(1...sceneCount))
        #expect(prefix.contents.highestObjectNumber == 9)
    }

    /// Tests with two patches for an object of 5,000 bytes, the first of which changes its length.
    @Test(
        arguments: [
            ((5_000, 0, 100), (5_050, 50), 5_050), ((5_000, 0, 100), (5_050, 51), nil),
            ((0, 1_000, 0), (3_900, 100), 3_900), ((0, 1_000, 0), (3_900, 101), nil),
        ] as [((UInt32, UInt32, Int), (UInt32, UInt32), Int?)])
    func `a patch refers to the length of the values after the patches before it`(
        first: (offset: UInt32, removedByteCount: UInt32, insertedByteCount: Int),
        second: (offset: UInt32, removedByteCount: UInt32), expectedByteCount: Int?
    ) {
        let object = ObjectRecord(
            header: header(2, below: 1), values: ArraySlice(repeating: 0, count: 5_000))
        let inserted = ArraySlice<UInt8>(repeating: 1, count: first.insertedByteCount)
        let patches = [
            ValuesPatch(
                object: 2, offset: first.offset, removedByteCount: first.removedByteCount,
                bytes: inserted),
            ValuesPatch(
                object: 2, offset: second.offset, removedByteCount: second.removedByteCount,
                bytes: []),
        ]
        let end = PassEnd(scene: 1)
        let bytes = Sample.log(
            [
                ArchiveEntry(.object(ObjectRecord(header: header(1, below: 0), values: []))),
                ArchiveEntry(.object(object), end: end),
            ] + patches.map { ArchiveEntry(.patch($0), end: end) })
        switch ArchiveReader.read(bytes, bundleIdentifier: nil) {
        case .whole(let prefix):
            #expect(prefix.contents.values(2)?.count == expectedByteCount)
        case .damaged(let reason, _, _):
            #expect(expectedByteCount == nil)
            #expect(reason == "a change refers to values that object 2 does not have")
        default: Issue.record("it is neither whole nor damaged")
        }
    }

    @Test func `a replaced large record is not held after a pass that is read from a file`() {
        let large = [UInt8](repeating: 1, count: 2 << 20)
        var store = ObjectStore()
        for values in [large, [2]] {
            let object = ObjectRecord(header: header(1, below: 0), values: values[...])
            store.merge(RecordList([ArchiveEntry(.object(object))]), PassEnd(scene: 1))
        }
        #expect(store.contents(isClosed: false, sequence: 0).values(1) == [2])
        #expect(heldByteCount(store) < 1 << 20)
    }

    @Test func `a replaced large record is not held although its buffer has other live bytes`()
        throws
    {
        let large = [UInt8](repeating: 1, count: 2 << 20)
        let child = header(2, below: 1)
        var store = ObjectStore()
        _ = try store.checkAndApply(
            pass([
                ObjectRecord(header: header(1, below: 0), values: [1]),
                ObjectRecord(header: child, values: large[...]),
            ]))
        _ = try store.checkAndApply(pass([ObjectRecord(header: child, values: [2])]))
        #expect(store.contents(isClosed: false, sequence: 0).values(1) == [1])
        #expect(store.contents(isClosed: false, sequence: 0).values(2) == [2])
        #expect(heldByteCount(store) < 1 << 20)
    }
}
