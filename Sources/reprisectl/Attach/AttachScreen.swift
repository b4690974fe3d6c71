import RepriseControl
import TerminalText

/// Draws an attached scene on a terminal: the lines that are seen of it, and a bar at the foot. Only rows
/// that look otherwise are written.
struct AttachScreen {
    /// What the terminal can do.
    struct Abilities: Equatable {
        var hasColor = true
        var isUTF8 = true
    }

    /// What stands at the foot.
    struct Bar: Equatable {
        var left = ""
        var right = ""
        /// Whether something was saved just now.
        var isFresh = false
        /// Whether something is wrong.
        var isAlarming = false
    }

    private struct Style: OptionSet, Hashable {
        let rawValue: UInt8
        static let reverse = Style(rawValue: 1)
        static let bold = Style(rawValue: 2)
        static let dim = Style(rawValue: 4)
        static let good = Style(rawValue: 8)
        static let bad = Style(rawValue: 16)
    }

    private let abilities: Abilities
    private var size = TerminalSession.Size(lines: 0, columns: 0)
    /// What stands in each row of the terminal.
    private var rows: [String] = []
    /// The line of the drawing that stands in the first row.
    private var top = 0
    /// Whether a person looks elsewhere than where the focus is.
    private var isLookingElsewhere = false

    init(_ abilities: Abilities) {
        self.abilities = abilities
    }

    /// How many lines of a drawing are seen.
    private var height: Int { max(0, size.lines - 1) }

    /// Looks at another part of the drawing, until ``lookAtFocus()``.
    mutating func scroll(by lines: Int) {
        isLookingElsewhere = true
        top = max(0, top + lines)
    }

    mutating func scroll(byPages pages: Int) { scroll(by: pages * max(1, height - 1)) }

    mutating func lookAtFocus() { isLookingElsewhere = false }

    /// The line of the drawing that stands in a row; nil: the bar does.
    func line(inRow row: Int) -> Int? { row < height ? row + top : nil }

    /// Forgets what stands on the terminal.
    mutating func forget() { rows = [] }

    /// - Parameter overlay: lines that are shown instead of the scene; nil: the scene is.
    /// - Returns: what is to be written to the terminal.
    mutating func draw(
        _ scene: AttachedScene, bar: Bar, overlay: [String]?, size: TerminalSession.Size
    ) -> String {
        var output = ""
        if size != self.size || rows.isEmpty {
            self.size = size
            rows = Array(repeating: "", count: size.lines)
            output += "\u{1B}[0m\u{1B}[2J"
        }
        follow(scene)
        for row in 0..<height {
            let text: String
            if let overlay {
                text = styled(overlay.indices.contains(row) ? overlay[row] : "") { _ in [] }
            } else {
                text = line(row + top, of: scene)
            }
            output += put(text, in: row)
        }
        if size.lines > 0 { output += put(foot(bar), in: size.lines - 1) }
        return output
    }

    private mutating func put(_ text: String, in row: Int) -> String {
        if rows[row] == text { return "" }
        rows[row] = text
        return "\u{1B}[\(row + 1);1H\u{1B}[K\(text)\u{1B}[0m"
    }

    /// Scrolls as far as it takes to see what has the focus, and its caret.
    private mutating func follow(_ scene: AttachedScene) {
        top = min(top, max(0, scene.lines.count - height))
        guard !isLookingElsewhere, let focused = scene.focused, height > 0 else { return }
        var seen = focused.line..<focused.line + focused.lines
        let caret = seen.first { line in
            scene.lines.indices.contains(line)
                && scene.lines[line].spans.contains { $0.role == .caret }
        }
        if seen.count > height, let caret { seen = caret..<caret + 1 }
        if seen.upperBound > top + height { top = seen.upperBound - height }
        if seen.lowerBound < top { top = seen.lowerBound }
    }

    // MARK: Rows

    private func line(_ number: Int, of scene: AttachedScene) -> String {
        guard scene.lines.indices.contains(number) else { return "" }
        let line = scene.lines[number]
        let focused = scene.focused
        var styles = Array(repeating: Style(), count: size.columns)
        func add(_ style: Style, column: Int, columns: Int) {
            let range = (column..<column + max(0, columns)).clamped(to: 0..<size.columns)
            for column in range { styles[column].formUnion(style) }
        }
        for span in line.spans {
            let style: Style =
                switch span.role {
                case .bar: .bold
                case .caret, .selection: .reverse
                case .position: .dim
                }
            // Only where a person types is there a caret.
            if span.role == .caret, focused?.contains(number, span.column) != true { continue }
            add(style, column: span.column, columns: span.columns)
        }
        for element in scene.elements where element.line..<element.line + element.lines ~= number {
            if !element.enabled { add(.dim, column: element.column, columns: element.columns) }
            guard element == focused else { continue }
            let isText = element.kind == .field || element.kind == .text
            add(
                isText ? .bold : [.reverse, .bold], column: element.column,
                columns: element.columns)
        }
        return styled(line.text) { styles.indices.contains($0) ? styles[$0] : [] }
    }

    private func foot(_ bar: Bar) -> String {
        let right = bar.right.isEmpty ? "" : " \(bar.right) "
        let room = max(0, size.columns - right.terminalColumns)
        var left = " \(bar.left)"
        while left.terminalColumns > room, !left.isEmpty { left.removeLast() }
        let text = left + String(repeating: " ", count: room - left.terminalColumns) + right
        let style: Style = bar.isAlarming ? .bad : bar.isFresh ? .good : []
        return styled(text) { column in column >= room ? style.union(.reverse) : .reverse }
    }

    /// A text with the terminal's sequences for the style of each column. Nothing of the text is left that
    /// a terminal would obey.
    private func styled(_ text: String, _ style: (Int) -> Style) -> String {
        var result = ""
        var column = 0
        var current = Style()
        for character in text {
            guard let drawn = character.drawn else { continue }
            let columns = drawn.terminalColumns
            if column + columns > size.columns { break }
            let wanted = style(column)
            if wanted != current {
                result += sequence(wanted)
                current = wanted
            }
            if abilities.isUTF8 {
                result.append(drawn)
            } else {
                result += Self.plain(drawn, columns)
            }
            column += columns
        }
        return result
    }

    private func sequence(_ style: Style) -> String {
        var codes = ["0"]
        if style.contains(.bold) { codes.append("1") }
        if style.contains(.dim) { codes.append("2") }
        if style.contains(.reverse) { codes.append("7") }
        if abilities.hasColor {
            if style.contains(.good) { codes.append("32") }
            if style.contains(.bad) { codes.append("31") }
        } else if !style.isDisjoint(with: [.good, .bad]) {
            codes.append("1")
        }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }

    private static let ascii: [Character: String] = [
        "─": "-", "━": "=", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "▏": "|", "«": "<",
        "»": ">", "‹": "<", "›": ">", "●": "*", "○": "o", "•": "*", "…": "~", "·": ".", "–": "-",
        "⊖": "-", "≡": "=", "␤": " ", "░": ".", "▒": ":", "▓": "%", "█": "#",
    ]

    private static func plain(_ character: Character, _ columns: Int) -> String {
        if character.isASCII { return String(character) }
        return ascii[character] ?? String(repeating: "?", count: columns)
    }
}
