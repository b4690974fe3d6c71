/// Input of the user at a terminal.
enum Key: Equatable, Hashable {
    /// Typed characters.
    case text(String)
    /// Text that was pasted in one piece.
    case paste(String)
    /// Paste that is longer than ``PasteBuffer/maximum``.
    case pasteTooLong
    case enter, tab, backTab, escape, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    case wordLeft, wordRight
    /// Beginning and end of the entire content.
    case top, bottom
    /// The same keys with Shift. Up and down also include other modifiers.
    case shiftUp, shiftDown, shiftLeft, shiftRight, shiftHome, shiftEnd
    case shiftWordLeft, shiftWordRight, shiftTop, shiftBottom
    /// F1 to F4.
    case help, scenes, history, inspector
    /// Letter with the Control key. The value is the lowercase letter.
    case control(Character)
    /// Press of the mouse button at a zero-based position on the screen.
    case click(line: Int, column: Int)
    /// Release of the mouse button at such a position.
    case release(line: Int, column: Int)
    /// Turn of the wheel at a position. The offset is negative for up and positive for down.
    case wheel(line: Int, column: Int, by: Int)
}
