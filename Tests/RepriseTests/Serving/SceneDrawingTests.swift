import RepriseControl
import Testing
import Varlink

@testable import Reprise

/// Replies to a terminal client that has an earlier drawing.
@Suite struct SceneDrawingTests {
    private static let button = DrawnElement.with { $0.path = "nav/button" }

    private static func drawing(_ texts: [String], _ elements: [DrawnElement] = [button])
        -> SceneDrawing
    {
        SceneDrawing(
            scene: "main", launchReason: "restore",
            lines: texts.enumerated().map { number, text in
                .with { ($0.number, $0.text) = (number, text) }
            }, elements: elements)
    }

    @Test func `a client without an earlier drawing receives the whole drawing`() {
        let allChanges = Self.drawing(["a", "b"]).changes(since: nil)
        #expect(allChanges.height == 2)
        #expect(allChanges.lines.map(\.text) == ["a", "b"])
        #expect(allChanges.elements == [Self.button])
        #expect(allChanges.launchReason == "restore")
    }

    @Test func `only changed lines are sent, and elements only if they changed`() {
        let before = Self.drawing(["a", "b", "c"])
        let shorter = Self.drawing(["a", "x"]).changes(since: before)
        #expect(shorter.height == 2)
        #expect(shorter.lines.map(\.number) == [1])
        #expect(shorter.elements == nil)
        #expect(shorter.launchReason == nil)
        let longer = Self.drawing(["a", "b", "c", "d"], []).changes(since: before)
        #expect(longer.lines.map(\.text) == ["d"])
        #expect(longer.elements == [])
    }

    @Test func `a line is sent again if its spans change`() {
        var marked = Self.drawing(["a", "b"])
        marked = SceneDrawing(
            scene: marked.scene, launchReason: marked.launchReason,
            lines: marked.lines.map { line in
                var line = line
                if line.number == 1 { line.spans = [.with { ($0.role, $0.columns) = (.caret, 1) }] }
                return line
            }, elements: marked.elements)
        #expect(marked.changes(since: Self.drawing(["a", "b"])).lines.map(\.number) == [1])
    }
}
