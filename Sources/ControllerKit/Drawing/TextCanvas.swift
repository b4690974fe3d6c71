/// Lines of text of one width, on which views draw themselves.
public struct TextCanvas: Sendable {
    /// The columns that a line takes at least.
    static let minimumWidth = 8

    /// The columns of a terminal that a line takes.
    public let width: Int
    /// What was drawn, each line exactly ``width`` columns wide.
    public private(set) var lines: [String] = []

    /// An empty canvas.
    ///
    /// - Parameter width: in columns; at least 8.
    public init(width: Int) {
        self.width = max(width, Self.minimumWidth)
    }

    /// Draws a line from the left. What does not fit is cut, and `…` stands for it.
    public mutating func line(_ text: String) {
        lines.append(Self.fitted(text, width))
    }

    /// Draws a line in the middle.
    public mutating func centered(_ text: String) {
        let columns = text.terminalColumns
        line(String(repeating: " ", count: max(0, (width - columns) / 2)) + text)
    }

    /// Draws a rule from edge to edge.
    public mutating func rule() {
        lines.append(String(repeating: "─", count: width))
    }

    /// Draws a text in a box from edge to edge.
    public mutating func box(_ text: String) {
        let rule = String(repeating: "─", count: width - 2)
        lines.append("┌\(rule)┐")
        lines.append("│ \(Self.fitted(text, width - 4)) │")
        lines.append("└\(rule)┘")
    }

    /// All that was drawn, in a frame, `width` and four columns wide.
    public var framed: String {
        let rule = String(repeating: "─", count: width + 2)
        return (["┌\(rule)┐"] + lines.map { "│ \($0) │" } + ["└\(rule)┘"])
            .joined(separator: "\n")
    }

    /// The text, cut or filled to a width in columns. Line breaks and control characters, which
    /// would break the picture, are shown as `␤` and `�`.
    static func fitted(_ text: String, _ width: Int) -> String {
        var result = ""
        var columns = 0
        let shown = text.map { character -> Character in
            if character.isNewline { return "␤" }
            return character.unicodeScalars.contains { $0.breaksLine }
                ? "\u{FFFD}" : character
        }
        let total = shown.reduce(0) { $0 + $1.terminalColumns }
        let limit = total > width ? width - 1 : width
        for character in shown {
            guard columns + character.terminalColumns <= limit else { break }
            result.append(character)
            columns += character.terminalColumns
        }
        if total > width {
            result.append("…")
            columns += 1
        }
        return result + String(repeating: " ", count: width - columns)
    }
}
