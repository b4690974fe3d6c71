import TerminalText

/// A clickable or highlighted part of a drawing.
package struct DrawnPart: Sendable, Equatable {
    /// The role of a part.
    package enum Role: Sendable, Equatable {
        /// An entire view.
        case view
        /// An element of a view or controller, such as a row, a segment or a tab, with its zero-based index.
        case element(Int, isSelected: Bool)
        /// The back button of a navigation controller.
        case backButton
        /// An entire bar, such as a navigation bar.
        case bar
        /// The position of the caret.
        case caret
        /// Selected text, including the guillemets around it.
        case selection
        /// The line that states the visible range of a view's content.
        case visibleRange
    }

    /// The role of the part.
    package let role: Role
    /// The view or controller that owns the part, or `nil` if the part is only highlighted.
    package let owner: ObjectIdentifier?
    /// The zero-based lines that the part covers.
    package var lines: Range<Int>
    /// The zero-based columns that the part covers in each of its lines.
    package var columns: Range<Int>
    /// The point in a view's content that this drawing shows in the view's upper-left corner.
    ///
    /// The value is `nil` unless the part is a scrollable view that fills the height of the drawing.
    package var visibleOrigin: Point?
}

extension TextCanvas {
    /// Records a part of the drawing and its role.
    ///
    /// - Parameters:
    ///   - lines: The lines that the part covers, or `nil` for the last line.
    ///   - columns: The columns that the part covers in each line, or `nil` for all columns.
    mutating func addPart(
        _ role: DrawnPart.Role, of owner: AnyObject? = nil, lines: Range<Int>? = nil,
        columns: Range<Int>? = nil, visibleOrigin: Point? = nil
    ) {
        let lines = lines ?? max(0, self.lines.count - 1)..<self.lines.count
        let columns = (columns ?? 0..<width).clamped(to: 0..<width)
        guard !lines.isEmpty, !columns.isEmpty else { return }
        parts.append(
            DrawnPart(
                role: role, owner: owner.map(ObjectIdentifier.init), lines: lines,
                columns: columns, visibleOrigin: visibleOrigin))
    }

    /// Adds the recorded parts of another canvas that is drawn on this canvas.
    ///
    /// - Parameters:
    ///   - line: The line in this canvas at which the other canvas begins.
    ///   - column: The column in this canvas at which the other canvas begins.
    ///   - visibleArea: The lines and columns in this canvas in which the other canvas is visible.
    mutating func addParts(
        of canvas: TextCanvas, line: Int, column: Int,
        visibleArea: (lines: Range<Int>, columns: Range<Int>)
    ) {
        for part in canvas.parts {
            var part = part
            part.lines = (part.lines.lowerBound + line..<part.lines.upperBound + line)
                .clamped(to: visibleArea.lines)
            part.columns = (part.columns.lowerBound + column..<part.columns.upperBound + column)
                .clamped(to: visibleArea.columns)
            if !part.lines.isEmpty, !part.columns.isEmpty { parts.append(part) }
        }
    }
}

/// A row of strings on one line, with the columns that each string occupies.
struct TextRow {
    /// The strings and the separators between them.
    private(set) var text = ""
    /// The columns that each string occupies.
    private(set) var columns: [Range<Int>] = []

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - separator: The string between two adjacent strings.
    ///   - width: The width of the line in columns.
    init(_ texts: [String], separator: String, width: Int) {
        var column = 0
        for (index, text) in texts.enumerated() {
            if index > 0 {
                self.text += separator
                column += separator.terminalColumns
            }
            self.text += text
            // A string that begins beyond the end of the line is not measured.
            let occupiedColumns =
                column < width ? text.terminalText(columns: width).terminalColumns : 0
            columns.append(column..<column + occupiedColumns)
            column += occupiedColumns
        }
    }
}
