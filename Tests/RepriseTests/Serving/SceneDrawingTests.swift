import ControllerKit
import RepriseControl
import StateRestoration
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

    @Test func `a drawing lists every element that a user can operate`() throws {
        let scene = try OperatedScene()
        let (choice, field, number) = (SegmentedControl(), TextField(), Slider())
        let (button, note) = (Button(), TextView())
        choice.segments = ["one", "two", "three"]
        choice.selectedSegmentIndex = 1
        (button.title, button.isEnabled, note.text) = ("tap", false, "note")
        let views: [(RestorationIdentifier, View)] = [
            ("choice", choice), ("field", field), ("number", number), ("push", button),
            ("note", note),
        ]
        for (name, view) in views {
            view.restorationIdentifier = name
            scene.controller.view.addSubview(view)
        }
        let drawing = scene.commands.drawing(size: .init(columns: 60))
        func elements(_ name: String) -> [DrawnElement] {
            drawing.elements.filter { $0.path == "main/\(name)" }
        }
        #expect(elements("choice").map(\.kind) == [.choice, .choice, .choice])
        #expect(elements("choice").map(\.index) == [0, 1, 2])
        #expect(elements("choice").map(\.chosen) == [false, true, false])
        #expect(elements("field").map(\.kind) == [.field])
        #expect(elements("number").map(\.kind) == [.value])
        #expect(elements("push").map(\.kind) == [.button])
        #expect(elements("note").map(\.kind) == [.text])
        #expect(elements("note").map { $0.view == nil } == [false])
        #expect(elements("field").map { $0.view == nil } == [true])
        #expect(
            views.map { elements($0.0.text).allSatisfy(\.enabled) }
                == [true, true, true, false, true])
        let roles = drawing.lines.flatMap { $0.spans.map(\.role) }
        #expect(roles.contains(.caret))
    }
}
