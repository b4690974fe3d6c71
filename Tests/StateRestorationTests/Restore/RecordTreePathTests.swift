import StateRecords
import Testing

@testable import StateRestoration

@Suite struct RecordTreePathTests {
    /// Returns the tree of records that are below each other.
    private func tree(_ identifiers: [String]) -> RecordTree {
        let scene = SavedScene.test(1).changed { records in
            records = identifiers.enumerated().map { index, identifier in
                let number = UInt32(index + 2)
                return ObjectRecord(
                    header: ObjectHeader(
                        number: number, parent: number - 1, kind: 1, identifier: identifier),
                    values: [])
            }
        }
        return RecordTree(scene)
    }

    /// With 254 bytes, the path that ends in `y` has 4,096 bytes.
    @Test(arguments: [(254, "/y/z"), (255, "/y")])
    func `I2: a written path ends after the identifier that exceeds the maximum length`(
        byteCount: Int, end: String
    ) {
        let long = String(repeating: "x", count: 255)
        let identifiers =
            Array(repeating: long, count: 15) + [String(repeating: "x", count: byteCount)]
        let tree = tree(identifiers + ["y", "z"])
        #expect(tree.writtenPath(of: 17) == identifiers.joined(separator: "/") + end)
    }
}
