import ExactText

/// A single edit of a text, as a key does it. Deletes and moves go as far as a ``TextMovement`` does.
/// What is selected is deleted, or left at its end, as everywhere.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum TextEdit: Sendable, Equatable {
    /// Writes a text at the caret, in place of what is selected.
    case insertText(String)
    /// Deletes what is selected; if nothing is, from the caret up to where a movement leads. Up to the end of a
    /// line: at its end the break.
    case delete(TextMovement)
    /// Moves the caret.
    case move(TextMovement)
    /// Moves one end of the selection, which begins at the caret.
    case extendSelection(TextMovement)
    /// Selects the whole text.
    case selectAll
}

/// Where a caret goes, as the responder actions of AppKit and UIKit have it, such as `moveWordLeft(_:)`.
///
/// Lines are those between two line breaks, but for ``up``, ``down`` and pages, which go by what a person sees.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum TextMovement: Sendable, Equatable {
    /// By a character (grapheme cluster) back.
    case left
    /// By a character on.
    case right
    /// To the start of the word before the caret.
    case wordLeft
    /// To the end of the word behind the caret.
    case wordRight
    /// To the start of the line.
    case beginningOfLine
    /// To the end of the line.
    case endOfLine
    /// To the line above.
    case up
    /// To the line below.
    case down
    /// Up by as many lines as are seen at once.
    case pageUp
    /// Down by as many lines as are seen at once.
    case pageDown
    /// Before the whole text.
    case beginningOfDocument
    /// Behind the whole text.
    case endOfDocument
}

extension TextEdit {
    /// Whether it may change the text, not the selection alone.
    package var changesText: Bool {
        switch self {
        case .insertText, .delete: true
        case .move, .extendSelection, .selectAll: false
        }
    }
}

extension TextInput {
    /// Writes behind the text, and refuses all other edits: enough for a view without a caret.
    public func edit(_ edit: TextEdit) throws(OperationError) {
        guard case .insertText(let text) = edit else {
            throw .notPossible("it has no caret: only type")
        }
        try type(text, appending: true)
    }
}

/// The lines of a text as a person sees them.
struct SeenLines {
    let layout: TextLayout
    /// How many are seen at once.
    let page: Int
}

extension EditedText {
    /// Carries an edit out.
    ///
    /// - Parameter lines: those that a person sees; nil: the text is a single one.
    mutating func apply(_ edit: TextEdit, lines: SeenLines? = nil) {
        let range = selectedRange
        switch edit {
        case .insertText(let new): replace(range, by: new)
        case .delete(let movement):
            var other = target(of: movement, from: range.lowerBound, lines)
            if movement == .endOfLine, other == range.lowerBound { other = min(count, other + 1) }
            let deleted = min(range.lowerBound, other)..<max(range.lowerBound, other)
            if !range.isEmpty || !deleted.isEmpty {
                replace(range.isEmpty ? deleted : range, by: "")
            }
        case .move(.left) where !range.isEmpty: place(range.lowerBound)
        case .move(.right) where !range.isEmpty: place(range.upperBound)
        case .move(let movement):
            place(
                target(
                    of: movement, from: movement.isBack ? range.lowerBound : range.upperBound,
                    lines))
        case .extendSelection(let movement):
            let isBackward = isLowerEndMoved && !range.isEmpty
            let fixed = isBackward ? range.upperBound : range.lowerBound
            let moved = target(
                of: movement, from: isBackward ? range.lowerBound : range.upperBound, lines)
            _ = select(min(fixed, moved)..<max(fixed, moved))
            isLowerEndMoved = moved < fixed
        case .selectAll: _ = select(0..<count)
        }
    }

    /// Where a caret goes.
    private mutating func target(
        of movement: TextMovement, from caret: Int, _ lines: SeenLines?
    ) -> Int {
        switch movement {
        case .left: return max(0, caret - 1)
        case .right: return min(count, caret + 1)
        case .up: return lines?.place(by: -1, from: caret) ?? caret
        case .down: return lines?.place(by: 1, from: caret) ?? caret
        case .pageUp: return lines.map { $0.place(by: -$0.page, from: caret) } ?? caret
        case .pageDown: return lines.map { $0.place(by: $0.page, from: caret) } ?? caret
        case .beginningOfDocument: return 0
        case .endOfDocument: return count
        case .wordLeft, .wordRight, .beginningOfLine, .endOfLine: break
        }
        let index = text.index(text.startIndex, offsetBy: caret)
        let (before, behind) = (text[..<index].reversed(), text[index...])
        return switch movement {
        case .wordLeft: caret - Self.wordLength(before)
        case .wordRight: caret + Self.wordLength(behind)
        case .beginningOfLine: caret - before.prefix { !$0.isNewline }.count
        default: caret + behind.prefix { !$0.isNewline }.count
        }
    }

    /// How many characters it takes to get past the next word.
    private static func wordLength(_ text: some Sequence<Character>) -> Int {
        var (length, isInWord) = (0, false)
        for character in text {
            if isInWord, !character.isPartOfWord { break }
            isInWord = character.isPartOfWord
            length += 1
        }
        return length
    }

    private mutating func place(_ caret: Int) { _ = select(caret..<caret) }

    private mutating func replace(_ range: Range<Int>, by new: String) {
        let start = text.index(text.startIndex, offsetBy: range.lowerBound)
        let before = text[..<start] + new
        let changed = String(before + text[text.index(start, offsetBy: range.count)...])
        // The new text may join the character before it.
        let caret = before.count
        type(changed, appending: false)
        place(min(caret, count))
    }
}

extension SeenLines {
    /// The character as far from the start of its line as another is, some lines below or above. From the
    /// first line up is before everything, from the last one down behind it.
    fileprivate func place(by offset: Int, from caret: Int) -> Int {
        let line = layout.line(of: caret)
        let (first, last) = (0, layout.lines.count - 1)
        if line == (offset < 0 ? first : last) { return offset < 0 ? 0 : layout.count }
        let other = layout.lines[min(max(first, line + offset), last)]
        return other.first + min(caret - layout.lines[line].first, other.count)
    }
}

extension TextMovement {
    /// Whether it leads back: with a selection it begins at the start of that.
    fileprivate var isBack: Bool {
        switch self {
        case .left, .wordLeft, .beginningOfLine, .up, .pageUp, .beginningOfDocument: true
        case .right, .wordRight, .endOfLine, .down, .pageDown, .endOfDocument: false
        }
    }
}

extension Character {
    fileprivate var isPartOfWord: Bool { isLetter || isNumber || self == "_" }
}
