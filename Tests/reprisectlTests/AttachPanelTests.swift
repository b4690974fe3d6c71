import RepriseControl
import Testing

@testable import reprisectl

/// What panels of an attached terminal show.
@Suite struct AttachPanelTests {
    @Test func `of each changed line, only the changed part is marked`() {
        let difference = TextDifference(
            ["same", "a red car", "a cat"], ["same", "a blue car", "a dog"])
        #expect(difference.first == [1: 2..<5, 2: 2..<5])
        #expect(difference.second == [1: 2..<6, 2: 2..<5])
    }

    @Test func `of lines beside each other only what differs is marked`() {
        let marks = TextDifference(["same", "[ one ]", "gone"], ["same", "[ other ]"])
        #expect(marks.first == [1: 3..<5, 2: 0..<4])
        #expect(marks.second == [1: 3..<7])
    }

    @Test func `columns are counted, and equal lines that moved are not marked`() {
        let wide = TextDifference(["日本x"], ["日本y"])
        #expect(wide.first == [0: 4..<5])
        let moved = TextDifference(["a", "b"], ["new", "a", "b"])
        #expect(moved.first.isEmpty)
        #expect(moved.second == [0: 0..<3])
        #expect(TextDifference([], []).first.isEmpty)
        // Where the other line has more, one column shows the place.
        let longer = TextDifference(["ab"], ["axb"])
        #expect(longer.first == [0: 1..<2])
        #expect(longer.second == [0: 1..<2])
    }

    @Test func `what is longer than a line goes on in the next one, also in the middle of a word`()
    {
        func lines(_ text: String, _ columns: Int) -> [String] {
            DrawnLine.panel(wrapping: text, columns: columns).map(\.text)
        }
        #expect(lines("one two three", 11) == ["  one two", "  three"])
        #expect(lines("abcdefghij k", 8) == ["  abcd", "  efgh", "  ij k"])
        #expect(lines("日本語", 8) == ["  日本", "  語"])
        #expect(lines("日本", 1) == ["  日", "  本"])
        #expect(lines("a\u{1B}[2Jb", 20).allSatisfy { !$0.contains("\u{1B}") })
    }

    @Test func `what does not fit is scrolled to, up to the last line`() {
        var scroll = PanelScroll()
        let lines = (0..<12).map { DrawnLine.panel("\($0)") }
        #expect(scroll.seen(lines, height: 10).first?.text == "0")
        for _ in 0..<3 { scroll.press(.text(" ")) }
        #expect(scroll.seen(lines, height: 10).first?.text == "2")
        scroll.press(.backspace)
        #expect(scroll.seen(lines, height: 10).first?.text == "0")
        #expect(scroll.seen([], height: 0).isEmpty)
    }

    @Test(arguments: [(1, 1), (2, 3), (3, 200)])
    func `a screen of any size is drawn`(lines: Int, columns: Int) {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: lines, columns: columns)
        var panel: any AttachPanel = KeysPanel()
        let drawn = panel.lines(size)
        let bar = AttachScreen.Bar(
            left: String(repeating: "日", count: 99), right: "/what is typed", isTyped: true)
        let output = screen.draw(AttachedScene(), bar: bar, panel: drawn, size: size)
        #expect(columns < 4 || output.contains("d"))
        #expect(screen.draw(AttachedScene(), bar: bar, panel: drawn, size: size) == "")
    }

    @Test func `a page is as high as the drawing that is seen, without one line`() {
        let scene = AttachedScene(height: 30)
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: 11, columns: 20)
        _ = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        screen.scroll(byPages: 2)
        screen.scroll(byPages: -1)
        _ = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        #expect(screen.placed(.click(line: 0, column: 0)) == .click(line: 9, column: 0))
    }

    @Test func `a caret is shown only in the field that has the focus`() {
        let fields: [DrawnElement] = (0..<2).map { number in
            .with {
                ($0.path, $0.kind, $0.line, $0.lines) = ("\(number)", .field, number, 1)
                ($0.columns, $0.enabled) = (7, true)
            }
        }
        let scene = AttachedScene(height: 2, elements: fields) { line in
            line.text = "field \(line.number)"
            line.spans = [.with { ($0.role, $0.column, $0.columns) = (.caret, 2, 1) }]
        }
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: 3, columns: 20)
        let drawn = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        let rows = drawn.split(separator: "\u{1B}[K")
        #expect(rows[1].contains("fi\u{1B}[0;1;7me"))
        #expect(!rows[2].contains(";7"))
    }

    @Test func `a chosen entry is always among those that are seen`() {
        var choice = PanelChoice(index: 0, count: 30)
        #expect(choice.seen(5) == 0..<5)
        let isMoved = choice.press(.end)
        #expect(isMoved)
        #expect(choice.seen(5) == 25..<30)
        let isMovedOn = choice.press(.down)
        #expect(!isMovedOn)
        #expect(PanelChoice(index: 0, count: 0).seen(5) == 0..<0)
    }
}
