/// What a person does at a terminal.
enum Key: Equatable, Hashable {
    /// Typed characters.
    case text(String)
    /// A text that was pasted as a whole.
    case paste(String)
    /// A paste that is longer than ``PasteBuffer/maximum``.
    case pasteTooLong
    case enter, tab, backTab, escape, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    case wordLeft, wordRight
    /// The start and the end of everything.
    case top, bottom
    /// The same with the shift key; up and down also with another.
    case shiftUp, shiftDown, shiftLeft, shiftRight, shiftHome, shiftEnd
    case shiftWordLeft, shiftWordRight, shiftTop, shiftBottom
    /// F1 to F4.
    case help, scenes, history, inspector
    /// A letter with the control key, as its lower-case letter.
    case control(Character)
    /// The mouse's button went down at a place of the screen, counted from 0.
    case click(line: Int, column: Int)
    /// The mouse's button went up there.
    case release(line: Int, column: Int)
    /// The wheel was turned over a place, up (below 0) or down.
    case wheel(line: Int, column: Int, by: Int)
}
