import StateRecords
import TestSupport
import Testing

@testable import SavedState

/// Tests of the bytes that a store retains.
@Suite struct RecordSegmentsTests {
    private static func change(_ number: UInt32, _ values: [UInt8]) -> PassRecords {
        var turn = TurnRecords()
        let parent: UInt32 = number == 1 ? 0 : 1
        let header = ObjectHeader(number: number, parent: parent, kind: 1, identifier: "o\(number)")
        let large = OutOfLineValue(key: 9, bytes: [UInt8](values.reversed())[...])
        turn.addObject(
            ObjectRecord(
                header: header, values: values[...],
                outOfLine: number.isMultiple(of: 3) ? [large] : []))
        turn.endPass(PassEnd(scene: 1, timestamp: 1))
        return turn.passes[0]
    }

    private static func child(_ number: UInt32) -> ObjectHeader {
        ObjectHeader(number: number, parent: 1, kind: 1, identifier: "x")
    }

    @Test(arguments: 0..<3)
    func `a store that changes constantly holds at most twice its live bytes plus 1 MiB`(
        seed: UInt64
    ) throws {
        var numbers = SeededNumbers(seed: seed)
        var store = ObjectStore()
        var expected: [UInt32: [UInt8]] = [:]
        for round in 0..<2500 {
            let number = round < 60 ? UInt32(round + 1) : .random(in: 1...60, using: &numbers)
            if round >= 60, number > 1, Int.random(in: 0..<10, using: &numbers) == 0 {
                var turn = TurnRecords()
                turn.addRemoval(number)
                turn.endPass(PassEnd(scene: 1, timestamp: 1))
                _ = try store.checkAndApply(turn.passes[0])
                expected[number] = nil
                continue
            }
            var values = expected[number] ?? []
            if values.isEmpty || Bool.random(using: &numbers) {
                values = [UInt8](
                    repeating: .random(in: 0...255, using: &numbers),
                    count: .random(in: 0...3000, using: &numbers))
            } else {
                values[Int.random(in: values.indices, using: &numbers)] &+= 1
            }
            let pass = Self.change(number, values)
            _ = try store.checkAndApply(pass)
            expected[number] = values
            let held = store.segments.buffers.reduce(0) { $0 + $1.count }
            #expect(held <= 2 * store.segments.liveByteCount + 1 << 20, "round \(round)")
        }
        #expect(store.count == expected.count)
        for (number, values) in expected {
            #expect(store[number].map { Array($0.values) } == values, "object \(number)")
            if number.isMultiple(of: 3) {
                #expect(
                    store.outOfLineValue(9, of: number)?.elementsEqual(values.reversed()) == true)
            }
        }
        // All the contents can be read.
        let bytes = Sample.log(store.allRecords())
        guard case .whole(let again) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("it cannot be read")
            return
        }
        #expect(again.contents.objects == store.contents(isClosed: false, sequence: 0).objects)
        #expect(again.store.byteCount == store.byteCount)
    }

    @Test func `a buffer is removed once none of its bytes are live and it is no longer held`() {
        var segments = RecordSegments()
        let file = segments.add([1, 2, 3, 4], isPinned: true)
        let first = segments.markLive(file, 0, 2)
        segments.release(first)
        segments.removeDeadSegments()
        let second = segments.markLive(file, 2, 2)
        #expect(Array(segments[second]) == [3, 4])
        segments.unpin(file)
        segments.removeDeadSegments()
        #expect(segments.buffers == [[1, 2, 3, 4]])
        segments.release(second)
        segments.removeDeadSegments()
        #expect(segments.buffers == [[]])
        #expect(segments.liveByteCount == 0)
        // The index of the removed buffer is used again.
        #expect(segments.add([5]) == file)
    }

    @Test func `live bytes are gathered in a new buffer, except the bytes of a held buffer`() {
        var segments = RecordSegments()
        let first = segments.add([1, 2, 3, 4])
        let kept = segments.markLive(first, 1, 2)
        let held = segments.markLive(segments.add([5, 6], isPinned: true), 0, 1)
        segments.beginCompaction()
        let gathered = [kept, held, .empty].map { segments.relocate($0) }
        segments.removeDeadSegments()
        #expect(gathered.map { Array(segments[$0]) } == [[2, 3], [5], []])
        #expect(segments.buffers == [[], [5, 6], [2, 3]])
        #expect(segments.liveByteCount == 3)
    }

    @Test func `a store does not hold every pass of which only a part is live`() throws {
        var store = ObjectStore()
        let large = [UInt8](repeating: 1, count: 2000)
        var isGathered = false
        _ = try store.checkAndApply(Self.change(1, []))
        for round in 0..<1000 as Range<UInt32> {
            var turn = TurnRecords()
            // A small object that remains, an object that is removed, and a large object that is replaced.
            let number = 2 * round + 10
            turn.addObject(Self.child(number), values: [7])
            turn.addObject(Self.child(number + 1), values: [8])
            turn.addObject(
                ObjectRecord(
                    header: Self.child(5), values: large[...],
                    outOfLine: [OutOfLineValue(key: round, bytes: [9])]))
            if round > 0 { turn.addRemoval(number - 1) }
            turn.endPass(PassEnd(scene: 1, timestamp: Int64(round)))
            let before = store.segments.buffers.reduce(0) { $0 + $1.count }
            _ = try store.checkAndApply(turn.passes[0])
            let held = store.segments.buffers.reduce(0) { $0 + $1.count }
            if held < before { isGathered = true }
            #expect(held <= 2 * store.segments.liveByteCount + 1 << 20, "round \(round)")
        }
        #expect(isGathered)
        #expect(store.count == 2 + 1000 + 1)
        #expect((0..<1000).allSatisfy { store[2 * $0 + 10]?.values == [7] })
        #expect(store[5]?.values == large[...])
        #expect(store.outOfLineValue(999, of: 5) == [9])
    }

    @Test(arguments: [false, true])
    func `live bytes are gathered once the obsolete bytes exceed them by more than 1 MiB`(
        wasPinned: Bool
    ) {
        let bound = 1 << 20
        func needsCompaction(liveByteCount: Int, releasedByteCount: Int = 0) -> Bool {
            var segments = RecordSegments()
            let segment = segments.add(
                [UInt8](repeating: 0, count: 3 * bound), isPinned: wasPinned)
            _ = segments.markLive(segment, 0, liveByteCount)
            let released = segments.markLive(segment, liveByteCount, releasedByteCount)
            if wasPinned {
                #expect(!segments.needsCompaction)
                segments.unpin(segment)
            }
            segments.release(released)
            return segments.needsCompaction
        }
        // The buffer itself counts as 64 bytes that are not live.
        #expect(needsCompaction(liveByteCount: bound + 31))
        #expect(!needsCompaction(liveByteCount: bound + 32))
        #expect(needsCompaction(liveByteCount: bound + 31, releasedByteCount: 1))
        #expect(!needsCompaction(liveByteCount: bound + 32, releasedByteCount: 1))
    }

    @Test func `released bytes of a pinned buffer do not count as obsolete`() {
        var segments = RecordSegments()
        let segment = segments.add([UInt8](repeating: 0, count: 3 << 20), isPinned: true)
        segments.release(segments.markLive(segment, 0, 3 << 20))
        #expect(!segments.needsCompaction)
    }

    @Test func `records that are appended one after another share a buffer`() {
        var segments = RecordSegments()
        let spans = (1...3 as ClosedRange<UInt8>).map { byte in segments.append { $0 += [byte] } }
        #expect(segments.buffers == [[1, 2, 3]])
        #expect(spans.map { Array(segments[$0]) } == [[1], [2], [3]])
    }

    @Test func `the index of a removed buffer is reused once`() {
        var segments = RecordSegments()
        let place = segments.add([1, 2])
        for part in 0...1 { segments.release(segments.markLive(place, part, 1)) }
        segments.removeDeadSegments()
        #expect(segments.buffers == [[]])
        #expect(segments.add([3]) == place)
        #expect(segments.add([4]) != place)
        #expect(segments.buffers == [[3], [4]])
    }
}
