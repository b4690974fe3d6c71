/// A single edit of a text, as a key does it: named like the responder actions of AppKit and UIKit.
///
/// Lines are those between two line breaks, but for ``moveUp`` and ``moveDown``, which go by what a
/// person sees. What is selected is deleted, or left at its end, as everywhere.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum TextEdit: Sendable, Equatable {
    /// Writes a text at the caret, in place of what is selected.
    case insertText(String)
    /// Deletes the character before the caret.
    case deleteBackward
    /// Deletes the character behind the caret.
    case deleteForward
    /// Deletes the word before the caret, with the spaces behind it.
    case deleteWordBackward
    /// Deletes from the start of the line up to the caret.
    case deleteToBeginningOfLine
    /// Deletes up to the end of the line; at the end of a line its break.
    case deleteToEndOfLine
    /// Moves the caret by a character to the left.
    case moveLeft
    /// Moves the caret by a character to the right.
    case moveRight
    /// Moves the caret to the start of the word before it.
    case moveWordLeft
    /// Moves the caret to the end of the word behind it.
    case moveWordRight
    /// Moves the caret to the start of the line.
    case moveToBeginningOfLine
    /// Moves the caret to the end of the line.
    case moveToEndOfLine
    /// Moves the caret to the line above.
    case moveUp
    /// Moves the caret to the line below.
    case moveDown
    /// Moves the caret before the whole text.
    case moveToBeginningOfDocument
    /// Moves the caret behind the whole text.
    case moveToEndOfDocument
    /// Selects the whole text.
    case selectAll
}

extension TextEdit {
    /// Whether it may change the text, not the selection alone.
    package var changesText: Bool {
        switch self {
        case .insertText, .deleteBackward, .deleteForward, .deleteWordBackward,
            .deleteToBeginningOfLine, .deleteToEndOfLine:
            true
        default: false
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

extension EditedText {
    /// Carries an edit out.
    ///
    /// - Parameter layout: the lines that a person sees; nil: the text is a single one.
    mutating func apply(_ edit: TextEdit, layout: TextLayout? = nil) {
        let range = selectedRange
        if edit.changesText {
            if case .insertText(let new) = edit { return replace(range, by: new) }
            let end = range.isEmpty ? target(of: edit, from: range.lowerBound) : range.lowerBound
            let deleted =
                range.isEmpty ? min(range.lowerBound, end)..<max(range.lowerBound, end) : range
            if !deleted.isEmpty { replace(deleted, by: "") }
            return
        }
        switch edit {
        case .selectAll: _ = select(0..<count)
        case .moveLeft where !range.isEmpty: place(range.lowerBound)
        case .moveRight where !range.isEmpty: place(range.upperBound)
        case .moveUp: if let layout { moveLine(by: -1, from: range.lowerBound, layout) }
        case .moveDown: if let layout { moveLine(by: 1, from: range.upperBound, layout) }
        default: place(target(of: edit, from: range.upperBound))
        }
    }

    /// Where the caret goes, or up to where is deleted, from a caret.
    private mutating func target(of edit: TextEdit, from caret: Int) -> Int {
        let characters = Array(text)
        func start(of line: Int) -> Int {
            (characters[..<line].lastIndex(where: \.isNewline) ?? -1) + 1
        }
        func end(of line: Int) -> Int {
            characters[line...].firstIndex(where: \.isNewline) ?? characters.count
        }
        var place = caret
        switch edit {
        case .deleteBackward, .moveLeft: place = max(0, caret - 1)
        case .deleteForward, .moveRight: place = min(characters.count, caret + 1)
        case .deleteWordBackward, .moveWordLeft:
            while place > 0, !characters[place - 1].isPartOfWord { place -= 1 }
            while place > 0, characters[place - 1].isPartOfWord { place -= 1 }
        case .moveWordRight:
            while place < characters.count, !characters[place].isPartOfWord { place += 1 }
            while place < characters.count, characters[place].isPartOfWord { place += 1 }
        case .deleteToBeginningOfLine, .moveToBeginningOfLine: place = start(of: caret)
        case .moveToEndOfLine: place = end(of: caret)
        case .deleteToEndOfLine:
            place = end(of: caret)
            if place == caret { place = min(characters.count, caret + 1) }
        case .moveToBeginningOfDocument: place = 0
        case .moveToEndOfDocument: place = characters.count
        case .insertText, .moveUp, .moveDown, .selectAll: break
        }
        return place
    }

    /// Moves the caret to the character that stands as far from the start of the line above or below.
    private mutating func moveLine(by offset: Int, from caret: Int, _ layout: TextLayout) {
        let line = layout.line(of: caret)
        let other = line + offset
        guard layout.lines.indices.contains(other) else {
            return place(offset < 0 ? 0 : count)
        }
        let column = caret - layout.lines[line].first
        place(layout.lines[other].first + min(column, layout.lines[other].count))
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

extension Character {
    fileprivate var isPartOfWord: Bool { isLetter || isNumber || self == "_" }
}
