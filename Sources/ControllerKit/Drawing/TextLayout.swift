import TerminalText

/// Text that is wrapped into lines with a maximum width.
///
/// Lines end at line breaks, after spaces, next to wide characters, and inside words that are longer than a line.
/// Trailing spaces that do not fit on a line are not shown.
struct TextLayout {
    /// One line of the text.
    struct Line: Equatable {
        /// Range of the visible UTF-8 bytes in the text.
        var shown: Range<Int>
        /// Number of visible characters.
        var count: Int
        /// Number of characters in the text before the line.
        var first: Int
    }

    private(set) var lines: [Line] = []
    /// Number of characters (grapheme clusters) that have been read.
    private(set) var count = 0
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
        // The appended text can combine with the previously last character, which can change where the last two lines
        // begin. Therefore, the last three lines are rewrapped.
        let keptCount = max(lines.count - 3, 0)
        let firstRewrappedLine = lines[keptCount]
        lines.removeSubrange(keptCount...)
        let index = text.utf8.index(text.startIndex, offsetBy: firstRewrappedLine.shown.lowerBound)
        wrap(text, at: LineBreaker.Position(index: index, count: firstRewrappedLine.first))
    }

    private mutating func wrap(
        _ text: String, at start: LineBreaker.Position, limit: Int = .max
    ) {
        var breaker = LineBreaker(text, at: start, width: width)
        breaker.run(limit: limit)
        lines += breaker.lines
        count = breaker.position.count
    }

    /// Returns the visible text of a line.
    func shown(_ line: Int, of text: String) -> Substring {
        let shown = lines[line].shown
        let start = text.utf8.index(text.startIndex, offsetBy: shown.lowerBound)
        return text[start..<text.utf8.index(start, offsetBy: shown.count)]
    }

    /// Returns the line that contains the character with the given zero-based index.
    ///
    /// The index after the last character, which is a valid caret position, is in the last line.
    func line(of character: Int) -> Int {
        max(0, lines.indices.partitioningIndex { lines[$0].first > character } - 1)
    }
}

/// A line breaker that wraps a text in a single traversal.
private struct LineBreaker {
    /// A position between two characters in the text.
    struct Position {
        var index: String.Index
        /// Number of characters before the position.
        var count = 0
        /// Number of columns between the start of the line and the position.
        var columns = 0
    }

    let text: String
    let width: Int
    var lines: [TextLayout.Line] = []
    /// The end of the text that has been read.
    var position: Position
    private var start: Position
    /// The last position after the start of the line at which the line can end, or `nil` if there is none.
    private var opportunity: Position?
    /// The start of the trailing spaces that do not fit on the line, or `nil` if there are none.
    private var overhang: Position?

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
    mutating func run(limit: Int) {
        let utf8 = text.utf8
        while position.index < text.endIndex {
            if lines.count >= limit { return }
            let next = text.index(after: position.index)
            let byte = utf8[position.index]
            if byte > 0x20, byte < 0x7F, utf8.index(after: position.index) == next {
                appendVisible(next, columns: 1)
            } else {
                append(text[position.index], next)
            }
        }
        end(at: position)
    }

    private mutating func append(_ character: Character, _ next: String.Index) {
        if character.isNewline {
            end(at: position)
            move(to: next, columns: 0)
            begin(at: position)
        } else if character == " " {
            if position.columns >= width { overhang = overhang ?? position }
            move(to: next, columns: position.columns < width ? 1 : 0)
            opportunity = position
        } else {
            let columns = character.drawn?.terminalColumns ?? 0
            if columns > 1, position.index > start.index { opportunity = position }
            appendVisible(next, columns: columns)
            if columns > 1 { opportunity = position }
        }
    }

    /// Adds a character that is not a space.
    ///
    /// If the character does not fit on the line, it is added to the next line.
    private mutating func appendVisible(_ next: String.Index, columns: Int) {
        while position.columns + columns > width, position.index > start.index {
            let end = opportunity ?? position
            self.end(at: end)
            begin(at: end)
        }
        move(to: next, columns: columns)
    }

    private mutating func move(to index: String.Index, columns: Int) {
        position.index = index
        position.count += 1
        position.columns += columns
    }

    private mutating func end(at end: Position) {
        let shown = overhang ?? end
        let first = text.utf8.distance(from: text.startIndex, to: start.index)
        let bytes = text.utf8.distance(from: start.index, to: shown.index)
        lines.append(
            TextLayout.Line(
                shown: first..<first + bytes, count: shown.count - start.count,
                first: start.count))
    }

    private mutating func begin(at new: Position) {
        position.columns -= new.columns
        start = new
        start.columns = 0
        opportunity = nil
        overhang = nil
    }
}
