import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of the effects of a pass on several objects and large values, and of its checks.
@Suite struct PassEffectTests {
    private func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
        ObjectHeader(number: number, parent: parent, kind: 1, identifier: "x")
    }

    private func apply(
        to store: inout ObjectStore, _ change: (inout TurnRecords) -> Void
    ) throws {
        var turn = TurnRecords()
        change(&turn)
        turn.endPass(PassEnd(scene: 1))
        for pass in turn.passes { _ = try store.checkAndApply(pass) }
    }

    @Test func `an object has exactly the large values that its newest record lists`() throws {
        var store = ObjectStore()
        try apply(to: &store) { $0.addObject(header(1, below: 0), values: []) }
        let lists: [[UInt32]] = [[2], [1, 3], [1, 2, 3], [1, 3], [], [1, 2, 3], [2]]
        for keys in lists {
            let large = keys.map { key in
                OutOfLineValue(key: key, bytes: ArraySlice(repeating: UInt8(key), count: Int(key)))
            }
            let object = ObjectRecord(header: header(2, below: 1), values: [5], outOfLine: large)
            try apply(to: &store) { $0.addObject(object) }
            #expect(store[2] == object)
            #expect((1...3).filter { store.hasOutOfLineValue($0, of: 2) } == keys)
            // A store with only this state counts the same bytes.
            var expected = ObjectStore()
            try apply(to: &expected) {
                $0.addObject(header(1, below: 0), values: [])
                $0.addObject(object)
            }
            #expect(store.byteCount == expected.byteCount)
            #expect(store.segments.liveByteCount == expected.segments.liveByteCount)
        }
    }

    @Test func `a pass removes every object that it lists`() throws {
        var store = ObjectStore()
        try apply(to: &store) {
            $0.addObject(header(1, below: 0), values: [])
            for number in 2...4 as ClosedRange<UInt32> {
                $0.addObject(header(number, below: 1), values: [])
            }
        }
        try apply(to: &store) {
            $0.addRemoval(2)
            $0.addRemoval(4)
        }
        #expect(store.contents(isClosed: false, sequence: 0).numbers == [1, 3])
    }

    @Test func `a removal includes objects that precede their parents in the same pass`() throws {
        var store = ObjectStore()
        try apply(to: &store) {
            $0.addObject(header(3, below: 2), values: [])
            $0.addObject(header(2, below: 1), values: [])
            $0.addObject(header(1, below: 0), values: [])
            $0.addRemoval(2)
        }
        #expect(store.count == 1)
        #expect(store.contents(isClosed: false, sequence: 0).numbers == [1])
    }

    @Test func `a changed header is saved as a placement, even if the object has a large value`()
        throws
    {
        let large = [OutOfLineValue(key: 1, bytes: [7, 8])]
        var object = ObjectRecord(header: header(2, below: 1), values: [5], outOfLine: large)
        var turn = TurnRecords()
        turn.addObject(header(1, below: 0), values: [])
        turn.addObject(object)
        turn.endPass(PassEnd(scene: 1))
        object.header.identifier = "longer"
        turn.addObject(object)
        turn.endPass(PassEnd(scene: 1))
        let bytes = Sample.log([turn])
        let last = try #require(ArchiveBytes(bytes).records.last)
        #expect(bytes[last.lowerBound + 4] == RecordType.placement.rawValue)
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("it is not intact")
            return
        }
        #expect(prefix.store[2] == object)
    }

    @Test func `the values of an object are set only once in a pass`() throws {
        var store = ObjectStore()
        try apply(to: &store) {
            $0.addObject(header(1, below: 0), values: [])
            $0.addObject(header(2, below: 1), values: [1])
        }
        let object = ArchiveEntry(.object(ObjectRecord(header: header(2, below: 1), values: [3])))
        let patch = ArchiveEntry(
            .patch(ValuesPatch(object: 2, offset: 0, removedByteCount: 1, bytes: [4])))
        try store.check(RecordList([object]), PassEnd())
        try store.check(RecordList([patch]), PassEnd())
        for pass in [[object, object], [object, patch], [patch, object], [patch, patch]] {
            #expect(throws: MalformedPass("object 2 is recorded twice")) {
                try store.check(RecordList(pass), PassEnd())
            }
        }
    }

    @Test func `a pass is refused if any of an object's many values is missing`() throws {
        let keys = 1...64 as ClosedRange<UInt32>
        let large = keys.map { OutOfLineValue(key: $0, bytes: [7]) }
        let object = ObjectRecord(header: header(1, below: 0), values: [], outOfLine: large)
        func pass(lacking key: UInt32?) -> RecordList {
            let values = large.filter { $0.key != key }
            return RecordList(
                [ArchiveEntry(.object(object))]
                    + values.map { ArchiveEntry(.value(object: 1, $0)) })
        }
        try ObjectStore().check(pass(lacking: nil), PassEnd())
        for key in keys {
            #expect(throws: MalformedPass("the value \(key) of object 1 is missing")) {
                try ObjectStore().check(pass(lacking: key), PassEnd())
            }
        }
    }

    @Test func `an archive without scenes is complete and keeps its highest object number`()
        throws
    {
        var store = ObjectStore()
        try apply(to: &store) {
            $0.addObject(header(1, below: 0), values: [])
            $0.addObject(header(7, below: 1), values: [])
        }
        try apply(to: &store) { $0.addRemoval(1) }
        let bytes = Sample.log(store.allRecords())
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("it is not intact")
            return
        }
        #expect(prefix.store.count == 0)
        #expect(prefix.store.highestObjectNumber == 7)
    }
}
