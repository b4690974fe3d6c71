import TerminalText

/// A canvas on which views draw lines of text of equal width.
///
/// Text is adapted for terminals before it is drawn, as described in ``line(_:)``. To draw content inside or beside
/// other content, draw it on a separate canvas and add that canvas to this one. Use ``columns(_:separator:)`` with
/// ``sideBySide(_:separator:)``, ``boxed`` with ``box(_:)-(TextCanvas)``, or ``append(_:)``.
public struct TextCanvas: Sendable {
    /// Maximum width of a canvas in columns.
    public static let maximumWidth = 4096

    /// Maximum number of lines that one text can occupy.
    public static let maximumLines = 4096

    /// Width of each line, in terminal columns.
    public let width: Int
    /// Number of lines that the drawing should fill, or `nil` if each view is drawn at its own size.
    ///
    /// The drawing can be shorter or taller than this height.
    var height: Int?
    /// The drawn lines, each exactly ``width`` columns wide.
    public internal(set) var lines: [String] = []
    /// The recorded parts of the drawing.
    ///
    /// Inner parts precede the parts that contain them.
    package internal(set) var parts: [DrawnPart] = []
    /// The content point in the upper-left corner of the most recently drawn scrollable view, or `nil` if no view has
    /// recorded a point.
    var visibleOrigin: Point?

    /// Creates an empty canvas.
    ///
    /// - Parameter width: The width in columns, which is limited to the range from 1 through ``maximumWidth``.
    public init(width: Int) {
        self.init(width: width, height: nil)
    }

    /// Creates an empty canvas. Views with scrollable content fill its height, if it has one.
    init(width: Int, height: Int?) {
        self.width = min(max(width, 1), Self.maximumWidth)
        self.height = height.map { $0.clamped(0, Self.maximumLines) }
    }

    /// Number of lines left below the existing lines, or `nil` if each view is drawn at its own size.
    var remainingHeight: Int? { height.map { max(0, $0 - lines.count) } }

    // MARK: Lines

    /// Draws a left-aligned line.
    ///
    /// Text that does not fit is cut off and replaced by `…`. Line breaks are shown as `␤` and other control
    /// characters as `�`. Characters without a width are omitted.
    public mutating func line(_ text: String) {
        lines.append(Self.fittedText(text, width))
    }

    /// Draws one line with text at the left edge and text at the right edge.
    ///
    /// If necessary, the text on the left is cut off.
    public mutating func line(_ left: String, trailing: String) {
        guard !trailing.isEmpty else { return line(left) }
        let trailing = trailing.terminalText(columns: width)
        let availableColumns = width - trailing.terminalColumns - 1
        guard availableColumns > 0 else { return line(trailing) }
        line(Self.fittedText(left, availableColumns) + " " + trailing)
    }

    /// Draws a right-aligned line.
    public mutating func trailing(_ text: String) {
        let text = text.terminalText(columns: width)
        line(String(repeating: " ", count: max(0, width - text.terminalColumns)) + text)
    }

    /// Draws a centered line.
    public mutating func centered(_ text: String) {
        let text = text.terminalText(columns: width)
        let columns = text.terminalColumns
        line(String(repeating: " ", count: max(0, (width - columns) / 2)) + text)
    }

    /// Draws the titles of an object's elements in a row, with brackets around the selected title.
    mutating func line(_ titles: [String], selectedIndex: Int?, of owner: AnyObject) {
        let markedTitles = titles.enumerated().map {
            $0 == selectedIndex ? "[ \($1) ]" : "  \($1)  "
        }
        let row = TextRow(markedTitles, separator: " ", width: width)
        line(row.text)
        for (index, columns) in row.columns.enumerated() {
            addPart(
                .element(index, isSelected: index == selectedIndex), of: owner, columns: columns)
        }
    }

    /// Draws a horizontal rule from edge to edge.
    public mutating func rule() {
        lines.append(String(repeating: "─", count: width))
    }

    // MARK: Canvases

    /// Draws text in a box from edge to edge.
    public mutating func box(_ text: String) {
        var boxCanvas = boxed
        boxCanvas.line(text)
        box(boxCanvas)
    }

    /// Draws another canvas in a box from edge to edge, or without a box if this canvas is too narrow.
    public mutating func box(_ inside: TextCanvas) {
        guard width > 4 else { return append(inside) }
        let rule = String(repeating: "─", count: width - 2)
        lines.append("┌\(rule)┐")
        addParts(
            of: inside, line: lines.count, column: 2,
            visibleArea: (lines.count..<lines.count + inside.lines.count, 2..<width - 2))
        visibleOrigin = inside.visibleOrigin
        for text in inside.lines { lines.append("│ \(Self.fittedText(text, width - 4)) │") }
        lines.append("└\(rule)┘")
    }

    /// An empty canvas that is as wide as the inside of a box drawn on this canvas.
    public var boxed: TextCanvas {
        width > 4
            ? TextCanvas(width: width - 4, height: remainingHeight.map { max(0, $0 - 2) })
            : TextCanvas(width: width, height: remainingHeight)
    }

    /// Draws another canvas below the existing lines.
    public mutating func append(_ canvas: TextCanvas) {
        addParts(
            of: canvas, line: lines.count, column: 0,
            visibleArea: (lines.count..<lines.count + canvas.lines.count, 0..<width))
        visibleOrigin = canvas.visibleOrigin
        if canvas.width == width {
            lines += canvas.lines
        } else {
            for text in canvas.lines { line(text) }
        }
    }

    /// Returns empty canvases that fit side by side on this canvas.
    ///
    /// Their widths differ by at most one column, and the wider canvases come first.
    ///
    /// - Parameters:
    ///   - count: The number of canvases. If it is not positive, the result is empty.
    ///   - separator: The string that will be drawn between two canvases.
    public func columns(_ count: Int, separator: String = " │ ") -> [TextCanvas] {
        guard count > 0 else { return [] }
        let availableColumns = max(0, width - separator.terminalColumns * (min(count, width) - 1))
        return (0..<count).map { index in
            TextCanvas(
                width: availableColumns / count + (index < availableColumns % count ? 1 : 0),
                height: remainingHeight)
        }
    }

    /// Draws canvases side by side.
    ///
    /// Content beyond the right edge is cut off.
    ///
    /// - Parameters:
    ///   - canvases: The canvases, from left to right.
    ///   - separator: The string between two canvases. An empty string is replaced by a space.
    public mutating func sideBySide(_ canvases: [TextCanvas], separator: String = " │ ") {
        let height = canvases.map(\.lines.count).max() ?? 0
        let separator = separator.isEmpty ? " " : separator
        var column = 0
        for canvas in canvases where column < width {
            addParts(
                of: canvas, line: lines.count, column: column,
                visibleArea: (lines.count..<lines.count + height, 0..<width))
            column += canvas.width + separator.terminalColumns
        }
        for index in 0..<height {
            let rowCells = canvases.map { canvas in
                index < canvas.lines.count
                    ? canvas.lines[index] : String(repeating: " ", count: canvas.width)
            }
            line(rowCells.joined(separator: separator))
        }
    }

    /// The drawn lines, surrounded by a frame that is four columns wider than `width`.
    public var framed: String {
        let rule = String(repeating: "─", count: width + 2)
        return (["┌\(rule)┐"] + lines.map { "│ \($0) │" } + ["└\(rule)┘"])
            .joined(separator: "\n")
    }

    /// Returns text that is truncated or padded to the given width in columns.
    static func fittedText(_ text: String, _ width: Int) -> String {
        let shownText = text.terminalText(columns: width)
        var result = ""
        var columns = 0
        // The longest prefix of the text that leaves room for an ellipsis.
        var truncatedPrefix = (text: "", columns: 0)
        for character in shownText {
            let nextColumns = columns + character.terminalColumns
            if nextColumns > width {
                result = truncatedPrefix.text + "…"
                columns = truncatedPrefix.columns + 1
                break
            }
            result.append(character)
            columns = nextColumns
            if nextColumns < width { truncatedPrefix = (result, nextColumns) }
        }
        return result + String(repeating: " ", count: width - columns)
    }

    /// Draws a bar with text at the left edge, a title, and text at the right edge.
    ///
    /// The title is centered or, if there is text at the left edge, follows that text. The text at the right edge
    /// occupies at most half of the line, and is omitted if there is no space for it.
    ///
    /// - Returns: The column at which the text at the right edge begins, or `nil` if that text is empty or omitted.
    @discardableResult
    mutating func bar(left: String, title: String, right: String) -> Int? {
        let rightColumns = min(right.terminalText(columns: width).terminalColumns, width / 2)
        let availableColumns = rightColumns > 0 ? width - rightColumns - 1 : width
        guard rightColumns > 0, availableColumns > 0 else {
            line(barText(left: left, title: title, availableColumns: width))
            return nil
        }
        let text = barText(left: left, title: title, availableColumns: availableColumns)
        line("\(Self.fittedText(text, availableColumns)) \(Self.fittedText(right, rightColumns))")
        return availableColumns + 1
    }

    /// Returns the text of a bar without the text at its right edge.
    ///
    /// - Parameter availableColumns: The number of available columns.
    private func barText(left: String, title: String, availableColumns: Int) -> String {
        guard left.isEmpty else { return "\(left)   \(title)" }
        let columns = title.terminalText(columns: width).terminalColumns
        let centeredIndent = (width - columns) / 2
        let indent =
            centeredIndent + columns <= availableColumns
            ? centeredIndent : (availableColumns - columns) / 2
        return String(repeating: " ", count: max(0, indent)) + title
    }

    /// Returns a rectangular part of the drawing.
    ///
    /// If an edge cuts a wide character in half, the visible half is replaced by a space. Areas outside the left, right
    /// and top edges of the drawing are blank. Lines below the drawing are omitted.
    ///
    /// - Parameters:
    ///   - columns: The range of zero-based columns. It contains at least 1 and at most ``maximumWidth`` columns.
    ///   - lines: The range of zero-based lines, counted from the top.
    public func part(columns: Range<Int>, lines: Range<Int>) -> TextCanvas {
        let columns = columns.clamped(to: -Self.maximumColumn..<Self.maximumColumn)
        var part = TextCanvas(width: columns.count)
        let wantedColumns = columns.lowerBound..<columns.lowerBound + part.width
        let endLine = min(lines.upperBound, self.lines.count)
        guard lines.lowerBound < endLine else { return part }
        let blankLineCount = lines.clamped(to: -Self.maximumBlankLines..<0).count
        part.lines = Array(
            repeating: String(repeating: " ", count: part.width), count: blankLineCount)
        part.lines += self.lines[max(0, lines.lowerBound)..<max(0, endLine)].map { line in
            Self.cut(line, to: wantedColumns, width: part.width)
        }
        part.addParts(
            of: self, line: blankLineCount - max(0, lines.lowerBound),
            column: -wantedColumns.lowerBound,
            visibleArea: (blankLineCount..<part.lines.count, 0..<part.width))
        return part
    }

    /// Maximum distance of a column from 0.
    ///
    /// The limit prevents overflow when column numbers are added.
    private static let maximumColumn = Int.max / 2
    /// Maximum number of blank lines above the drawing.
    private static let maximumBlankLines = 4096

    private static func cut(_ line: String, to wantedColumns: Range<Int>, width: Int) -> String {
        var result = ""
        var drawnColumns = 0
        if wantedColumns.lowerBound < 0 {
            drawnColumns = min(width, -wantedColumns.lowerBound)
            result = String(repeating: " ", count: drawnColumns)
        }
        var column = 0
        for character in line {
            guard column < wantedColumns.upperBound else { break }
            let endColumn = column + character.terminalColumns
            let visibleColumns =
                min(endColumn, wantedColumns.upperBound) - max(column, wantedColumns.lowerBound)
            if visibleColumns == endColumn - column {
                result.append(character)
                drawnColumns += visibleColumns
            } else if visibleColumns > 0 {
                result += String(repeating: " ", count: visibleColumns)
                drawnColumns += visibleColumns
            }
            column = endColumn
        }
        return result + String(repeating: " ", count: width - drawnColumns)
    }
}

/// The horizontal alignment of text.
public enum TextAlignment: String, Sendable, CaseIterable, PropertyConvertible {
    /// At the left edge.
    case left
    /// In the middle.
    case center
    /// At the right edge.
    case right
}

extension TextCanvas {
    /// Draws text on as many lines as necessary, wrapped at spaces where possible.
    ///
    /// - Parameters:
    ///   - text: The text to draw.
    ///   - limit: The maximum number of lines, or 0 for ``maximumLines``. Larger values are reduced to
    ///     ``maximumLines``. If the text is longer, the last line ends in `…`.
    ///   - alignment: The alignment of the lines.
    public mutating func text(_ text: String, limit: Int = 0, alignment: TextAlignment = .left) {
        let maximumLineCount = limit > 0 ? min(limit, Self.maximumLines) : Self.maximumLines
        let visiblePrefix = visiblePrefix(of: text, lines: maximumLineCount)
        let isTextLonger = visiblePrefix.endIndex < text.endIndex
        let text = String(visiblePrefix)
        // Wrap one line more than the maximum, to find out whether the text is too long.
        let layout = TextLayout(text, width: width, limit: maximumLineCount + 1)
        let count = min(maximumLineCount, layout.lines.count)
        for index in 0..<count {
            let isTruncated = index == count - 1 && (isTextLonger || count < layout.lines.count)
            let shownText = String(layout.shownText(index, of: text))
            let line = isTruncated ? shownText + "…" : shownText
            switch alignment {
            case .left: self.line(line)
            case .center: centered(line)
            case .right: trailing(line)
            }
        }
    }

    /// Returns a prefix of a text that is long enough to fill the given number of lines.
    ///
    /// The prefix allows for two scalars in each column, and for one line in which every character has the maximum
    /// number of scalars.
    func visiblePrefix(of text: String, lines: Int) -> Substring {
        text[...].beginning(
            scalars: (lines + 1) * (width + 1) * 2 + (width + 1) * Character.maximumScalarCount)
    }
}
