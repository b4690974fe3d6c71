/// Lines of text of one width, on which views draw themselves.
///
/// What is drawn is made fit for a terminal first: see ``line(_:)``. For something inside or beside
/// something else, draw on another canvas and put that on this one: ``columns(_:separator:)`` with
/// ``sideBySide(_:separator:)``, ``boxed`` with ``box(_:)-(TextCanvas)``, or ``append(_:)``.
public struct TextCanvas: Sendable {
    /// The widest canvas, in columns.
    public static let widest = 4096

    /// The columns of a terminal that a line takes.
    public let width: Int
    /// What was drawn, each line exactly ``width`` columns wide.
    public internal(set) var lines: [String] = []

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

    /// Draws a text at the left and another at the right edge of one line. The left one is cut where
    /// both do not fit.
    public mutating func line(_ left: String, trailing: String) {
        guard !trailing.isEmpty else { return line(left) }
        let trailing = trailing.drawn
        let room = width - trailing.terminalColumns - 1
        guard room > 0 else { return line(trailing) }
        line(Self.fitted(left, room) + " " + trailing)
    }

    /// Draws a line that ends at the right edge.
    public mutating func trailing(_ text: String) {
        let text = text.drawn
        line(String(repeating: " ", count: max(0, width - text.terminalColumns)) + text)
    }

    /// Draws a line in the middle.
    public mutating func centered(_ text: String) {
        let text = text.drawn
        let columns = text.terminalColumns
        line(String(repeating: " ", count: max(0, (width - columns) / 2)) + text)
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
        for text in inside.lines { lines.append("│ \(Self.fitted(text, width - 4)) │") }
        lines.append("└\(rule)┘")
    }

    /// An empty canvas of the width that fits into a box on this one.
    public var boxed: TextCanvas { TextCanvas(width: width > 4 ? width - 4 : width) }

    /// Draws another canvas below what there is.
    public mutating func append(_ canvas: TextCanvas) {
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
    /// - Parameter separator: what stands between two, at least a space.
    public mutating func sideBySide(_ canvases: [TextCanvas], separator: String = " │ ") {
        let height = canvases.map(\.lines.count).max() ?? 0
        for index in 0..<height {
            let row = canvases.map { canvas in
                index < canvas.lines.count
                    ? canvas.lines[index] : String(repeating: " ", count: canvas.width)
            }
            line(row.joined(separator: separator.isEmpty ? " " : separator))
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
        let shown = text.drawn
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
}
