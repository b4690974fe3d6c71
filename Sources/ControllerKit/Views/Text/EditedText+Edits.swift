import ExactText

/// The wrapped lines of a text as they are shown on the screen.
struct WrappedLines {
    let layout: TextLayout
    /// Number of lines in a page.
    let linesPerPage: Int
}

extension EditedText {
    /// Performs an edit.
    ///
    /// - Parameter lines: The lines on the screen, or `nil` if the text is a single line.
    mutating func apply(_ edit: TextEdit, lines: WrappedLines? = nil) {
        let range = selectedRange
        switch edit {
        case .insertText(let insertedText): replace(range, by: insertedText)
        case .delete(let movement):
            var deletionEnd = target(of: movement, from: range.lowerBound, lines)
            if movement == .endOfLine, deletionEnd == range.lowerBound {
                deletionEnd = min(count, deletionEnd + 1)
            }
            let deletedRange =
                min(range.lowerBound, deletionEnd)..<max(range.lowerBound, deletionEnd)
            if !range.isEmpty || !deletedRange.isEmpty {
                replace(range.isEmpty ? deletedRange : range, by: "")
            }
        case .move(.left) where !range.isEmpty: moveCaret(range.lowerBound)
        case .move(.right) where !range.isEmpty: moveCaret(range.upperBound)
        case .move(let movement):
            moveCaret(
                target(
                    of: movement, from: movement.isBackward ? range.lowerBound : range.upperBound,
                    lines))
        case .extendSelection(let movement):
            let anchor = isLowerEndActive ? range.upperBound : range.lowerBound
            let movedEnd = target(of: movement, from: activeEnd, lines)
            _ = select(min(anchor, movedEnd)..<max(anchor, movedEnd))
            isLowerEndActive = movedEnd < anchor
        case .selectAll: _ = select(0..<count)
        }
    }

    /// Returns the position to which a movement leads.
    private mutating func target(
        of movement: TextMovement, from caret: Int, _ lines: WrappedLines?
    ) -> Int {
        switch movement {
        case .left: return max(0, caret - 1)
        case .right: return min(count, caret + 1)
        case .up: return lines?.position(by: -1, from: caret) ?? caret
        case .down: return lines?.position(by: 1, from: caret) ?? caret
        case .pageUp: return lines.map { $0.position(by: -$0.linesPerPage, from: caret) } ?? caret
        case .pageDown: return lines.map { $0.position(by: $0.linesPerPage, from: caret) } ?? caret
        case .beginningOfDocument: return 0
        case .endOfDocument: return count
        case .wordLeft, .wordRight, .beginningOfLine, .endOfLine: break
        }
        let index = text.index(text.startIndex, offsetBy: caret)
        let (before, after) = (text[..<index].reversed(), text[index...])
        return switch movement {
        case .wordLeft: caret - Self.wordLength(before)
        case .wordRight: caret + Self.wordLength(after)
        case .beginningOfLine: caret - before.prefix { !$0.isNewline }.count
        default: caret + after.prefix { !$0.isNewline }.count
        }
    }

    /// Returns the number of characters up to the end of the next word.
    private static func wordLength(_ text: some Sequence<Character>) -> Int {
        var (length, isInWord) = (0, false)
        for character in text {
            if isInWord, !character.isPartOfWord { break }
            isInWord = character.isPartOfWord
            length += 1
        }
        return length
    }

    private mutating func moveCaret(_ caret: Int) { _ = select(caret..<caret) }

    private mutating func replace(_ range: Range<Int>, by replacement: String) {
        let start = text.index(text.startIndex, offsetBy: range.lowerBound)
        let textBeforeCaret = text[..<start] + replacement
        let changedText = String(
            textBeforeCaret + text[text.index(start, offsetBy: range.count)...])
        // The new text can combine with the character before it.
        let caret = textBeforeCaret.count
        type(changedText, appending: false)
        moveCaret(min(caret, count))
    }
}

extension WrappedLines {
    /// Returns the position to which the caret moves if it moves up or down by the given number of lines.
    ///
    /// The position has the same offset from the start of its line as the caret. If the line is too short, the position
    /// is the end of the line. Moving up from the first line leads to the start of the text, and moving down from the
    /// last line leads to the end of the text.
    fileprivate func position(by offset: Int, from caret: Int) -> Int {
        let line = layout.line(of: caret)
        let (firstLine, lastLine) = (0, layout.lines.count - 1)
        if line == (offset < 0 ? firstLine : lastLine) {
            return offset < 0 ? 0 : layout.characterCount
        }
        let targetLine = layout.lines[min(max(firstLine, line + offset), lastLine)]
        return targetLine.characterOffset
            + min(caret - layout.lines[line].characterOffset, targetLine.visibleCharacterCount)
    }
}

extension TextMovement {
    /// Whether the movement is backward.
    ///
    /// If text is selected, a backward movement starts at the lower end of the selection.
    fileprivate var isBackward: Bool {
        switch self {
        case .left, .wordLeft, .beginningOfLine, .up, .pageUp, .beginningOfDocument: true
        case .right, .wordRight, .endOfLine, .down, .pageDown, .endOfDocument: false
        }
    }
}

extension Character {
    fileprivate var isPartOfWord: Bool { isLetter || isNumber || self == "_" }
}
