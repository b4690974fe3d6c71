import TerminalText

/// A part of a drawing that stands for something a person can point at, or that a terminal shows in
/// another way than the text around it.
package struct DrawnPart: Sendable, Equatable {
    /// What a part is.
    package enum Role: Sendable, Equatable {
        /// A view as a whole.
        case view
        /// An element of a view or a controller, counted from 0: a row, a segment, a tab.
        case element(Int, isChosen: Bool)
        /// The way back of a navigation controller.
        case back
        /// A bar, whatever stands in it.
        case bar
        /// The place of the caret.
        case caret
        /// Selected text, with the marks around it.
        case selection
        /// The line that tells which part of something is seen.
        case position
    }

    /// What it is.
    package let role: Role
    /// The view or controller that it belongs to; nil: it only looks different.
    package let owner: ObjectIdentifier?
    /// The lines that it takes, counted from 0.
    package var lines: Range<Int>
    /// The columns that it takes of each, counted from 0.
    package var columns: Range<Int>
}

extension TextCanvas {
    /// Draws a view, and notes where it is, so that a person can point at it.
    public mutating func draw(_ view: View) {
        let first = lines.count
        view.draw(on: &self)
        note(.view, of: view, lines: first..<lines.count)
    }

    /// Notes what a part of the drawing is.
    ///
    /// - Parameters:
    ///   - lines: the lines that it takes; nil: the last one.
    ///   - columns: the columns that it takes of each; nil: all of them.
    mutating func note(
        _ role: DrawnPart.Role, of owner: AnyObject? = nil, lines: Range<Int>? = nil,
        columns: Range<Int>? = nil
    ) {
        let lines = lines ?? max(0, self.lines.count - 1)..<self.lines.count
        let columns = (columns ?? 0..<width).clamped(to: 0..<width)
        guard !lines.isEmpty, !columns.isEmpty else { return }
        parts.append(
            DrawnPart(
                role: role, owner: owner.map(ObjectIdentifier.init), lines: lines,
                columns: columns))
    }

    /// Takes over the parts of a canvas that is drawn on this one.
    ///
    /// - Parameters:
    ///   - line: the line to which its first one comes.
    ///   - column: the column to which its first one comes.
    ///   - seen: the lines and columns of this one on which it is seen.
    mutating func takeParts(
        of canvas: TextCanvas, line: Int, column: Int,
        seen: (lines: Range<Int>, columns: Range<Int>)
    ) {
        for part in canvas.parts {
            var part = part
            part.lines = (part.lines.lowerBound + line..<part.lines.upperBound + line)
                .clamped(to: seen.lines)
            part.columns = (part.columns.lowerBound + column..<part.columns.upperBound + column)
                .clamped(to: seen.columns)
            if !part.lines.isEmpty, !part.columns.isEmpty { parts.append(part) }
        }
    }
}

/// Texts that stand in a row on one line, each with the columns that it takes.
struct TextRow {
    private(set) var text = ""
    private(set) var columns: [Range<Int>] = []

    /// - Parameters:
    ///   - separator: what stands between two.
    ///   - width: the columns of the line.
    init(_ texts: [String], separator: String, width: Int) {
        var column = 0
        for (index, text) in texts.enumerated() {
            if index > 0 {
                self.text += separator
                column += separator.terminalColumns
            }
            self.text += text
            // A text that is far beyond the line is not measured.
            let taken = column < width ? text.drawn(columns: width).terminalColumns : 0
            columns.append(column..<column + taken)
            column += taken
        }
    }
}
