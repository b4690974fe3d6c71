import StateRecords
import Testing

@testable import SavedState

/// Tests of segments whose memory is used again, and of the bytes that a store retains.
@Suite struct SegmentReuseTests {
    private func header(_ number: UInt32) -> ObjectHeader {
        ObjectHeader(number: number, parent: number == 1 ? 0 : 1, kind: 1, identifier: "x")
    }

    private func heldByteCount(_ store: ObjectStore) -> Int {
        store.segments.buffers.reduce(0) { $0 + $1.count }
    }

    @Test func `new bytes are not appended to a segment that has been removed`() {
        var segments = RecordSegments()
        let first = segments.append { $0 += [1] }
        segments.release(first)
        segments.removeDeadSegments()
        let second = segments.append { $0 += [2] }
        _ = segments.add([3])
        #expect(Array(segments[second]) == [2])
        #expect(segments.buffers == [[2], [3]])
    }

    @Test func `live bytes of the open segment are moved to a new segment`() {
        var segments = RecordSegments()
        let dead = segments.append { $0 += [1, 2] }
        let live = segments.append { $0 += [3] }
        segments.release(dead)
        segments.beginCompaction()
        let moved = segments.relocate(live)
        segments.removeDeadSegments()
        #expect(Array(segments[moved]) == [3])
        #expect(segments.buffers == [[], [3]])
    }

    @Test func `a store does not retain the obsolete bytes of a file that has been read`() {
        var entries = [
            ArchiveEntry(.object(ObjectRecord(header: header(1), values: [])), end: PassEnd())
        ]
        for number in 0..<600 {
            let values = ArraySlice(
                repeating: UInt8(truncatingIfNeeded: number), count: 4000)
            entries.append(
                ArchiveEntry(
                    .object(ObjectRecord(header: header(2), values: values)),
                    end: PassEnd(scene: 1)))
        }
        let bytes = Sample.log(entries)
        #expect(bytes.count > 2 << 20)
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("it is not intact")
            return
        }
        let bound = 2 * prefix.store.segments.liveByteCount + 1 << 20
        #expect(heldByteCount(prefix.store) <= bound)
    }

    @Test func `a store that moves its live bytes moves every large value`() throws {
        var store = ObjectStore()
        for round in 0..<1000 as Range<UInt32> {
            var turn = TurnRecords()
            if round == 0 { turn.addObject(header(1), values: []) }
            turn.addObject(
                ObjectRecord(
                    header: header(10 + round), values: [],
                    outOfLine: [OutOfLineValue(key: 1, bytes: [7])]))
            let byte = UInt8(truncatingIfNeeded: round)
            turn.addObject(header(5), values: [UInt8](repeating: byte, count: 2000))
            turn.endPass(PassEnd(scene: 1))
            _ = try store.checkAndApply(turn.passes[0])
            let bound = 2 * store.segments.liveByteCount + 1 << 20
            #expect(heldByteCount(store) <= bound, "round \(round)")
        }
        #expect((10..<1010).allSatisfy { store.outOfLineValue(1, of: $0) == [7] })
    }
}
