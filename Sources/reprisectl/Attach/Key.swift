/// User input at a terminal.
enum Key: Equatable, Hashable {
    /// Typed characters.
    case text(String)
    /// Pasted text.
    case paste(String)
    /// Paste that is longer than ``PasteBuffer/maximumBytes``.
    case pasteTooLong
    case enter, tab, backTab, escape, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    case wordLeft, wordRight
    /// Keys that move to the beginning or the end of the entire content.
    case top, bottom
    /// Keys with Shift. `shiftUp` and `shiftDown` also represent the arrow keys with other modifiers.
    case shiftUp, shiftDown, shiftLeft, shiftRight, shiftHome, shiftEnd
    case shiftWordLeft, shiftWordRight, shiftTop, shiftBottom
    /// F1 to F4.
    case help, scenes, history, inspector
    /// Letter with the Control key. The value is the lowercase letter.
    case control(Character)
    /// Press of the mouse button at a zero-based position on the screen.
    case click(line: Int, column: Int)
    /// Release of the mouse button at a zero-based position on the screen.
    case release(line: Int, column: Int)
    /// Turn of the mouse wheel at a zero-based position on the screen. The offset is negative for up and positive for
    /// down.
    case wheel(line: Int, column: Int, by: Int)
}
