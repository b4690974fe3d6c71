import StateRecords
import Testing

@testable import StateRestoration

@Suite struct SavedValuesTests {
    private static let reference = ValueTag.reference.rawValue

    /// Values with references. Key 1 refers to record 4, key 2 to record 5, and key 3 to records 6 and 7 in an array.
    /// Key 4 has no reference. Key 5 is stored out of line and refers to record 8.
    private static let values = SavedValues(
        [
            1, reference, 4, 2, reference, 5, 3, ValueTag.array.rawValue, 2, reference, 6,
            reference, 7, 4, 2, 4,
        ], outOfLine: [[5, reference, 8]])

    @Test(
        arguments: [
            ([], []), ([4], [1]), ([5], [2]), ([6], [3]), ([7], [3]), ([8], [5]), ([9], []),
            ([4, 5], [1, 2]), ([5, 7, 9], [2, 3]), ([4, 5, 6, 7, 8], [1, 2, 3, 5]),
        ] as [(Set<UInt32>, [UInt32])])
    func `values that refer to any of several records are found`(
        numbers: Set<UInt32>, keys: [UInt32]
    ) {
        let found = Self.values.values(referringTo: numbers)
        #expect(found.map(\.key).sorted() == keys)
        let all = Dictionary(
            uniqueKeysWithValues: Self.values.differences(from: nil).map { ($0.key, $0.value) })
        for (key, value) in found { #expect(value == all[key]) }
    }

    @Test func `references are found in all values, at any depth`() {
        #expect(Self.values.references().map(\.rawValue) == [4, 5, 6, 7, 8])
    }

    @Test(arguments: [(1, true), (64, true), (65, false)])
    func `references are found in values nested up to 64 levels deep`(
        depth: Int, isFound: Bool
    ) {
        let level: [UInt8] = [ValueTag.array.rawValue, 1]
        var bytes: [UInt8] = [1]
        for _ in 0..<depth { bytes += level }
        let values = SavedValues((bytes + [Self.reference, 4])[...])
        #expect(values.references().map(\.rawValue) == (isFound ? [4] : []))
    }

    /// Numbers of bytes after which a value of ``values`` ends.
    private static let ends = [0, 3, 6, 13, 16]

    @Test(arguments: 0...16)
    func `references in truncated values are found up to the cut`(count: Int) {
        let values = SavedValues(Self.values.inlineValues.prefix(count))
        let keys: [UInt32] = Array([1, 2, 3, 4].prefix(Self.ends.count { $0 <= count } - 1))
        #expect(values.keyNumbers == (Self.ends.contains(count) ? keys : nil))
        let references = Self.values.inlineValues.prefix(count).enumerated().count { place, byte in
            (4...7).contains(byte) && place > 0 && place < 13
                && Self.values.inlineValues[place - 1] == Self.reference
        }
        #expect(values.references().count == references)
    }

    @Test func `nothing is read after an invalid value`() {
        // Key 1 has a value of a type that does not exist.
        let values = SavedValues([2, Self.reference, 4, 1, 0xFF, 3, Self.reference, 5])
        #expect(values.keyNumbers == nil)
        #expect(values.references().map(\.rawValue) == [4])
        // A key is at most 32 bits long.
        let key: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(SavedValues((key + [Self.reference, 4])[...]).keyNumbers == nil)
    }

    @Test func `no reference is found after an invalid dictionary key`() {
        let key = [UInt8](repeating: 0xFF, count: 10) + [1]
        let bytes = [1, ValueTag.dictionary.rawValue, 1] + key + [2, Self.reference, 4]
        #expect(SavedValues(bytes[...]).references() == [])
    }

    @Test func `only large values before an invalid value are stored out of line`() {
        let large = [1, ValueTag.data.rawValue, 0x88, 0x27] + [UInt8](repeating: 7, count: 5000)
        let (invalid, small): ([UInt8], [UInt8]) = ([2, 0xFF], [3, 1])
        let split = SavedValues((small + large + invalid + large)[...]).withLargeValuesOutOfLine
        #expect(split.outOfLine.map(Array.init) == [large])
        #expect(Array(split.inlineValues) == small + invalid + large)
        let unsplit = SavedValues((invalid + large + small)[...]).withLargeValuesOutOfLine
        #expect(unsplit.outOfLine.isEmpty)
        #expect(Array(unsplit.inlineValues) == invalid + large + small)
    }
}
