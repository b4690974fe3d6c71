import StateRecords
import Testing

@testable import SavedState

/// Tests of valid files that are made to take very long to read.
@Suite struct HostileArchiveTests {
    private let end = PassEnd(scene: 1, timestamp: 0)

    private func object(keys: [UInt32] = [], values: [UInt8]) -> ArchiveEntry {
        ArchiveEntry(
            .object(
                ObjectRecord(
                    header: ObjectHeader(number: 1, parent: 0, kind: 0, identifier: "main"),
                    values: values[...],
                    outOfLine: keys.map { OutOfLineValue(key: $0, bytes: []) })))
    }

    private func value(_ key: UInt32, isLast: Bool) -> ArchiveEntry {
        ArchiveEntry(
            .value(object: 1, OutOfLineValue(key: key, bytes: [UInt8(truncatingIfNeeded: key)])),
            end: isLast ? end : nil)
    }

    private func store(_ entries: [ArchiveEntry]) throws -> (store: ObjectStore, size: Int) {
        let bytes = Sample.log(entries)
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            throw Refused()
        }
        return (prefix.store, bytes.count)
    }

    private struct Refused: Error {}

    @Test
    func `the work of reading many small patches of large values is bounded by the file size`()
        throws
    {
        let values = [UInt8](repeating: 0, count: 1 << 18)
        var entries = [object(values: values)]
        entries[0].end = end
        for number in 0..<UInt32(4096) {
            let patch = ValuesPatch(object: 1, offset: number * 60, removedByteCount: 2, bytes: [1])
            entries.append(ArchiveEntry(.patch(patch), end: end))
        }
        let (store, size) = try store(entries)
        #expect(store[1]?.values.count == values.count - 4096)
        #expect(store.processedItemCount < 4 * size)
    }

    @Test
    func `patches of large values take no space after the object is recorded again or removed`()
        throws
    {
        let large = object(values: [UInt8](repeating: 0, count: 5000))
        let patch = ArchiveEntry(
            .patch(ValuesPatch(object: 1, offset: 4000, removedByteCount: 1000, bytes: [7])),
            end: end)
        let anew = object(values: [1, 2])
        let whole = try store([large, ArchiveEntry(.nothing, end: end), patch, anew, last]).store
        #expect(whole[1]?.values == [1, 2])
        #expect(whole.byteCount == (try store([anew, last]).store.byteCount))
        let gone = try store([
            large, last, patch, ArchiveEntry(.removal(number: 1), end: end),
        ]).store
        #expect(gone[1] == nil)
        #expect(gone.byteCount == ObjectStore().byteCount)
    }

    private var last: ArchiveEntry { ArchiveEntry(.nothing, end: end) }

    @Test
    func
        `the work of reading the maximum number of large values is bounded by the file size`()
        throws
    {
        let keys = Array(1...UInt32(UInt16.max))
        var entries = [object(keys: keys, values: [])]
        entries += keys.map { value($0, isLast: $0 == keys.last) }
        // Each of these passes must cost less than all keys together.
        entries += keys.suffix(2000).map { value($0, isLast: true) }
        let (store, size) = try store(entries)
        #expect(store[1]?.outOfLine.map(\.key) == keys)
        #expect(store[1]?.outOfLine.last?.bytes == [0xFF])
        #expect(store.processedItemCount < size)
    }

    @Test func `out-of-line values that an object no longer lists take no space and cannot return`()
        throws
    {
        let both = [
            object(keys: [1, 2], values: []), value(1, isLast: false), value(2, isLast: true),
        ]
        let less = try store(both + [object(keys: [2], values: []), last]).store
        #expect(less[1]?.outOfLine == [OutOfLineValue(key: 2, bytes: [2])])
        let only = try store([object(keys: [2], values: []), value(2, isLast: true)]).store
        #expect(less.byteCount == only.byteCount)
        #expect(throws: Refused.self) {
            try store(
                both + [
                    object(keys: [2], values: []), last, object(keys: [1, 2], values: []), last,
                ])
        }
    }
}
