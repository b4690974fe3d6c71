import TerminalText

/// A text in lines that are at most so many columns wide.
///
/// Lines end at line breaks, behind spaces, beside wide characters, and inside of words that are
/// longer than a line. Spaces at the end of a line that do not fit on it are not shown.
struct TextLayout {
    /// One line.
    struct Line: Equatable {
        /// The bytes of UTF-8 that are shown.
        var shown: Range<Int>
        /// How many they are.
        var count: Int
        /// How many characters the text has before the line.
        var first: Int
    }

    private(set) var lines: [Line] = []
    /// How many characters (grapheme clusters) the text has, as far as it was read.
    private(set) var count = 0
    private let width: Int

    /// - Parameters:
    ///   - width: in columns; a character that is wider has a line of its own.
    ///   - limit: how many lines there are at most; nobody looks at what is behind them.
    init(_ text: String, width: Int, limit: Int = .max) {
        self.width = width
        readOn(text, at: LineBreaker.Place(index: text.startIndex), limit: limit)
    }

    /// Something was written behind the text: only its last lines are broken anew.
    ///
    /// - Parameter text: the whole of it now.
    mutating func extend(to text: String) {
        // The character that was the last may be part of a larger one now. Where a line begins was
        // known when it was reached; of these it was the one for the last two lines at most.
        let kept = max(lines.count - 3, 0)
        let start = lines[kept]
        lines.removeSubrange(kept...)
        let index = text.utf8.index(text.startIndex, offsetBy: start.shown.lowerBound)
        readOn(text, at: LineBreaker.Place(index: index, count: start.first))
    }

    private mutating func readOn(
        _ text: String, at start: LineBreaker.Place, limit: Int = .max
    ) {
        var breaker = LineBreaker(text, at: start, width: width)
        breaker.run(limit: limit)
        lines += breaker.lines
        count = breaker.place.count
    }

    /// The visible text of a line.
    func shown(_ line: Int, of text: String) -> Substring {
        let shown = lines[line].shown
        let start = text.utf8.index(text.startIndex, offsetBy: shown.lowerBound)
        return text[start..<text.utf8.index(start, offsetBy: shown.count)]
    }

    /// The line in which a character, counted from 0, is, or behind whose end the caret is.
    func line(of character: Int) -> Int {
        max(0, lines.indices.partitioningIndex { lines[$0].first > character } - 1)
    }
}

/// Breaks a text into lines in one go.
private struct LineBreaker {
    /// A place between two characters of the text.
    struct Place {
        var index: String.Index
        /// The characters before it.
        var count = 0
        /// The columns between the start of the line and it.
        var columns = 0
    }

    let text: String
    let width: Int
    var lines: [TextLayout.Line] = []
    /// How far the text was read.
    var place: Place
    private var start: Place
    /// Where the line can end, behind its start.
    private var opportunity: Place?
    /// Where the spaces begin that do not fit on the line.
    private var overhang: Place?

    /// Reads on where a line begins.
    init(_ text: String, at start: Place, width: Int) {
        self.text = text
        self.width = max(width, 1)
        place = start
        self.start = start
    }

    /// - Parameter limit: how many lines there are at most.
    mutating func run(limit: Int) {
        let utf8 = text.utf8
        while place.index < text.endIndex {
            if lines.count >= limit { return }
            let next = text.index(after: place.index)
            let byte = utf8[place.index]
            if byte > 0x20, byte < 0x7F, utf8.index(after: place.index) == next {
                takeIn(next, columns: 1)
            } else {
                take(text[place.index], next)
            }
        }
        end(at: place)
    }

    private mutating func take(_ character: Character, _ next: String.Index) {
        if character.isNewline {
            end(at: place)
            move(to: next, columns: 0)
            begin(at: place)
        } else if character == " " {
            if place.columns >= width { overhang = overhang ?? place }
            move(to: next, columns: place.columns < width ? 1 : 0)
            opportunity = place
        } else {
            let columns = character.drawn?.terminalColumns ?? 0
            if columns > 1, place.index > start.index { opportunity = place }
            takeIn(next, columns: columns)
            if columns > 1 { opportunity = place }
        }
    }

    /// Takes in what is no space, on the next line if this one has no room for it.
    private mutating func takeIn(_ next: String.Index, columns: Int) {
        while place.columns + columns > width, place.index > start.index {
            let end = opportunity ?? place
            self.end(at: end)
            begin(at: end)
        }
        move(to: next, columns: columns)
    }

    private mutating func move(to index: String.Index, columns: Int) {
        place.index = index
        place.count += 1
        place.columns += columns
    }

    private mutating func end(at end: Place) {
        let shown = overhang ?? end
        let first = text.utf8.distance(from: text.startIndex, to: start.index)
        let bytes = text.utf8.distance(from: start.index, to: shown.index)
        lines.append(
            TextLayout.Line(
                shown: first..<first + bytes, count: shown.count - start.count,
                first: start.count))
    }

    private mutating func begin(at new: Place) {
        place.columns -= new.columns
        start = new
        start.columns = 0
        opportunity = nil
        overhang = nil
    }
}
