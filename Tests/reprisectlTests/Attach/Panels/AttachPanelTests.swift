import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Contents of the panels in the terminal client.
@Suite struct AttachPanelTests {
    @Test func `only the changed part of each changed line is marked`() {
        let difference = TextDifference(
            ["same", "a red car", "a cat"], ["same", "a blue car", "a dog"])
        #expect(difference.changedColumnsInFirstText == [1: 2..<5, 2: 2..<5])
        #expect(difference.changedColumnsInSecondText == [1: 2..<6, 2: 2..<5])
    }

    @Test func `changed parts of paired lines and unpaired lines are marked`() {
        let marks = TextDifference(["same", "[ one ]", "gone"], ["same", "[ other ]"])
        #expect(marks.changedColumnsInFirstText == [1: 3..<5, 2: 0..<4])
        #expect(marks.changedColumnsInSecondText == [1: 3..<7])
    }

    @Test func `marks are in columns, and lines that only moved are not marked`() {
        let wide = TextDifference(["日本x"], ["日本y"])
        #expect(wide.changedColumnsInFirstText == [0: 4..<5])
        let moved = TextDifference(["a", "b"], ["new", "a", "b"])
        #expect(moved.changedColumnsInFirstText.isEmpty)
        #expect(moved.changedColumnsInSecondText == [0: 0..<3])
        #expect(TextDifference([], []).changedColumnsInFirstText.isEmpty)
        // If only the other line has more characters, one column marks the position.
        let longer = TextDifference(["ab"], ["axb"])
        #expect(longer.changedColumnsInFirstText == [0: 1..<2])
        #expect(longer.changedColumnsInSecondText == [0: 1..<2])
        // The common end does not overlap the common beginning.
        let doubled = TextDifference(["aa"], ["aaa"])
        #expect(doubled.changedColumnsInFirstText == [0: 2..<3])
        #expect(doubled.changedColumnsInSecondText == [0: 2..<3])
        let halved = TextDifference(["aaa"], ["aa"])
        #expect(halved.changedColumnsInFirstText == [0: 2..<3])
        #expect(halved.changedColumnsInSecondText == [0: 2..<3])
        // An empty line is marked by one column.
        #expect(TextDifference(["a", ""], ["a"]).changedColumnsInFirstText == [1: 0..<1])
        #expect(TextDifference(["a"], ["a", ""]).changedColumnsInSecondText == [1: 0..<1])
    }

    @Test func `text wraps at word boundaries, and inside a word that is longer than a line`() {
        func lines(_ text: String, _ columns: Int) -> [String] {
            DrawnLine.panel(wrapping: text, columns: columns).map(\.text)
        }
        #expect(lines("one two three", 11) == ["  one two", "  three"])
        #expect(lines("abcdefghij k", 8) == ["  abcd", "  efgh", "  ij k"])
        #expect(lines("日本語", 8) == ["  日本", "  語"])
        #expect(lines("日本", 1) == ["  日", "  本"])
        #expect(lines("a\u{1B}[2Jb", 20).allSatisfy { !$0.contains("\u{1B}") })
    }

    @Test func `a panel scrolls no further than its last line`() {
        var scroll = PanelScroll()
        let lines = (0..<12).map { DrawnLine.panel("\($0)") }
        #expect(scroll.visibleLines(lines, height: 10).first?.text == "0")
        for _ in 0..<3 { scroll.press(.text(" ")) }
        #expect(scroll.visibleLines(lines, height: 10).first?.text == "2")
        scroll.press(.backspace)
        #expect(scroll.visibleLines(lines, height: 10).first?.text == "0")
        for _ in 0..<3 { scroll.press(.text(" ")) }
        #expect(scroll.visibleLines(lines, height: 0).map(\.text) == ["11"])
        #expect(scroll.visibleLines([], height: 0).isEmpty)
    }

    @Test func `Space and Backspace scroll by five lines, and a reset returns to the first line`() {
        var scroll = PanelScroll()
        let lines = (0..<30).map { DrawnLine.panel("\($0)") }
        for _ in 0..<3 { scroll.press(.text(" ")) }
        #expect(scroll.visibleLines(lines, height: 10).first?.text == "15")
        scroll.press(.backspace)
        #expect(scroll.visibleLines(lines, height: 10).first?.text == "10")
        scroll.press(.text("x"))
        #expect(scroll.visibleLines(lines, height: 10).first?.text == "10")
        scroll.reset()
        #expect(scroll.visibleLines(lines, height: 10).first?.text == "0")
    }

    @Test(arguments: [(1, 1), (2, 3), (3, 200)])
    func `a screen of any size can be drawn`(lines: Int, columns: Int) {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: lines, columns: columns)
        var panel: any AttachPanel = KeyBindingsPanel()
        let drawn = panel.lines(size)
        let bar = AttachScreen.Bar(
            leftText: String(repeating: "日", count: 99), rightText: "/what is typed", isTyping: true
        )
        let output = screen.draw(AttachedScene(), bar: bar, panel: drawn, size: size)
        #expect(columns < 4 || output.contains("d"))
        #expect(screen.draw(AttachedScene(), bar: bar, panel: drawn, size: size) == "")
    }

    @Test func `a page is one line shorter than the visible part of the scene`() {
        let scene = AttachedScene(height: 30)
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: 11, columns: 20)
        _ = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        screen.scroll(byPages: 2)
        screen.scroll(byPages: -1)
        _ = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        #expect(screen.translatedKey(.click(line: 0, column: 0)) == .click(line: 9, column: 0))
    }

    /// Returns the line of the rendering in the first row of a screen.
    private func top(of screen: AttachScreen) -> Int? {
        guard case .release(let line, _)? = screen.translatedKey(.release(line: 0, column: 0))
        else {
            return nil
        }
        return line
    }

    @Test func `drawing a screen with no lines only clears it`() {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: 0, columns: 0)
        let drawn = screen.draw(AttachedScene(height: 3), bar: AttachScreen.Bar(), size: size)
        #expect(drawn == "\u{1B}[0m\u{1B}[2J")
    }

    @Test func `only changed rows are redrawn, and the bar is in the last row`() {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: 3, columns: 16)
        var bar = AttachScreen.Bar(leftText: "left", rightText: "right")
        let first = screen.draw(AttachedScene(height: 2), bar: bar, size: size)
        #expect(
            first == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[Kline 0\u{1B}[0m"
                + "\u{1B}[2;1H\u{1B}[Kline 1\u{1B}[0m"
                + "\u{1B}[3;1H\u{1B}[K\u{1B}[0;7m left     right \u{1B}[0m")
        let changed = AttachedScene(height: 2) {
            if $0.number == 1 { $0.text = "1234567890123456" }
        }
        bar.isError = true
        #expect(
            screen.draw(changed, bar: bar, size: size)
                == "\u{1B}[2;1H\u{1B}[K1234567890123456\u{1B}[0m"
                + "\u{1B}[3;1H\u{1B}[K\u{1B}[0;7m left    \u{1B}[0;7;31m right \u{1B}[0m")
    }

    @Test func `a screen scrolls no further than the last page and the first line`() {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        func draw(lines: Int, height: Int = 30) {
            _ = screen.draw(
                AttachedScene(height: height), bar: AttachScreen.Bar(),
                size: TerminalSession.Size(lines: lines, columns: 20))
        }
        draw(lines: 11)
        screen.scroll(byPages: 9)
        draw(lines: 11)
        #expect(top(of: screen) == 20)
        screen.scroll(by: -1)
        draw(lines: 11)
        #expect(top(of: screen) == 19)
        draw(lines: 11, height: 12)
        #expect(top(of: screen) == 2)
        screen.scroll(byPages: -9)
        #expect(top(of: screen) == 0)
        // A page has at least one line.
        draw(lines: 2)
        screen.scroll(byPages: 1)
        #expect(top(of: screen) == 1)
    }

    @Test(
        arguments: [
            (5, 20, 17, 8), (5, 20, nil, 5), (5, 10, 6, 5), (4, 1, nil, 0), (9, 1, nil, 0),
            (10, 1, nil, 1), (29, 1, 29, 20),
            // The scene has no lines for the end of the element.
            (25, 20, nil, 25),
        ] as [(Int, Int, Int?, Int)])
    func `the screen shows the focused element, or its caret if the element is too tall`(
        line: Int, lines: Int, caret: Int?, expected: Int
    ) {
        let text = DrawnElement.with {
            ($0.path, $0.kind, $0.line, $0.lines, $0.columns) = ("text", .text, line, lines, 10)
            $0.enabled = true
        }
        let scene = AttachedScene(height: 30, elements: [text]) { drawn in
            if drawn.number == caret {
                drawn.spans = [DrawnRole.bar, .caret].map { role in
                    .with { ($0.role, $0.columns) = (role, 1) }
                }
            }
        }
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        // A screen that shows no line of the scene does not scroll.
        for height in [1, 11] {
            let size = TerminalSession.Size(lines: height, columns: 20)
            _ = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        }
        #expect(top(of: screen) == expected)
        screen.scroll(by: expected == 0 ? 7 : -expected)
        let size = TerminalSession.Size(lines: 11, columns: 20)
        _ = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        #expect(top(of: screen) == (expected == 0 ? 7 : 0))
        screen.scrollToFocus()
        _ = screen.draw(scene, bar: AttachScreen.Bar(), size: size)
        #expect(top(of: screen) == (expected == 0 ? min(7, line) : expected))
    }

    @Test func `a click or wheel event on the bar hits no line of the scene`() {
        var screen = AttachScreen(.init(hasColor: true, isUTF8: true))
        let size = TerminalSession.Size(lines: 3, columns: 20)
        _ = screen.draw(AttachedScene(height: 9), bar: AttachScreen.Bar(), size: size)
        screen.scroll(by: 4)
        #expect(screen.translatedKey(.click(line: 1, column: 2)) == .click(line: 5, column: 2))
        #expect(screen.translatedKey(.click(line: 2, column: 2)) == nil)
        #expect(
            screen.translatedKey(.wheel(line: 1, column: 2, by: 1))
                == .wheel(line: 5, column: 2, by: 1))
        #expect(screen.translatedKey(.wheel(line: 2, column: 2, by: 1)) == nil)
        #expect(screen.translatedKey(.tab) == .tab)
    }

    @Test func `the caret is shown only in the focused field`() {
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

    @Test func `the chosen entry of a list is always visible`() {
        var choice = PanelSelection(selectedIndex: 0, entryCount: 30)
        #expect(choice.visibleRange(5) == 0..<5)
        let isMoved = choice.press(.end)
        #expect(isMoved)
        #expect(choice.visibleRange(5) == 25..<30)
        let isMovedPastEnd = choice.press(.down)
        #expect(!isMovedPastEnd)
        #expect(PanelSelection(selectedIndex: 0, entryCount: 0).visibleRange(5) == 0..<0)
        #expect(PanelSelection(selectedIndex: 15, entryCount: 30).visibleRange(5) == 13..<18)
        #expect(PanelSelection(selectedIndex: 15, entryCount: 30).visibleRange(40) == 0..<30)
        #expect(PanelSelection(selectedIndex: 15, entryCount: 30).visibleRange(-1).isEmpty)
    }

    @Test(arguments: [
        (Key.up, 2, 1), (.up, 0, 0), (.down, 28, 29), (.down, 29, 29), (.backTab, 2, 1),
        (.tab, 2, 3), (.pageUp, 25, 15), (.pageUp, 3, 0), (.pageDown, 2, 12), (.pageDown, 25, 29),
        (.home, 7, 0), (.end, 7, 29), (.left, 7, 7),
    ])
    func `keys move the selection, which stays in the list`(key: Key, from: Int, to: Int) {
        var selection = PanelSelection(selectedIndex: from, entryCount: 30)
        let isMoved = selection.press(key)
        #expect(isMoved == (from != to))
        #expect(selection.selectedIndex == to)
    }
}

extension AttachPanel {
    /// Presses a key, and checks the outcome.
    mutating func press(
        _ key: Key, _ calls: SceneCalls, expecting outcome: PanelOutcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try press(key, calls)
        #expect(found == outcome, "\(key)", sourceLocation: sourceLocation)
    }
}
