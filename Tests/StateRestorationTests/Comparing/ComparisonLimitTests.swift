import StateRecords
import Testing

@testable import StateRestoration

@Suite struct ComparisonLimitTests {
    private typealias Object = StateSketch.Object

    /// Each text is stored with three further bytes.
    @Test(arguments: [(16_381, nil), (16_382, 16_385)] as [(Int, Int?)])
    func `a value of up to 16 KiB is listed in full`(textBytes: Int, listedBytes: Int?) {
        let text = String(repeating: "x", count: textBytes)
        let (old, new) = (
            StateSketch(Object(path: "x")),
            StateSketch(Object(path: "x", values: ["v": .text(text)]))
        )
        let content =
            listedBytes.map { StateDifference.Content.large(byteCount: $0) }
            ?? .value(.string(text))
        let expected = StateDifference(
            scene: "main", path: "x", change: .value(key: "v", from: nil, to: content))
        #expect(old.differences(to: new).listedDifferences == [expected])
    }

    @Test(arguments: [(16_380, 0), (16_381, 1)])
    func `a difference that exceeds 4 MiB by a few bytes is counted`(
        textBytes: Int, unlistedCount: Int
    ) {
        // The first 255 values have 16 KiB each, and the last value has two bytes.
        let texts =
            Array(repeating: 16_381, count: 255).enumerated().map { ("x\($0)", $1) }
            + [("y", textBytes - 1), ("z", 0)]
        func state(_ values: (Int) -> [String: StateSketch.Content]) -> StateSketch {
            let objects = texts.map { Object(path: $0, values: values($1)) }
            return StateSketch([StateSketch.SceneSketch(name: "main", objects: objects)])
        }
        let differences = state { _ in [:] }.differences(
            to: state { ["v": .text(String(repeating: "x", count: $0))] })
        #expect(differences.unlistedCount == unlistedCount)
        #expect(differences.listedDifferences.count == 257 - unlistedCount)
    }

    @Test func `values that are stored out of line are compared`() {
        func side(_ letter: Character) -> StateComparison.Side {
            let bytes = [1, ValueTag.string.rawValue, 1] + Array(String(letter).utf8)
            let record = ObjectRecord(
                header: ObjectHeader(number: 2, parent: 1, kind: 1, identifier: "x"), values: [],
                outOfLine: [OutOfLineValue(key: 1, bytes: bytes[...])])
            return StateComparison.Side(
                [("main", SavedScene.test(1).changed { $0 = [record] })], names: [1: "text"])
        }
        let differences = StateComparison.differences(from: side("a"), to: side("b"))
        #expect(
            differences.listedDifferences == [
                StateDifference(
                    scene: "main", path: "x",
                    change: .value(
                        key: "text", from: .value(.string("a")), to: .value(.string("b"))))
            ])
    }
}
