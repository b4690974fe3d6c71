import RepriseControl

/// Panel that lists the available keys.
struct KeyBindingsPanel: AttachPanel {
    let hint = "Space: more · any other key: back to the scene"
    private var scrollPosition = PanelScroll()

    private static let keyDescriptions = [
        ("Tab, Shift-Tab", "focus the next, previous view"),
        ("arrows", "move the focus or the caret, choose, scroll"),
        ("Enter, Space", "activate the focused view"),
        ("Escape", "leave edit mode, close or go back"),
        ("e", "turn edit mode of a list on or off"), ("d, Delete", "delete the row, in edit mode"),
        ("u", "in a list: restore the row that was deleted last"),
        ("J, K, Shift-arrows", "move the row down, up, in edit mode"),
        ("Page Up, Page Down", "move by a page in a list or text, or scroll"),
        ("Home, End", "in a list: move to the first, last row"),
        ("Ctrl-A E, Home End", "in text: start, end of the line (Ctrl: of the text)"),
        ("Ctrl-B F, Ctrl-arrows", "move by a character, by a word"),
        ("Backspace, Ctrl-D", "delete before, after the caret"),
        ("Ctrl-K U W", "delete to the end, to the start, the word before"),
        ("Shift with these", "select text"),
        ("+ - 0", "zoom in, zoom out, show the natural size"),
        ("mouse", "click, drag a row in edit mode, scroll"),
        ("Enter, [ ]", "in a web page: another address, back, forward"),
        ("/", "find text (/ and Enter again: find the next)"), ("F1, ?", "show these keys"),
        ("F2", "switch to another scene"), ("Ctrl-N", "switch to the next running scene"),
        ("F3", "show earlier states, and roll back to one"),
        ("F4", "show every object, and why it is or is not saved"), ("Ctrl-L", "redraw the screen"),
        ("Ctrl-Z", "suspend"), ("Ctrl-C, q", "exit (the scene continues to run)"),
    ]

    mutating func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let lines = Self.keyDescriptions.map { DrawnLine.panel("  \($0.padded(23))\($1)") }
        return Array(scrollPosition.visibleLines(lines, height: size.lines))
    }

    mutating func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome {
        guard key == .text(" ") || key == .backspace else { return .close }
        scrollPosition.press(key)
        return .stayOpen
    }
}
