import RepriseControl
import TestSupport
import Testing
import Varlink

@testable import reprisectl

/// Effects of keys on a scene in the terminal client.
@Suite struct AttachedSceneTests {
    static func element(
        _ path: String, _ kind: DrawnKind, line: Int, column: Int = 0, columns: Int = 10,
        index: Int? = nil, chosen: Bool? = nil, enabled: Bool = true, editing: Bool? = nil
    ) -> DrawnElement {
        .with {
            ($0.path, $0.kind, $0.line, $0.lines) = (path, kind, line, 1)
            ($0.column, $0.columns, $0.index, $0.chosen) = (column, columns, index, chosen)
            ($0.enabled, $0.editing) = (enabled, editing)
        }
    }

    /// Returns a scene in which a line shows the scroll position of a list.
    static func scene(_ elements: [DrawnElement], position: Int? = nil) -> AttachedScene {
        AttachedScene(height: 10, elements: elements) { line in
            if line.number == position {
                line.spans = [DrawnRole.bar, .position].map { role in
                    .with { ($0.role, $0.columns) = (role, 10) }
                }
            }
        }
    }

    static let form = [
        element("segments", .choice, line: 0, index: 0, chosen: false),
        element("segments", .choice, line: 0, column: 10, index: 1, chosen: true),
        element("field", .field, line: 1), element("off", .button, line: 2, enabled: false),
        element("button", .button, line: 3),
    ]

    @Test
    func `the focus starts in the first text field, and Tab cycles through the enabled elements`() {
        var scene = Self.scene(Self.form)
        #expect(scene.focus == .init(path: "field"))
        #expect(scene.press(.tab) == .moved)
        #expect(scene.focus == .init(path: "button"))
        #expect(scene.press(.tab) == .moved)
        #expect(scene.focus == .init(path: "segments", elementIndex: 1))
        #expect(scene.press(.backTab) == .moved)
        #expect(scene.press(.up) == .moved)
        #expect(scene.focus == .init(path: "field"))
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: fields with canonically equivalent paths get the focus separately`(
        _ first: String, _ second: String
    ) {
        var scene = Self.scene([
            Self.element(first, .field, line: 0), Self.element(second, .field, line: 1),
            Self.element("\(second)s", .list, line: 2),
            Self.element("\(first)s", .row, line: 3, index: 0),
        ])
        #expect(scene.press(.tab) == .moved)
        #expect(scene.focusedElement.map { Array($0.path.utf8) } == Array(second.utf8))
        #expect(scene.focusedElement?.line == 1)
        // A row of a list with a different path does not prevent this list from getting the focus.
        #expect(scene.press(.tab) == .moved)
        #expect(scene.focusedElement?.kind == .list)
    }

    @Test(arguments: [Int.min, -1, .max])
    func `parts of a rendering with impossible numbers are ignored`(number: Int) {
        let field = Self.element("field", .field, line: 0)
        let bar = DrawnSpan.with { ($0.role, $0.columns) = (.bar, 4) }
        let elements = [
            \DrawnElement.line, \.lines, \.column, \.columns, \.indexNumber, \.rowNumber,
        ].map { property in
            var element = Self.element("row", .row, line: 1, index: 0)
            element[keyPath: property] = number
            return element
        }
        let spans = [\DrawnSpan.column, \.columns].map { property in
            var span = bar
            span[keyPath: property] = number
            return span
        }
        let scene = AttachedScene(height: 1, elements: elements + [field]) { line in
            line.spans = spans + [bar]
        }
        #expect(scene.elements == [field])
        #expect(scene.lines[0].spans == [bar])
    }

    @Test(arguments: [(Int.min, 0), (-1, 0), (.max, 1 << 20)])
    func `the height of a scene is limited`(height: Int, lineCount: Int) {
        var scene = Self.scene(Self.form)
        scene.apply(.with { $0.height = height })
        #expect(scene.lines.count == lineCount)
    }

    @Test func `keys edit the focused text field or operate the focused control`() {
        var scene = Self.scene(Self.form)
        #expect(scene.press(.text("q")) == .operation(.insert("q", path: "field")))
        #expect(
            scene.press(.control("k")) == .operation(.edit(.deleteToEndOfLine, path: "field")))
        #expect(scene.press(.enter) == .moved)
        #expect(scene.press(.enter) == .operation(.tap(path: "button", row: nil)))
        #expect(scene.press(.tab) == .moved)
        #expect(scene.press(.right) == .nothing)
        #expect(scene.press(.left) == .operation(.choose(path: "segments", index: 0)))
        #expect(scene.press(.escape) == .operation(.dismissOrGoBack))
        guard case .refused = scene.press(.paste("lost")) else {
            Issue.record("a text is pasted where there is none")
            return
        }
        #expect(scene.press(.click(line: 3, column: 2)) == .moved)
        #expect(
            scene.press(.release(line: 3, column: 2)) == .operation(.tap(path: "button", row: nil)))
        #expect(scene.press(.click(line: 3, column: 2)) == .moved)
        #expect(scene.press(.release(line: 1, column: 2)) == .nothing)
        #expect(scene.press(.click(line: 2, column: 2)) == .nothing)
    }

    @Test func `Shift extends the selection in a text view, and Page Down moves by a page`() {
        var scene = Self.scene([Self.element("text", .text, line: 0)])
        #expect(
            scene.press(.shiftUp)
                == .operation(.edit(.moveUp, extends: true, path: "text")))
        #expect(scene.press(.pageDown) == .operation(.edit(.pageDown, path: "text")))
        scene = Self.scene(Self.form)
        #expect(scene.press(.pageDown) == .nothing)
    }

    @Test func `keys scroll, zoom and load a page, and the wheel scrolls a scroll view`() {
        var page = Self.element("page", .page, line: 0)
        page.lines = 8
        page.view = .init(x: 1, y: 4, scale: 2, step: 1)
        var scene = Self.scene([page])
        #expect(scene.press(.down) == .operation(.scroll(path: "page", x: 1, y: 5)))
        #expect(scene.press(.pageUp) == .operation(.scroll(path: "page", x: 1, y: 0)))
        #expect(scene.press(.text("+")) == .operation(.zoom(path: "page", scale: 2.5)))
        #expect(scene.press(.text("]")) == .operation(.forward(path: "page")))
        #expect(scene.press(.wordLeft) == .operation(.back(path: "page")))
        #expect(scene.press(.enter) == .addressRequired(path: "page"))
        page.view?.step = 3
        scene = Self.scene([page])
        #expect(scene.press(.down) == .operation(.scroll(path: "page", x: 1, y: 7)))
        page.view?.step = 1
        page.kind = .scroll
        scene = Self.scene([page])
        #expect(scene.press(.enter) == .nothing)
        #expect(scene.press(.text("]")) == .nothing)
        #expect(
            scene.press(.wheel(line: 1, column: 1, by: 1))
                == .operation(.scroll(path: "page", x: 1, y: 5)))
    }

    @Test func `an empty list can have the focus, and rows can be dragged only in edit mode`() {
        var scene = Self.scene(Self.list(rows: 0..<0))
        #expect(scene.focus == .init(path: "list"))
        #expect(scene.press(.text("e")) == .operation(.setEditing(path: "list", isOn: true)))
        scene = Self.scene(Self.list(rows: 0..<3))
        #expect(scene.press(.click(line: 2, column: 0)) == .moved)
        guard case .refused = scene.press(.release(line: 0, column: 0)) else {
            Issue.record("a row is moved outside of the edit mode")
            return
        }
        scene = Self.scene(Self.list(rows: 0..<3, editing: true))
        #expect(scene.press(.click(line: 2, column: 0)) == .moved)
        #expect(
            scene.press(.release(line: 0, column: 0))
                == .operation(.move(path: "list", from: 2, to: 0)))
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
    }

    static func list(
        rows: Range<Int>, of rowCount: Int = 40, editing: Bool = false
    ) -> [DrawnElement] {
        rows.map { element("list", .row, line: $0 - rows.lowerBound, index: $0, chosen: false) }
            + [
                .with {
                    ($0.path, $0.kind, $0.lines, $0.columns) = ("list", .list, 4, 10)
                    ($0.enabled, $0.editing, $0.rows) = (true, editing, rowCount)
                }
            ]
    }

    @Test func `keys navigate, scroll, open, move and delete rows`() {
        var scene = Self.scene(Self.list(rows: 2..<5), position: 3)
        #expect(scene.focus == .init(path: "list", elementIndex: 2))
        #expect(scene.press(.up) == .operation(.scroll(path: "list", x: 0, y: 1)))
        #expect(scene.focus == .init(path: "list", elementIndex: 1))
        scene.apply(.with { ($0.height, $0.elements) = (10, Self.list(rows: 1..<4)) })
        #expect(scene.focus == .init(path: "list", elementIndex: 1))
        #expect(scene.press(.down) == .moved)
        #expect(scene.press(.down) == .moved)
        #expect(scene.press(.enter) == .operation(.tap(path: "list", row: 3)))
        #expect(scene.press(.down) == .operation(.scroll(path: "list", x: 0, y: 2)))
        #expect(scene.press(.text("d")) == .nothing)
        scene.apply(.with { ($0.height, $0.elements) = (10, Self.list(rows: 2..<5)) })
        guard case .refused = scene.press(.text("d")) else {
            Issue.record("a row is deleted outside of the edit mode")
            return
        }
        #expect(scene.press(.text("e")) == .operation(.setEditing(path: "list", isOn: true)))
        scene.apply(
            .with {
                ($0.height, $0.elements) = (10, Self.list(rows: 2..<5, editing: true))
                $0.lines = [.with { ($0.number, $0.text) = (1, "⊖ ○ Item 3 ≡") }]
            })
        #expect(scene.press(.text("K")) == .operation(.move(path: "list", from: 4, to: 3)))
        #expect(
            scene.press(.delete) == .deletionRequested(text: "Item 3", path: "list", row: 3))
        scene.apply(
            .with { ($0.height, $0.elements) = (10, Self.list(rows: 2..<3, editing: true)) })
        #expect(scene.focus == .init(path: "list", elementIndex: 2))
    }

    @Test func `Home, End, Page Up and Page Down move the focus to any row of a list`() {
        var scene = Self.scene(Self.list(rows: 2..<5, of: 9), position: 3)
        #expect(scene.press(.end) == .operation(.scroll(path: "list", x: 0, y: 6)))
        #expect(scene.focus == .init(path: "list", elementIndex: 8))
        scene.apply(.with { ($0.height, $0.elements) = (10, Self.list(rows: 6..<9, of: 9)) })
        #expect(scene.focus == .init(path: "list", elementIndex: 8))
        #expect(scene.press(.end) == .moved)
        #expect(scene.press(.pageDown) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 8))
        // The focus leaves the list, because no row follows.
        #expect(scene.press(.down) == .nothing)
        #expect(scene.press(.pageUp) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 6))
        #expect(scene.press(.pageUp) == .operation(.scroll(path: "list", x: 0, y: 4)))
        #expect(scene.focus == .init(path: "list", elementIndex: 4))
        scene.apply(.with { ($0.height, $0.elements) = (10, Self.list(rows: 4..<7, of: 9)) })
        #expect(scene.press(.home) == .operation(.scroll(path: "list", x: 0, y: 0)))
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
        scene.apply(.with { ($0.height, $0.elements) = (10, Self.list(rows: 0..<3, of: 9)) })
        #expect(scene.press(.home) == .moved)
    }

    @Test func `Escape leaves edit mode before it goes back`() {
        var scene = Self.scene(Self.list(rows: 0..<2, editing: true))
        #expect(scene.isEditing)
        #expect(scene.press(.escape) == .operation(.setEditing(path: "list", isOn: false)))
        scene = Self.scene(Self.list(rows: 0..<0, editing: true))
        #expect(scene.isEditing)
        #expect(scene.press(.escape) == .operation(.setEditing(path: "list", isOn: false)))
        scene = Self.scene(Self.list(rows: 0..<2))
        #expect(!scene.isEditing)
        #expect(scene.press(.escape) == .operation(.dismissOrGoBack))
    }

    @Test(arguments: [0..<2, 0..<0])
    func `u restores a deleted row if the list can restore it`(rows: Range<Int>) {
        var elements = Self.list(rows: rows)
        var scene = Self.scene(elements)
        guard case .refused = scene.press(.text("u")) else {
            Issue.record("a row is restored although none was deleted")
            return
        }
        elements[elements.count - 1].undoable = true
        scene = Self.scene(elements)
        #expect(scene.canUndoDeletion(in: "list"))
        #expect(scene.press(.text("u")) == .operation(.undoDelete(path: "list")))
    }

    @Test func `a list that becomes empty keeps the focus`() {
        let button = Self.element("button", .button, line: 0)
        var scene = Self.scene([button] + Self.list(rows: 0..<1))
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
        scene.apply(.with { ($0.height, $0.elements) = (10, [button] + Self.list(rows: 0..<0)) })
        #expect(scene.focus == .init(path: "list"))
        // After the row has been restored, it gets the focus.
        scene.apply(.with { ($0.height, $0.elements) = (10, [button] + Self.list(rows: 0..<1)) })
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
    }

    @Test func `the text of a row does not include the marks around it`() {
        var scene = Self.scene(Self.list(rows: 0..<3))
        scene.apply(
            .with {
                $0.height = 10
                $0.lines = ["› a b", "⊖ ●   ≡", "  ○x"].enumerated().map { number, text in
                    .with { ($0.number, $0.text) = (number, text) }
                }
            })
        #expect((0..<3).map { scene.rowText(path: "list", row: $0) } == ["a b", "", "x"])
        #expect(scene.rowText(path: "list", row: 3) == nil)
        // The detail at the right edge is omitted, and a long text is cut off.
        let long = String(repeating: "日", count: 20)
        let letters = "abcdefghijklmnopqrstuvwxy"
        let texts: [(text: String, shown: String)] = [
            ("  Vase    $5  ≡", "Vase"), ("⊖ ○ \(long)", "\(long.prefix(11))…"),
            ("\(letters.prefix(24))", "\(letters.prefix(24))"), (letters, "\(letters.prefix(23))…"),
        ]
        for (text, shown) in texts {
            scene = Self.scene([
                Self.element("list", .row, line: 0, columns: 60, index: 0, chosen: false)
            ])
            scene.apply(.with { ($0.height, $0.lines) = (1, [.with { $0.text = text }]) })
            #expect(scene.rowText(path: "list", row: 0) == shown)
        }
        // The rendering can have fewer lines than the element says.
        scene = Self.scene([Self.element("list", .row, line: 10, index: 0)])
        #expect(scene.rowText(path: "list", row: 0) == nil)
    }

    @Test func `an edit or a scroll states the size of the view on the screen`() {
        var page = Self.element("page", .page, line: 2, columns: 5000)
        page.lines = 5000
        page.view = .init(x: 0, y: 0, scale: 1, step: 1)
        let scene = Self.scene([page, Self.element("field", .field, line: 0)])
        #expect(
            scene.drawnSize(for: .scroll(path: "page", x: 0, y: 0))
                == DrawnSize(columns: 4096, lines: 4096))
        (page.columns, page.lines) = (30, 8)
        #expect(
            Self.scene([page]).drawnSize(for: .edit(.moveUp, path: "page"))
                == DrawnSize(columns: 30, lines: 8))
        #expect(scene.drawnSize(for: .edit(.moveUp, path: "field")) == nil)
        #expect(scene.drawnSize(for: .tap(path: "page", row: nil)) == nil)
    }

    @Test func `the arrow keys move the focus between elements in adjacent lines`() {
        var scene = Self.scene((0..<3).map { Self.element("field\($0)", .field, line: $0) })
        for (key, path) in [
            (Key.down, "field1"), (.down, "field2"), (.up, "field1"), (.up, "field0"),
        ] {
            #expect(scene.press(key) == .moved)
            #expect(scene.focus == .init(path: path))
        }
        #expect(scene.press(.up) == .nothing)
        #expect(scene.focus == .init(path: "field0"))
    }

    @Test
    func `Tab treats the rows of a list as one stop, and an empty list gets the focus itself`() {
        let button = Self.element("button", .button, line: 5)
        var scene = Self.scene(Self.list(rows: 0..<2) + [button])
        #expect(scene.press(.tab) == .moved)
        #expect(scene.focus == .init(path: "button"))
        #expect(scene.press(.tab) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
        scene.apply(.with { ($0.height, $0.elements) = (10, Self.list(rows: 0..<0)) })
        #expect(scene.focus == .init(path: "list"))
        scene.apply(
            .with {
                $0.height = 10
                $0.elements = []
            })
        #expect(scene.focus == nil)
        #expect(scene.press(.tab) == .nothing)
    }

    @Test
    func `Up in the first row leaves a list that is not scrolled, even if more rows are below`() {
        let list = Self.list(rows: 0..<3).map { element in
            var element = element
            element.line += 1
            return element
        }
        var scene = Self.scene([Self.element("button", .button, line: 0)] + list, position: 4)
        #expect(scene.focus == .init(path: "list", elementIndex: 0))
        #expect(scene.press(.up) == .moved)
        #expect(scene.focus == .init(path: "button"))
    }

    @Test func `edit mode of one list does not apply to another list`() {
        var scene = Self.scene([
            Self.element("a", .row, line: 0, index: 0), Self.element("b", .row, line: 2, index: 0),
            Self.element("a", .list, line: 0), Self.element("b", .list, line: 2, editing: true),
        ])
        guard case .refused = scene.press(.text("d")) else {
            Issue.record("a row is deleted outside of the edit mode")
            return
        }
        #expect(scene.press(.click(line: 2, column: 0)) == .moved)
        #expect(scene.press(.text("d")) == .deletionRequested(text: "line 2", path: "b", row: 0))
        #expect(scene.press(.text("K")) == .refused("this row is the first one"))
        #expect(scene.press(.text("J")) == .refused("this row is the last one"))
    }

    @Test(arguments: [
        (DrawnKind.scroll, 2, 1.0), (.scroll, 3, 1.0), (.scroll, 8, 6.0), (.page, 4, 1.0),
        (.page, 5, 1.0), (.page, 8, 4.0),
    ])
    func `a page of a view is the height of its visible content, and at least one line`(
        kind: DrawnKind, lines: Int, page: Double
    ) {
        var element = Self.element("view", kind, line: 0)
        element.lines = lines
        var scene = Self.scene([element])
        #expect(scene.press(.pageDown) == .operation(.scroll(path: "view", x: 0, y: page)))
        #expect(scene.press(.text(" ")) == .operation(.scroll(path: "view", x: 0, y: page)))
        #expect(scene.press(.pageUp) == .operation(.scroll(path: "view", x: 0, y: -page)))
    }

    @Test func `a list with several items per line scrolls by whole lines`() {
        let items = (8..<16).map { index in
            Self.element(
                "list", .row, line: (index - 8) / 4, column: index % 4 * 10, index: index)
        }
        var scene = Self.scene(items + [Self.list(rows: 0..<0)[0]], position: 3)
        #expect(scene.press(.pageDown) == .moved)
        #expect(scene.focus == .init(path: "list", elementIndex: 12))
        #expect(scene.press(.pageDown) == .operation(.scroll(path: "list", x: 0, y: 3)))
        #expect(scene.focus == .init(path: "list", elementIndex: 16))
        scene.focus = .init(path: "list", elementIndex: 8)
        #expect(
            scene.press(.wheel(line: 0, column: 0, by: -1))
                == .operation(.scroll(path: "list", x: 0, y: 1)))
        #expect(scene.press(.up) == .operation(.scroll(path: "list", x: 0, y: 1)))
        // A page of one line is one line.
        var line = Self.scene(items.prefix(4) + [Self.list(rows: 0..<0)[0]], position: 3)
        #expect(line.press(.pageDown) == .operation(.scroll(path: "list", x: 0, y: 3)))
    }

    @Test func `an update replaces only the lines it contains, and a search focuses its match`() {
        var scene = Self.scene(Self.form)
        scene.apply(
            .with {
                $0.height = 4
                $0.lines = [.with { ($0.number, $0.text) = (3, "Press me") }]
            })
        #expect(scene.lines.map(\.text) == ["line 0", "line 1", "line 2", "Press me"])
        #expect(scene.focus == .init(path: "field"))
        let isPressFound = scene.find("press")
        #expect(isPressFound)
        #expect(scene.focus == .init(path: "button"))
        let isNextFound = scene.find("e")
        #expect(isNextFound)
        #expect(scene.focus == .init(path: "segments", elementIndex: 0))
        let isFound = scene.find("nowhere")
        #expect(!isFound)
    }

    @Test func `if the focused row disappears, the nearest row of its list gets the focus`() {
        let rows = (0..<4).map { Self.element("list", .row, line: $0, index: $0) }
        let other = Self.element("other", .row, line: 5, index: 2)
        for (remaining, nearest) in [([0], 0), ([0, 1], 1), ([1, 3], 1), ([0, 3], 3)] {
            var scene = Self.scene(rows + [other])
            scene.focus = .init(path: "list", elementIndex: 2)
            let elements = [other] + remaining.map { rows[$0] }
            scene.apply(.with { ($0.height, $0.elements) = (10, elements) })
            #expect(scene.focus == .init(path: "list", elementIndex: nearest))
        }
    }

    @Test func `a scene shows a path if an element is at or below that path`() {
        let scene = Self.scene([
            Self.element("nav/a", .button, line: 0), Self.element("nav/b", .button, line: 1),
        ])
        for (path, isShown) in [("nav", true), ("nav/a", true), ("nav/b", true), ("nav/c", false)] {
            #expect(scene.shows(path) == isShown)
        }
    }

    @Test func `Up and Down leave a group of vertically arranged choices`() {
        var scene = Self.scene([
            Self.element("top", .button, line: 0),
            Self.element("choices", .choice, line: 1, index: 0, chosen: true),
            Self.element("choices", .choice, line: 2, index: 1, chosen: false),
            Self.element("choices", .choice, line: 3, index: 2, chosen: true),
            Self.element("bottom", .button, line: 4),
        ])
        scene.focus = .init(path: "choices", elementIndex: 1)
        #expect(scene.press(.down) == .moved)
        #expect(scene.focus == .init(path: "bottom"))
        scene.focus = .init(path: "choices", elementIndex: 1)
        #expect(scene.press(.up) == .moved)
        #expect(scene.focus == .init(path: "top"))
    }

    @Test func `Left and Right move between items of the same line`() {
        var scene = Self.scene(
            (0..<4).map {
                Self.element("list", .row, line: $0 / 2, column: $0 % 2 * 10, index: $0)
            })
        for (index, key, next) in [
            (0, Key.right, 1), (1, .left, 0), (2, .right, 3), (3, .left, 2), (1, .right, nil),
            (2, .left, nil), (0, .left, nil), (3, .right, nil),
        ] as [(Int, Key, Int?)] {
            scene.focus = .init(path: "list", elementIndex: index)
            #expect(scene.press(key) == (next == nil ? .nothing : .moved))
            #expect(scene.focus == .init(path: "list", elementIndex: next ?? index))
        }
    }

    @Test func `control and bidirectional characters in texts never reach the terminal`() {
        var scene = AttachedScene()
        scene.apply(
            .with {
                $0.height = 1
                $0.lines = [.with { $0.text = "a\u{1B}[2J\u{9B}31m\u{202E}b日本" }]
            })
        for isUTF8 in [true, false] {
            var screen = AttachScreen(.init(hasColor: false, isUTF8: isUTF8))
            let size = TerminalSession.Size(lines: 2, columns: 20)
            let output = screen.draw(
                scene, bar: .init(leftText: "\u{1B}]0;x\u{7}"), size: size)
            let text = output.replacing(#/\x1B\[[0-9;]*[mHKJ]/#, with: "")
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(!text.contains("\u{202E}"))
            #expect(isUTF8 ? text.contains("日本") : text.contains("????"))
            #expect(
                screen.draw(scene, bar: .init(leftText: "\u{1B}]0;x\u{7}"), size: size)
                    == "")
        }
    }
}

extension DrawnElement {
    /// The index, or 0 if the element has no index.
    fileprivate var indexNumber: Int {
        get { index ?? 0 }
        set { index = newValue }
    }

    /// The number of rows, or 0 if the element has no rows.
    fileprivate var rowNumber: Int {
        get { rows ?? 0 }
        set { rows = newValue }
    }
}

extension AttachedScene {
    /// Creates a scene with lines that contain `line 0` and so on.
    ///
    /// - Parameter change: A closure that changes a line.
    init(
        height: Int, elements: [DrawnElement] = [],
        changing change: (inout DrawnLine) -> Void = { _ in }
    ) {
        self.init()
        apply(
            .with {
                ($0.application, $0.scene, $0.launchReason) = ("org.example", "main", "restore")
                $0.height = height
                $0.lines = (0..<height).map { number in
                    .with { line in
                        (line.number, line.text) = (number, "line \(number)")
                        change(&line)
                    }
                }
                $0.elements = elements
            })
    }
}
