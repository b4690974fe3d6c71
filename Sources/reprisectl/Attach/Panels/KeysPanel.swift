import RepriseControl

/// Shows which keys there are.
struct KeysPanel: AttachPanel {
    let hint = "any key: back to the scene"

    private static let keys = [
        ("Tab, Shift-Tab", "the next, the one before"),
        ("arrows", "move about, choose, scroll, move the caret"),
        ("Enter, Space", "do what has the focus"),
        ("Escape", "close what was opened, or go back"),
        ("e", "edit mode of a list"), ("d, Delete", "delete the row, in the edit mode"),
        ("J, K, Shift-arrows", "move the row down, up"),
        ("Page Up, Page Down", "scroll, or go on in a text; else the picture"),
        ("Ctrl-A E B F D", "start and end of the line, left, right, delete"),
        ("Ctrl-K U W", "delete to the end, to the start, the word before"),
        ("Shift-arrows", "select, in a text"), ("+ - 0", "zoom in, out, not at all"),
        ("Enter, [ ]", "in a web page: another address, back, forward"),
        ("/", "find; / and Enter again: the next"), ("F2", "another scene"),
        ("F3", "earlier states, and back to one"),
        ("F4", "every object, what is saved of it, and why"), ("Ctrl-L", "draw everything again"),
        ("Ctrl-Z", "suspend"), ("Ctrl-C, q", "leave: the scene goes on"),
    ]

    func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        Self.keys.map { .panel("  \($0.padded(20))\($1)") }
    }

    func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome { .ends }
}
