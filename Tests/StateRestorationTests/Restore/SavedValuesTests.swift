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
    func `the values that refer to any of several records are found`(
        numbers: Set<UInt32>, keys: [UInt32]
    ) {
        let found = Self.values.values(referringTo: numbers)
        #expect(found.map(\.key).sorted() == keys)
        let all = Dictionary(
            uniqueKeysWithValues: Self.values.differences(from: nil).map { ($0.key, $0.value) })
        for (key, value) in found { #expect(value == all[key]) }
    }

    @Test func `the references of all values are found, at any depth`() {
        #expect(Self.values.references().map(\.rawValue) == [4, 5, 6, 7, 8])
    }

    @Test(arguments: [(1, true), (64, true), (65, false)])
    func `references are found in values that are nested at most 64 deep`(
        depth: Int, isFound: Bool
    ) {
        let level: [UInt8] = [ValueTag.array.rawValue, 1]
        var bytes: [UInt8] = [1]
        for _ in 0..<depth { bytes += level }
        let values = SavedValues((bytes + [Self.reference, 4])[...])
        #expect(values.references().map(\.rawValue) == (isFound ? [4] : []))
    }
}
