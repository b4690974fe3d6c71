import TestSupport
import Testing

@testable import SavedState

@Suite struct PatchedValuesTests {
    @Test func `it gives what patches applied one after the other give`() throws {
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

    @Test func `its work grows with the patches and the values, not with their product`() {
        var numbers = SeededNumbers(seed: 12)
        let byteCount = 1 << 20
        let patchCount = 1 << 14
        var patched = PatchedValues(ArraySlice(repeating: 1, count: byteCount))
        for _ in 0..<patchCount { patched.add(patch(of: patched.byteCount, &numbers)) }
        #expect(patched.work < byteCount + patchCount * 14 * 8)
        // They are merged while they are added, and not only when the values are read.
        #expect(patched.work > byteCount + patchCount)
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
        let removed = Int.random(in: 0...min(9, byteCount - offset), using: &numbers)
        return ValuesPatch(
            object: 1, offset: UInt32(offset), removed: UInt32(removed),
            bytes: random(0...9, &numbers)[...])
    }
}
