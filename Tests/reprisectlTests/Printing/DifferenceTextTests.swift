import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Differences between two states as lines of text.
@Suite struct DifferenceTextTests {
    private static func difference(
        _ scene: String, _ path: String?, _ kind: DifferenceKind, _ key: String? = nil,
        from: StateJSON? = nil, to: StateJSON? = nil
    ) -> DifferenceDescription {
        .with {
            ($0.scene, $0.path, $0.kind, $0.key) = (scene, path, kind, key)
            ($0.from, $0.to) = (from, to)
        }
    }

    private static let differences = [
        difference("a", nil, .inUse, from: .bool(true), to: .bool(false)),
        difference("a", "nav", .changed, "k", to: .integer(1)),
        difference("a", "nav", .changed, "l", from: .integer(1)),
        difference("a", "nav", .added, "n"), difference("a", "nav", .removed, "o"),
        difference("a", "nav", .changed, "t", from: .integer(1), to: .string("1")),
        difference("a", "gone", .disappeared, from: .string("View")),
        difference("a", "new", .appeared, to: .string("Label")),
        difference("b", "nav", .unreadable), difference("b", nil, .unreadable),
        // The same path in a different scene.
        difference("c", "nav", .class, from: .string("A"), to: .string("B")),
        difference("d", "nav", .restorationClass, to: .string("C")),
        difference("e", nil, .appeared),
        difference("f", nil, .disappeared),
        difference(
            "g", "nav", .changed, "data", from: .object(["bytes": .integer(5)]),
            to: .object(["bytes": .string("x")])),
        difference("h", "new", .appeared),
        difference(
            "i", "nav", .removed, "k", from: .object(["bytes": .integer(5), "x": .integer(1)])),
    ]

    @Test func `differences are grouped by scene and object`() {
        let text = DifferenceText(Self.differences)
        #expect(
            text.lines.map(\.text) == [
                "scene a", "- (in use): true", "+ (in use): false", "  nav", "-   k: null",
                "+   k: 1", "-   l: 1", "+   l: null", "+   n: null", "-   o: null", "-   t: 1",
                "+   t: 1", "    (the two values are of different types)", "- gone  View",
                "+ new  Label", "scene b", "  nav", "    (values that cannot be read differ)",
                "  (values that cannot be read differ)", "scene c", "  nav", "-   (class): A",
                "+   (class): B", "scene d", "  nav", "+   (restoration class): C", "+ scene e",
                "- scene f", "scene g", "  nav", "-   data: a value of 5 bytes",
                "+   data: {bytes: \"x\"}", "scene h", "+ new", "scene i", "  nav",
                "-   k: {bytes: 5, x: 1}",
            ])
        for line in text.lines {
            let color: Terminal.Color? =
                line.text.hasPrefix("-") ? .red : line.text.hasPrefix("+") ? .green : nil
            #expect(line.color == color, "\(line.text)")
        }
    }
}
