import TerminalText

/// Text that is wrapped into lines with a maximum width.
///
/// Lines end at line breaks, after spaces, next to wide characters, and inside words that are longer than a line.
/// Trailing spaces that do not fit on a line are not shown.
struct TextLayout {
    /// One line of the text.
    struct Line: Equatable {
        /// Range of the visible UTF-8 bytes in the text.
        var visibleByteRange: Range<Int>
        /// Number of visible characters.
        var visibleCharacterCount: Int
        /// Number of characters in the text before the line.
        var characterOffset: Int
    }

    /// The wrapped lines.
    private(set) var lines: [Line] = []
    /// Number of characters (grapheme clusters) that have been read.
    private(set) var characterCount = 0
    private let width: Int

    /// Wraps a text.
    ///
    /// - Parameters:
    ///   - width: The width in columns. A wider character gets its own line.
    ///   - limit: The maximum number of lines. Further text is not read.
    init(_ text: String, width: Int, limit: Int = .max) {
        self.width = width
        wrap(text, at: LineBreaker.Position(index: text.startIndex), limit: limit)
    }

    /// Updates the layout after text has been appended.
    ///
    /// Only the last lines are rewrapped.
    ///
    /// - Parameter text: The entire text, including the appended part.
    mutating func extend(to text: String) {
        // The appended text can combine with the character before it, which can change where the last two lines begin.
        // Therefore, the last three lines are rewrapped.
        let keptLineCount = max(lines.count - 3, 0)
        let firstRewrappedLine = lines[keptLineCount]
        lines.removeSubrange(keptLineCount...)
        let index = text.utf8.index(
            text.startIndex, offsetBy: firstRewrappedLine.visibleByteRange.lowerBound)
        wrap(
            text,
            at: LineBreaker.Position(
                index: index, characterOffset: firstRewrappedLine.characterOffset))
    }

    private mutating func wrap(
        _ text: String, at start: LineBreaker.Position, limit: Int = .max
    ) {
        var breaker = LineBreaker(text, at: start, width: width)
        breaker.wrapLines(limit: limit)
        lines += breaker.lines
        characterCount = breaker.position.characterOffset
    }

    /// Returns the visible text of a line.
    func shownText(_ line: Int, of text: String) -> Substring {
        let byteRange = lines[line].visibleByteRange
        let start = text.utf8.index(text.startIndex, offsetBy: byteRange.lowerBound)
        return text[start..<text.utf8.index(start, offsetBy: byteRange.count)]
    }

    /// Returns the line that contains the character with the given zero-based index.
    ///
    /// The index after the last character is a valid caret position and belongs to the last line.
    func line(of character: Int) -> Int {
        max(0, lines.indices.partitioningIndex { lines[$0].characterOffset > character } - 1)
    }
}

/// A line breaker that wraps text in a single traversal.
private struct LineBreaker {
    /// A position between two characters in the text.
    struct Position {
        var index: String.Index
        /// Number of characters before the position.
        var characterOffset = 0
        /// Number of columns between the start of the line and the position.
        var columns = 0
    }

    let text: String
    let width: Int
    var lines: [TextLayout.Line] = []
    /// The end of the text that has been read.
    var position: Position
    /// The start of the current line.
    private var start: Position
    /// The last position at which the line can end, except its start, or `nil` if there is none.
    private var breakOpportunity: Position?
    /// The start of the trailing spaces that do not fit on the line, or `nil` if there are none.
    private var overhangStart: Position?

    /// Creates a line breaker that starts at the beginning of a line.
    init(_ text: String, at start: Position, width: Int) {
        self.text = text
        self.width = max(width, 1)
        position = start
        self.start = start
    }

    /// Wraps the rest of the text.
    ///
    /// - Parameter limit: The maximum number of lines.
    mutating func wrapLines(limit: Int) {
        let utf8 = text.utf8
        while position.index < text.endIndex {
            if lines.count >= limit { return }
            let nextIndex = text.index(after: position.index)
            let byte = utf8[position.index]
            if byte > 0x20, byte < 0x7F, utf8.index(after: position.index) == nextIndex {
                appendVisibleCharacter(nextIndex, columns: 1)
            } else {
                appendCharacter(text[position.index], nextIndex)
            }
        }
        endLine(at: position)
    }

    private mutating func appendCharacter(_ character: Character, _ nextIndex: String.Index) {
        if character.isNewline {
            endLine(at: position)
            advance(to: nextIndex, columns: 0)
            beginLine(at: position)
        } else if character == " " {
            if position.columns >= width { overhangStart = overhangStart ?? position }
            advance(to: nextIndex, columns: position.columns < width ? 1 : 0)
            breakOpportunity = position
        } else {
            let columns = character.terminalCharacter?.terminalColumns ?? 0
            if columns > 1, position.index > start.index { breakOpportunity = position }
            appendVisibleCharacter(nextIndex, columns: columns)
            if columns > 1 { breakOpportunity = position }
        }
    }

    /// Adds a character that is not a space.
    ///
    /// If the character does not fit on the line, it is added to the next line.
    private mutating func appendVisibleCharacter(_ nextIndex: String.Index, columns: Int) {
        while position.columns + columns > width, position.index > start.index {
            let lineEnd = breakOpportunity ?? position
            endLine(at: lineEnd)
            beginLine(at: lineEnd)
        }
        advance(to: nextIndex, columns: columns)
    }

    private mutating func advance(to index: String.Index, columns: Int) {
        position.index = index
        position.characterOffset += 1
        position.columns += columns
    }

    private mutating func endLine(at lineEnd: Position) {
        let visibleEnd = overhangStart ?? lineEnd
        let startByteOffset = text.utf8.distance(from: text.startIndex, to: start.index)
        let byteCount = text.utf8.distance(from: start.index, to: visibleEnd.index)
        lines.append(
            TextLayout.Line(
                visibleByteRange: startByteOffset..<startByteOffset + byteCount,
                visibleCharacterCount: visibleEnd.characterOffset - start.characterOffset,
                characterOffset: start.characterOffset))
    }

    private mutating func beginLine(at newStart: Position) {
        position.columns -= newStart.columns
        start = newStart
        breakOpportunity = nil
        overhangStart = nil
    }
}
