import StateRecords
import Testing

@testable import SavedState

/// Tests of the differences between values, and of patches that are applied to values.
@Suite struct ValuesPatchTests {
    /// Old and new values, and the bounds of the new part and the number of removed bytes.
    struct Example: Sendable {
        var old: [UInt8]
        var new: [UInt8]
        var difference: [Int]?

        init(_ old: [UInt8], _ new: [UInt8], _ difference: [Int]?) {
            self.old = old
            self.new = new
            self.difference = difference
        }
    }

    private static let long = [UInt8](1...20)

    private static var examples: [Example] {
        var changed = long
        changed[10] = 99
        return [
            Example([], [], nil), Example(long, long, nil),
            Example([], [1, 2], [0, 2, 0]), Example([1, 2], [], [0, 0, 2]),
            Example(long, long + [21], [20, 21, 0]),
            Example(long, Array(long.dropLast()), [19, 19, 1]),
            Example(long, changed, [10, 11, 1]),
            Example([1, 1], [1], [1, 1, 1]), Example([1], [1, 1], [1, 2, 0]),
        ]
    }

    @Test(arguments: examples)
    func `a difference excludes the common beginning and end of two values`(example: Example) {
        let difference = example.old.withUnsafeBytes { old in
            example.new.withUnsafeBytes { ValuesPatch.difference(from: old, to: $0) }
        }
        let parts = difference.map { [$0.new.lowerBound, $0.new.upperBound, $0.removedByteCount] }
        #expect(parts == example.difference)
    }

    @Test(
        arguments: [
            (3, 0, [1, 2, 3, 7]), (0, 3, [7]), (2, 1, [1, 2, 7]), (1, 1, [1, 7, 3]),
            (3, 1, nil), (0, 4, nil), (4, 0, nil),
        ] as [(UInt32, UInt32, [UInt8]?)])
    func `a patch is applied only to values that contain the part it removes`(
        offset: UInt32, removedByteCount: UInt32, expected: [UInt8]?
    ) {
        let bytes: [UInt8] = [9, 1, 2, 3]
        let patch = ValuesPatch(
            object: 1, offset: offset, removedByteCount: removedByteCount, bytes: [7])
        #expect(patch.applied(to: bytes[1...]).map { Array($0) } == expected)
    }
}
