import RepriseControl

/// Panel that lists the available keys.
struct KeysPanel: AttachPanel {
    let hint = "Space: more · any other key: back to the scene"
    private var scroll = PanelScroll()

    private static let keys = [
        ("Tab, Shift-Tab", "next, previous"),
        ("arrows", "move about, choose, scroll, move the caret"),
        ("Enter, Space", "activate what has the focus"),
        ("Escape", "close what was opened, or go back"),
        ("e", "edit mode of a list"), ("d, Delete", "delete the row, in the edit mode"),
        ("J, K, Shift-arrows", "move the row down, up"),
        ("Page Up, Page Down", "scroll, move in a text, or scroll the picture"),
        ("Ctrl-A E, Home End", "start and end of the line; with Ctrl of the text"),
        ("Ctrl-B F, Ctrl-arrows", "a character, a word"),
        ("Backspace, Ctrl-D", "delete before, after the caret"),
        ("Ctrl-K U W", "delete to the end, to the start, the word before"),
        ("Shift with these", "select, in a text"),
        ("+ - 0", "zoom in, out, to the natural size"),
        ("mouse", "click, drag a row in the edit mode, wheel"),
        ("Enter, [ ]", "in a web page: another address, back, forward"),
        ("/", "find; / and Enter again: the next"), ("F1, ?", "these keys"),
        ("F2", "another scene"),
        ("F3", "earlier states, and back to one"),
        ("F4", "every object, what is saved of it, and why"), ("Ctrl-L", "draw everything again"),
        ("Ctrl-Z", "suspend"), ("Ctrl-C, q", "leave: the scene continues"),
    ]

    mutating func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let lines = Self.keys.map { DrawnLine.panel("  \($0.padded(23))\($1)") }
        return Array(scroll.seen(lines, height: size.lines))
    }

    mutating func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome {
        guard key == .text(" ") || key == .backspace else { return .ends }
        scroll.press(key)
        return .stays
    }
}
