import TerminalText

/// Lines of text of one width, on which views draw themselves.
///
/// Drawn text is made fit for a terminal first: see ``line(_:)``. For something inside or beside
/// something else, draw on another canvas and put that on this one: ``columns(_:separator:)`` with
/// ``sideBySide(_:separator:)``, ``boxed`` with ``box(_:)-(TextCanvas)``, or ``append(_:)``.
public struct TextCanvas: Sendable {
    /// The widest canvas, in columns.
    public static let widest = 4096

    /// The most lines that a text takes.
    public static let mostLines = 4096

    /// The columns of a terminal that a line takes.
    public let width: Int
    /// The drawn lines, each exactly ``width`` columns wide.
    public internal(set) var lines: [String] = []
    /// What parts of it stand for, those inside of others before these.
    package internal(set) var parts: [DrawnPart] = []

    /// An empty canvas.
    ///
    /// - Parameter width: in columns; at least 1, at most ``widest``.
    public init(width: Int) {
        self.width = min(max(width, 1), Self.widest)
    }

    // MARK: Lines

    /// Draws a line from the left.
    ///
    /// What does not fit is cut, and `…` stands for it. Line breaks are shown as `␤`, other control
    /// characters as `�`, and what has no width is left out.
    public mutating func line(_ text: String) {
        lines.append(Self.fitted(text, width))
    }

    /// Draws texts at the left and the right edge of one line. The left one is cut if need be.
    public mutating func line(_ left: String, trailing: String) {
        guard !trailing.isEmpty else { return line(left) }
        let trailing = trailing.drawn(columns: width)
        let room = width - trailing.terminalColumns - 1
        guard room > 0 else { return line(trailing) }
        line(Self.fitted(left, room) + " " + trailing)
    }

    /// Draws a line that ends at the right edge.
    public mutating func trailing(_ text: String) {
        let text = text.drawn(columns: width)
        line(String(repeating: " ", count: max(0, width - text.terminalColumns)) + text)
    }

    /// Draws a line in the middle.
    public mutating func centered(_ text: String) {
        let text = text.drawn(columns: width)
        let columns = text.terminalColumns
        line(String(repeating: " ", count: max(0, (width - columns) / 2)) + text)
    }

    /// Draws the titles of a view's or controller's elements in a row, the chosen one in brackets.
    mutating func line(_ titles: [String], chosen: Int?, of owner: AnyObject) {
        let marked = titles.enumerated().map { $0 == chosen ? "[ \($1) ]" : "  \($1)  " }
        let row = TextRow(marked, separator: " ", width: width)
        line(row.text)
        for (index, columns) in row.columns.enumerated() {
            note(.element(index, isChosen: index == chosen), of: owner, columns: columns)
        }
    }

    /// Draws a rule from edge to edge.
    public mutating func rule() {
        lines.append(String(repeating: "─", count: width))
    }

    // MARK: Canvases

    /// Draws a text in a box from edge to edge.
    public mutating func box(_ text: String) {
        var inside = boxed
        inside.line(text)
        box(inside)
    }

    /// Draws another canvas in a box from edge to edge; as it is if there is no room for a box.
    public mutating func box(_ inside: TextCanvas) {
        guard width > 4 else { return append(inside) }
        let rule = String(repeating: "─", count: width - 2)
        lines.append("┌\(rule)┐")
        takeParts(
            of: inside, line: lines.count, column: 2,
            seen: (lines.count..<lines.count + inside.lines.count, 2..<width - 2))
        for text in inside.lines { lines.append("│ \(Self.fitted(text, width - 4)) │") }
        lines.append("└\(rule)┘")
    }

    /// An empty canvas of the width that fits into a box on this one.
    public var boxed: TextCanvas { TextCanvas(width: width > 4 ? width - 4 : width) }

    /// Draws another canvas below what there is.
    public mutating func append(_ canvas: TextCanvas) {
        takeParts(
            of: canvas, line: lines.count, column: 0,
            seen: (lines.count..<lines.count + canvas.lines.count, 0..<width))
        if canvas.width == width {
            lines += canvas.lines
        } else {
            for text in canvas.lines { line(text) }
        }
    }

    /// Empty canvases that stand side by side on this one, as equal in width as can be, the wider
    /// ones first.
    ///
    /// - Parameters:
    ///   - count: how many; none if it is not positive.
    ///   - separator: what will stand between two.
    public func columns(_ count: Int, separator: String = " │ ") -> [TextCanvas] {
        guard count > 0 else { return [] }
        let room = max(0, width - separator.terminalColumns * (min(count, width) - 1))
        return (0..<count).map { index in
            TextCanvas(width: room / count + (index < room % count ? 1 : 0))
        }
    }

    /// Draws canvases side by side, as high as the highest. What does not fit on the right is cut.
    ///
    /// - Parameters:
    ///   - canvases: the canvases, from the left.
    ///   - separator: what stands between two, at least a space.
    public mutating func sideBySide(_ canvases: [TextCanvas], separator: String = " │ ") {
        let height = canvases.map(\.lines.count).max() ?? 0
        let separator = separator.isEmpty ? " " : separator
        var column = 0
        for canvas in canvases where column < width {
            takeParts(
                of: canvas, line: lines.count, column: column,
                seen: (lines.count..<lines.count + height, 0..<width))
            column += canvas.width + separator.terminalColumns
        }
        for index in 0..<height {
            let row = canvases.map { canvas in
                index < canvas.lines.count
                    ? canvas.lines[index] : String(repeating: " ", count: canvas.width)
            }
            line(row.joined(separator: separator))
        }
    }

    /// All that was drawn, in a frame, `width` and four columns wide.
    public var framed: String {
        let rule = String(repeating: "─", count: width + 2)
        return (["┌\(rule)┐"] + lines.map { "│ \($0) │" } + ["└\(rule)┘"])
            .joined(separator: "\n")
    }

    /// The text, cut or filled to a width in columns.
    static func fitted(_ text: String, _ width: Int) -> String {
        let shown = text.drawn(columns: width)
        var result = ""
        var columns = 0
        // Where the text was at one column less than the width, should it not fit.
        var cut = (text: "", columns: 0)
        for character in shown {
            let next = columns + character.terminalColumns
            if next > width {
                result = cut.text + "…"
                columns = cut.columns + 1
                break
            }
            result.append(character)
            columns = next
            if next < width { cut = (result, next) }
        }
        return result + String(repeating: " ", count: width - columns)
    }

    /// Draws a title in the middle, or behind what stands at the left edge; what stands at the
    /// right edge takes at most half of the line, and nothing where there is no room for it.
    ///
    /// - Returns: the column at which what stands at the right edge begins; nil if there is none.
    @discardableResult
    mutating func bar(left: String, title: String, right: String) -> Int? {
        let rightColumns = min(right.drawn(columns: width).terminalColumns, width / 2)
        let room = rightColumns > 0 ? width - rightColumns - 1 : width
        guard rightColumns > 0, room > 0 else {
            line(barText(left: left, title: title, room: width))
            return nil
        }
        let text = barText(left: left, title: title, room: room)
        line("\(Self.fitted(text, room)) \(Self.fitted(right, rightColumns))")
        return room + 1
    }

    /// - Parameter room: the columns for it, at the left edge.
    private func barText(left: String, title: String, room: Int) -> String {
        guard left.isEmpty else { return "\(left)   \(title)" }
        let columns = title.drawn(columns: width).terminalColumns
        let middle = (width - columns) / 2
        let indent = middle + columns <= room ? middle : (room - columns) / 2
        return String(repeating: " ", count: max(0, indent)) + title
    }

    /// A rectangle cut out of what was drawn.
    ///
    /// Half of a wide character at an edge is a space. Left, right and above of what was drawn the
    /// part is blank; below it has no lines.
    ///
    /// - Parameters:
    ///   - columns: counted from 0 at the left edge; at least one, at most ``widest``.
    ///   - lines: counted from 0 at the top.
    public func part(columns: Range<Int>, lines: Range<Int>) -> TextCanvas {
        let columns = columns.clamped(to: -Self.farthest..<Self.farthest)
        var part = TextCanvas(width: columns.count)
        let wanted = columns.lowerBound..<columns.lowerBound + part.width
        let last = min(lines.upperBound, self.lines.count)
        guard lines.lowerBound < last else { return part }
        let above = -lines.lowerBound.clamped(-Self.highest, 0)
        part.lines = Array(repeating: String(repeating: " ", count: part.width), count: above)
        part.lines += self.lines[max(0, lines.lowerBound)..<max(0, last)].map { line in
            Self.cut(line, to: wanted, width: part.width)
        }
        part.takeParts(
            of: self, line: above - max(0, lines.lowerBound), column: -wanted.lowerBound,
            seen: (above..<part.lines.count, 0..<part.width))
        return part
    }

    /// The farthest column, so that sums of columns are numbers.
    private static let farthest = Int.max / 2
    /// The most blank lines above what was drawn.
    private static let highest = 4096

    private static func cut(_ line: String, to wanted: Range<Int>, width: Int) -> String {
        var result = ""
        var taken = 0
        if wanted.lowerBound < 0 {
            taken = min(width, -wanted.lowerBound)
            result = String(repeating: " ", count: taken)
        }
        var column = 0
        for character in line {
            guard column < wanted.upperBound else { break }
            let end = column + character.terminalColumns
            let seen = min(end, wanted.upperBound) - max(column, wanted.lowerBound)
            if seen == end - column {
                result.append(character)
                taken += seen
            } else if seen > 0 {
                result += String(repeating: " ", count: seen)
                taken += seen
            }
            column = end
        }
        return result + String(repeating: " ", count: width - taken)
    }
}

/// Where the lines of a text stand.
public enum TextAlignment: String, Sendable, CaseIterable, PropertyConvertible {
    /// At the left edge.
    case left
    /// In the middle.
    case center
    /// At the right edge.
    case right
}

extension TextCanvas {
    /// Draws a text in as many lines as it takes, broken at spaces where it can be.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - limit: the most lines, the last of which then ends in `…`; 0, or more than ``mostLines``,
    ///     means these.
    ///   - alignment: where the lines stand.
    public mutating func text(_ text: String, limit: Int = 0, alignment: TextAlignment = .left) {
        let most = limit > 0 ? min(limit, Self.mostLines) : Self.mostLines
        let seen = seen(of: text, lines: most)
        let isLonger = seen.endIndex < text.endIndex
        let text = String(seen)
        // A line more shows that there are more.
        let layout = TextLayout(text, width: width, limit: most + 1)
        let count = min(most, layout.lines.count)
        for index in 0..<count {
            let isCut = index == count - 1 && (isLonger || count < layout.lines.count)
            let shown = String(layout.shown(index, of: text))
            let line = isCut ? shown + "…" : shown
            switch alignment {
            case .left: self.line(line)
            case .center: centered(line)
            case .right: trailing(line)
            }
        }
    }

    /// As much of a text as is looked at for so many lines: characters of two scalars in each column of
    /// them, and of one more, and in a few columns of as many as a character can have.
    func seen(of text: String, lines: Int) -> Substring {
        text[...].beginning(
            scalars: (lines + 1) * (width + 1) * 2 + (width + 1) * Character.mostScalars)
    }
}
