import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Focus of a scene in the terminal client, and keys that depend on elements other than the focused one.
@Suite struct AttachedSceneFocusTests {
    private static func element(
        _ path: String, _ kind: DrawnKind, line: Int, column: Int = 0, index: Int? = nil,
        chosen: Bool? = nil, editing: Bool? = nil
    ) -> DrawnElement {
        AttachedSceneTests.element(
            path, kind, line: line, column: column, index: index, chosen: chosen, editing: editing)
    }

    private static func scene(_ elements: [DrawnElement], position: Int? = nil) -> AttachedScene {
        AttachedSceneTests.scene(elements, position: position)
    }

    private static func list(rows: Range<Int>, of rowCount: Int = 40) -> [DrawnElement] {
        AttachedSceneTests.list(rows: rows, of: rowCount)
    }

    /// Returns three elements in one line.
    private static func group(
        _ path: String, _ kind: DrawnKind, line: Int, chosen: Set<Int> = []
    ) -> [DrawnElement] {
        (0..<3).map { index in
            element(
                path, kind, line: line, column: 10 * index, index: index,
                chosen: chosen.contains(index))
        }
    }

    // MARK: Tab

    @Test func `Tab treats the rows of each list as one stop`() {
        var scene = Self.scene([
            Self.element("a", .row, line: 0, index: 0), Self.element("a", .row, line: 1, index: 1),
            Self.element("a", .list, line: 0), Self.element("b", .row, line: 4, index: 0),
            Self.element("b", .list, line: 4),
        ])
        #expect(scene.focus == .init(path: "a", elementIndex: 0))
        for path in ["b", "a"] {
            #expect(scene.press(.tab) == .moved)
            #expect(scene.focus == .init(path: path, elementIndex: 0))
        }
    }

    @Test func `elements at the same position keep their order`() {
        var scene = Self.scene([
            Self.element("view", .scroll, line: 0), Self.element("button", .button, line: 0),
            Self.element("below", .button, line: 1),
        ])
        #expect(scene.focus == .init(path: "view"))
        for path in ["button", "below", "view"] {
            #expect(scene.press(.tab) == .moved)
            #expect(scene.focus == .init(path: path))
        }
    }

    @Test func `if several elements are chosen, the first one gets the focus`() {
        var scene = Self.scene(
            [Self.element("button", .button, line: 0)]
                + Self.group("choices", .choice, line: 1, chosen: [0, 2]))
        #expect(scene.press(.tab) == .moved)
        #expect(scene.focus == .init(path: "choices", elementIndex: 0))
    }

    // MARK: Changes of the scene

    @Test func `a disabled field loses the focus`() {
        var scene = Self.scene(AttachedSceneTests.form)
        let elements = AttachedSceneTests.form.map { element in
            var element = element
            if element.kind == .field { element.enabled = false }
            return element
        }
        scene.apply(.with { ($0.height, $0.elements) = (10, elements) })
        #expect(scene.focus == .init(path: "segments", elementIndex: 1))
    }

    @Test func `a list that becomes empty and disabled loses the focus`() {
        let button = Self.element("button", .button, line: 5)
        var scene = Self.scene(Self.list(rows: 0..<1) + [button])
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
        var list = Self.list(rows: 0..<0)[0]
        list.enabled = false
        scene.apply(.with { ($0.height, $0.elements) = (10, [list, button]) })
        #expect(scene.focus == .init(path: "button"))
    }

    @Test func `the focus moves to another row rather than to the list`() {
        var scene = Self.scene(Self.list(rows: 0..<4))
        scene.focus = .init(path: "list", elementIndex: 1)
        scene.apply(.with { ($0.height, $0.elements) = (10, Self.list(rows: 3..<4)) })
        #expect(scene.focus == .init(path: "list", elementIndex: 3))
    }

    @Test func `a complete rendering replaces all lines`() {
        var scene = AttachedScene(height: 3)
        scene.apply(
            .with {
                ($0.application, $0.height) = ("org.example", 3)
                $0.lines = [.with { ($0.number, $0.text) = (1, "new") }]
            })
        #expect(scene.lines.map(\.text) == ["", "new", ""])
    }

    @Test func `a search also finds the path of an element`() {
        var scene = Self.scene(AttachedSceneTests.form)
        let isFound = scene.find("SEG")
        #expect(isFound)
        #expect(scene.focus == .init(path: "segments", elementIndex: 0))
    }

    // MARK: Arrow keys

    @Test func `if two elements are equally near, the first one gets the focus`() {
        var scene = Self.scene([
            Self.element("top", .button, line: 0, column: 10),
            Self.element("left", .button, line: 2),
            Self.element("right", .button, line: 2, column: 20),
        ])
        #expect(scene.press(.down) == .moved)
        #expect(scene.focus == .init(path: "left"))
        scene = Self.scene([
            Self.element("list", .row, line: 0, column: 10, index: 0),
            Self.element("list", .row, line: 1, index: 1),
            Self.element("list", .row, line: 1, column: 20, index: 2),
        ])
        #expect(scene.press(.down) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 1))
    }

    @Test func `Up leaves a list whose first row is below its top`() {
        var scene = Self.scene([
            Self.element("button", .button, line: 0), Self.element("list", .list, line: 1),
            Self.element("list", .row, line: 2, index: 0),
        ])
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
        #expect(scene.press(.up) == .moved)
        #expect(scene.focus == .init(path: "button"))
    }

    @Test func `a list that shows no scroll position is not scrolled`() {
        var scene = Self.scene(Self.list(rows: 0..<3))
        for _ in 0..<2 { #expect(scene.press(.down) == .moved) }
        #expect(scene.press(.down) == .nothing)
        #expect(scene.focus == .init(path: "list", elementIndex: 2))
    }

    @Test func `Left and Right choose only elements of the same group`() {
        let rows = (0..<4).map { Self.element("list", .row, line: 2 + $0, index: $0) }
        var scene = Self.scene(Self.group("choices", .choice, line: 0) + rows)
        scene.focus = .init(path: "choices", elementIndex: 0)
        #expect(scene.press(.right) == .operation(.choose(path: "choices", index: 1)))
        #expect(scene.press(.right) == .operation(.choose(path: "choices", index: 2)))
        #expect(scene.press(.right) == .nothing)
        #expect(scene.focus == .init(path: "choices", elementIndex: 2))
    }

    // MARK: Pages

    @Test func `Page Up moves the focus no further than the first row`() {
        var scene = Self.scene(Self.list(rows: 0..<3, of: 9), position: 3)
        scene.focus = .init(path: "list", elementIndex: 1)
        #expect(scene.press(.pageUp) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
    }

    @Test func `the length of a page does not depend on other groups`() {
        var scene = Self.scene(
            Self.list(rows: 0..<3) + Self.group("choices", .choice, line: 6), position: 3)
        #expect(scene.press(.pageDown) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 2))
    }

    @Test(arguments: 0..<12)
    func `the length of a page does not depend on a line that is partly filled`(top: Int) {
        let items = (0..<5).map { index in
            Self.element("list", .row, line: top + index / 4, column: index % 4 * 10, index: index)
        }
        var list = Self.list(rows: 0..<0, of: 5)[0]
        list.line = top
        var scene = Self.scene(items + [list])
        #expect(scene.press(.pageDown) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 4))
    }

    // MARK: Moving rows

    @Test func `a row moves down to the last row of its list`() {
        var scene = Self.scene(Self.list(rows: 0..<3, of: 3))
        for index in 0..<2 {
            #expect(
                scene.press(.text("J"))
                    == .operation(.move(path: "list", from: index, to: index + 1)))
            #expect(scene.focus == .init(path: "list", elementIndex: index + 1))
        }
        #expect(scene.press(.text("J")) == .refused("this row is the last one"))
        scene = Self.scene(Self.list(rows: 0..<3), position: 3)
        scene.focus = .init(path: "list", elementIndex: 2)
        #expect(scene.press(.shiftDown) == .operation(.move(path: "list", from: 2, to: 3)))
    }

    @Test func `a longer list does not affect which row is the last one`() {
        let rows = (0..<2).map { Self.element("a", .row, line: $0, index: $0) }
        let otherRows = (0..<3).map { Self.element("b", .row, line: 4 + $0, index: $0) }
        var scene = Self.scene(rows + otherRows)
        scene.focus = .init(path: "a", elementIndex: 1)
        #expect(scene.press(.text("J")) == .refused("this row is the last one"))
    }

    // MARK: Other keys

    @Test(arguments: [(false, "a"), (true, "b")])
    func `Escape leaves edit mode of the focused list first`(isOtherEditing: Bool, path: String) {
        var scene = Self.scene([
            Self.element("a", .row, line: 0, index: 0), Self.element("b", .row, line: 2, index: 0),
            Self.element("a", .list, line: 0, editing: true),
            Self.element("b", .list, line: 2, editing: isOtherEditing),
        ])
        scene.focus = .init(path: "b", elementIndex: 0)
        #expect(scene.press(.escape) == .operation(.setEditing(path: path, isOn: false)))
    }

    @Test(arguments: [DrawnKind.field, .text])
    func `a paste is inserted into the focused text`(kind: DrawnKind) {
        var scene = Self.scene([Self.element("text", kind, line: 0)])
        #expect(scene.press(.paste("a\nb")) == .operation(.insert("a\nb", path: "text")))
    }
}
