import ExactText

/// A single text edit, such as the effect of a key press.
///
/// Deletions and moves extend to the target of a ``TextMovement``.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum TextEdit: Sendable, Equatable {
    /// Inserts text at the caret, or replaces the selection.
    case insertText(String)
    /// Deletes the selection or, if nothing is selected, the text between the caret and the target of a movement.
    ///
    /// If the caret is at the end of a line, ``TextMovement/endOfLine`` deletes the line break.
    case delete(TextMovement)
    /// Moves the caret.
    case move(TextMovement)
    /// Moves one end of the selection.
    ///
    /// If nothing is selected, the selection begins at the caret.
    case extendSelection(TextMovement)
    /// Selects the entire text.
    case selectAll
}

/// A caret movement that corresponds to a responder action in AppKit, such as `moveWordLeft(_:)`.
///
/// For most movements, a line is the text between two line breaks. ``up``, ``down``, ``pageUp`` and ``pageDown`` use
/// the wrapped lines on the screen. A page is one line shorter than the visible part of the text, but at least one
/// line.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum TextMovement: Sendable, Equatable {
    /// One character (grapheme cluster) back.
    case left
    /// One character (grapheme cluster) forward.
    case right
    /// To the start of the word before the caret.
    case wordLeft
    /// To the end of the word after the caret.
    case wordRight
    /// To the start of the line.
    case beginningOfLine
    /// To the end of the line.
    case endOfLine
    /// To the line above.
    case up
    /// To the line below.
    case down
    /// Up by one page.
    case pageUp
    /// Down by one page.
    case pageDown
    /// To the start of the text.
    case beginningOfDocument
    /// To the end of the text.
    case endOfDocument
}

extension TextEdit {
    /// Whether the edit can change the text, not only the selection.
    package var changesText: Bool {
        switch self {
        case .insertText, .delete: true
        case .move, .extendSelection, .selectAll: false
        }
    }
}
