import StateRecords
import TestSupport
import Testing

@testable import SavedState

@Suite struct PatchedValuesTests {
    @Test func `combined patches give the same values as patches applied one after another`() throws
    {
        var numbers = SeededNumbers(seed: 11)
        for _ in 0..<200 {
            var expected = ArraySlice(random(0...40, &numbers))
            var patched = PatchedValues(expected)
            for _ in 0..<Int.random(in: 0...40, using: &numbers) {
                let patch = patch(of: expected.count, &numbers)
                expected = try #require(patch.applied(to: expected))
                patched.add(patch)
                #expect(patched.byteCount == expected.count)
            }
            #expect(patched.bytes == expected)
        }
    }

    @Test func `the work grows with the patches and the values, not with their product`() {
        var numbers = SeededNumbers(seed: 12)
        let byteCount = 1 << 20
        let patchCount = 1 << 14
        var patched = PatchedValues(ArraySlice(repeating: 1, count: byteCount))
        for _ in 0..<patchCount { patched.add(patch(of: patched.byteCount, &numbers)) }
        #expect(patched.processedItemCount < byteCount + patchCount * 14 * 8)
        // Patches are merged when they are added, not only when the values are read.
        #expect(patched.processedItemCount > byteCount + patchCount)
    }

    private func random(
        _ counts: ClosedRange<Int>, _ numbers: inout SeededNumbers
    ) -> [UInt8] {
        (0..<Int.random(in: counts, using: &numbers)).map { _ in
            UInt8.random(in: .min ... .max, using: &numbers)
        }
    }

    private func patch(
        of byteCount: Int, _ numbers: inout SeededNumbers
    ) -> ValuesPatch {
        let offset = Int.random(in: 0...byteCount, using: &numbers)
        let removedByteCount = Int.random(in: 0...min(9, byteCount - offset), using: &numbers)
        return ValuesPatch(
            object: 1, offset: UInt32(offset), removedByteCount: UInt32(removedByteCount),
            bytes: random(0...9, &numbers)[...])
    }

    @Test(arguments: [(0, 20, true), (20, 0, true), (0, 21, false), (20, 1, false), (21, 0, false)])
    func `a patch cannot remove more bytes than the values have`(
        offset: UInt32, removedByteCount: UInt32, isPossible: Bool
    ) {
        func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
            ObjectHeader(number: number, parent: parent, kind: 1, identifier: "id")
        }
        let values = [UInt8](repeating: 1, count: 20)
        let patch = ValuesPatch(
            object: 2, offset: offset, removedByteCount: removedByteCount, bytes: [7])
        let bytes = Sample.log([
            ArchiveEntry(.object(ObjectRecord(header: header(1, below: 0), values: []))),
            ArchiveEntry(
                .object(ObjectRecord(header: header(2, below: 1), values: values[...])),
                end: PassEnd(scene: 1, timestamp: 1)),
            ArchiveEntry(.patch(patch), end: PassEnd(scene: 1, timestamp: 2)),
        ])
        switch ArchiveReader.read(bytes, bundleIdentifier: nil) {
        case .whole: #expect(isPossible)
        case .damaged(let reason, _, let salvaged):
            #expect(!isPossible)
            #expect(reason == "a change refers to values that object 2 does not have")
            #expect(salvaged?.contents.values(2) == values)
        default: Issue.record("it is neither whole nor damaged")
        }
    }

    /// Tests with values and the patch that a record of the archive contains.
    @Test(
        arguments: [1, 20, 4_095, 4_096, 4_097, 9_000],
        [(0, 0, 3), (0, 1, 0), (1, 0, 2), (0.5, 0.25, 5), (0.5, 0.5, 1), (1, 0, 0), (0, 1, 4)]
            as [(Double, Double, Int)])
    func `a patch in an archive changes part of the values, whatever their length`(
        count: Int, change: (Double, Double, Int)
    ) throws {
        let old = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let offset = Int(change.0 * Double(count))
        let removedByteCount = min(Int(change.1 * Double(count)), count - offset)
        let new = [UInt8](repeating: 0xEE, count: change.2)
        let patch = ValuesPatch(
            object: 2, offset: UInt32(offset), removedByteCount: UInt32(removedByteCount),
            bytes: new[...])
        let expected = old[..<offset] + new + old[(offset + removedByteCount)...]
        func header(_ number: UInt32, below parent: UInt32) -> ObjectHeader {
            ObjectHeader(number: number, parent: parent, kind: 1, identifier: "id")
        }
        let object = ObjectRecord(header: header(2, below: 1), values: old[...])
        let bytes = Sample.log([
            ArchiveEntry(.object(ObjectRecord(header: header(1, below: 0), values: []))),
            ArchiveEntry(.object(object), end: PassEnd(scene: 1, timestamp: 1)),
            ArchiveEntry(.patch(patch), end: PassEnd(scene: 1, timestamp: 2)),
        ])
        guard case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: nil) else {
            Issue.record("the archive is not whole")
            return
        }
        #expect(prefix.contents.values(2) == Array(expected))
        // The length is computed as if one more record without contents were needed.
        #expect(
            prefix.store.byteCount
                == prefix.store.allRecords().byteCount + ArchiveFormat.minimumRecordBytes)
    }
}
