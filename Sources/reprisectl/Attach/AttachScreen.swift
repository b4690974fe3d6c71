import ExactText
import RepriseControl
import TerminalText

/// Renderer that draws an attached scene on a terminal.
///
/// The renderer draws the visible lines of the scene and a bar at the bottom, and redraws only the rows that have
/// changed.
struct AttachScreen {
    /// Capabilities of the terminal.
    struct Capabilities: Equatable {
        var hasColor = true
        var isUTF8 = true
    }

    /// Contents of the bar at the bottom.
    struct Bar: Equatable {
        var leftText = ""
        var rightText = ""
        /// Whether the user is typing the text on the right.
        var isTyping = false
        /// Whether a change was just saved.
        var isHighlighted = false
        /// Whether the bar reports a problem.
        var isError = false
    }

    private struct Style: OptionSet, Hashable {
        let rawValue: UInt8
        static let reverse = Style(rawValue: 1)
        static let bold = Style(rawValue: 2)
        static let dim = Style(rawValue: 4)
        static let success = Style(rawValue: 8)
        static let failure = Style(rawValue: 16)
    }

    private let capabilities: Capabilities
    private var size = TerminalSession.Size(lines: 0, columns: 0)
    /// Contents of each row of the terminal.
    private var rows: [String] = []
    /// Index of the rendered line that is shown in the first row.
    private var topLine = 0
    /// Whether the user has scrolled away from the focus.
    private var isScrolledAway = false

    init(_ capabilities: Capabilities) {
        self.capabilities = capabilities
    }

    /// Number of lines of the rendering that fit on the screen.
    private var visibleLineCount: Int { max(0, size.lines - 1) }

    /// Scrolls to a different part of the rendering, which stays visible until ``scrollToFocus()`` is called.
    mutating func scroll(by lines: Int) {
        isScrolledAway = true
        topLine = max(0, topLine + lines)
    }

    mutating func scroll(byPages pages: Int) { scroll(by: pages * max(1, visibleLineCount - 1)) }

    mutating func scrollToFocus() { isScrolledAway = false }

    /// Returns a mouse event whose position is a line in the rendering instead of a row on the screen.
    ///
    /// - Returns: The unchanged key if it is not a mouse event, or `nil` for a click or a wheel turn in the bar.
    func translatedKey(_ key: Key) -> Key? {
        switch key {
        case .click(let row, let column):
            row < visibleLineCount ? .click(line: row + topLine, column: column) : nil
        case .release(let row, let column): .release(line: row + topLine, column: column)
        case .wheel(let row, let column, let offset):
            row < visibleLineCount ? .wheel(line: row + topLine, column: column, by: offset) : nil
        default: key
        }
    }

    /// Marks the contents of the terminal as unknown.
    mutating func invalidate() { rows = [] }

    /// Draws the scene or a panel, and the bar at the bottom.
    ///
    /// - Parameter panel: Lines that are shown instead of the scene, or `nil` to show the scene.
    /// - Returns: Text to write to the terminal.
    mutating func draw(
        _ scene: AttachedScene, bar: Bar, panel: [DrawnLine]? = nil,
        size: TerminalSession.Size
    ) -> String {
        var output = ""
        if size != self.size || rows.isEmpty {
            self.size = size
            rows = Array(repeating: "", count: size.lines)
            output += "\u{1B}[0m\u{1B}[2J"
        }
        updateScrollPosition(scene)
        for row in 0..<visibleLineCount {
            if let panel {
                let line = row < panel.count ? panel[row] : DrawnLine()
                output += redraw(styledText(line, caretsIn: nil), in: row)
            } else {
                output += redraw(lineText(row + topLine, of: scene), in: row)
            }
        }
        if size.lines > 0 { output += redraw(barLine(bar), in: size.lines - 1) }
        return output
    }

    private mutating func redraw(_ text: String, in row: Int) -> String {
        if rows[row] == text { return "" }
        rows[row] = text
        return "\u{1B}[\(row + 1);1H\u{1B}[K\(text)\u{1B}[0m"
    }

    /// Scrolls just far enough to show the focused element, or its caret if the element does not fit on the screen.
    private mutating func updateScrollPosition(_ scene: AttachedScene) {
        topLine = min(topLine, max(0, scene.lines.count - visibleLineCount))
        guard !isScrolledAway, let focusedElement = scene.focusedElement, visibleLineCount > 0
        else { return }
        var visibleLines = focusedElement.line..<focusedElement.line + focusedElement.lines
        let caret = visibleLines.first { line in
            scene.lines.indices.contains(line)
                && scene.lines[line].spans.contains { $0.role == .caret }
        }
        if visibleLines.count > visibleLineCount, let caret { visibleLines = caret..<caret + 1 }
        if visibleLines.upperBound > topLine + visibleLineCount {
            topLine = visibleLines.upperBound - visibleLineCount
        }
        if visibleLines.lowerBound < topLine { topLine = visibleLines.lowerBound }
    }

    // MARK: Rows

    private func lineText(_ number: Int, of scene: AttachedScene) -> String {
        guard scene.lines.indices.contains(number) else { return "" }
        let focusedElement = scene.focusedElement
        return styledText(scene.lines[number], caretsIn: focusedElement) { add in
            for element in scene.elements
            where element.line..<element.line + element.lines ~= number {
                if !element.enabled { add(.dim, element.column, element.columns) }
                guard element == focusedElement else { continue }
                add(Self.focusStyle(element.kind), element.column, element.columns)
            }
        }
    }

    /// Returns the style that highlights the focused element.
    private static func focusStyle(_ kind: DrawnKind) -> Style {
        switch kind {
        case .field, .text, .list, .scroll, .page: .bold
        case .button, .value, .choice, .row, .back: [.reverse, .bold]
        }
    }

    /// Returns a line with the terminal sequences for its styles.
    ///
    /// - Parameters:
    ///   - focusedElement: Element in which the user is typing. Only the caret of this element is shown.
    ///   - addStyles: Closure that adds further styles, each with its first column and its width in columns.
    private func styledText(
        _ line: DrawnLine, caretsIn focusedElement: DrawnElement?,
        _ addStyles: ((Style, Int, Int) -> Void) -> Void = { _ in }
    ) -> String {
        var styles = Array(repeating: Style(), count: size.columns)
        func add(_ style: Style, column: Int, columns: Int) {
            let columnRange = (column..<column + max(0, columns)).clamped(to: 0..<size.columns)
            for column in columnRange { styles[column].formUnion(style) }
        }
        for span in line.spans {
            let style: Style =
                switch span.role {
                case .bar: .bold
                case .caret, .selection: .reverse
                case .position: .dim
                }
            if span.role == .caret,
                focusedElement?.contains(line: line.number, column: span.column) != true
            {
                continue
            }
            add(style, column: span.column, columns: span.columns)
        }
        addStyles(add)
        return styledText(line.text) { styles.indices.contains($0) ? styles[$0] : [] }
    }

    private func barLine(_ bar: Bar) -> String {
        // Typed text is truncated at its beginning, and a message at its end.
        var message =
            bar.isTyping
            ? String(bar.rightText.compactMap(\.terminalCharacter).suffix(size.columns))
            : bar.rightText.terminalText(columns: size.columns)
        if message.terminalColumns > max(0, size.columns - 2) {
            while message.terminalColumns > max(0, size.columns - 3), !message.isEmpty {
                if bar.isTyping { message.removeFirst() } else { message.removeLast() }
            }
            message = bar.isTyping ? "…\(message)" : "\(message)…"
        }
        let rightText = message.isEmpty ? "" : " \(message) "
        let leftColumnCount = max(0, size.columns - rightText.terminalColumns)
        var leftText = " \(bar.leftText.terminalText(columns: size.columns))"
        if leftText.terminalColumns > leftColumnCount {
            // The text is omitted if only a few of its characters would fit.
            while leftText.terminalColumns > leftColumnCount - 2, !leftText.isEmpty {
                leftText.removeLast()
            }
            leftText = leftText.terminalColumns < 16 ? "" : "\(leftText)…"
        }
        let text =
            leftText + String(repeating: " ", count: leftColumnCount - leftText.terminalColumns)
            + rightText
        let style: Style = bar.isError ? .failure : bar.isHighlighted ? .success : []
        return styledText(text) { column in
            column >= leftColumnCount ? style.union(.reverse) : .reverse
        }
    }

    /// Returns text with the terminal sequences for the style of each column. Characters that would control the
    /// terminal are replaced.
    private func styledText(_ text: String, _ style: (Int) -> Style) -> String {
        var result = ""
        var column = 0
        var currentStyle = Style()
        for character in text {
            guard let terminalCharacter = character.terminalCharacter else { continue }
            let columns = terminalCharacter.terminalColumns
            if column + columns > size.columns { break }
            let newStyle = style(column)
            if newStyle != currentStyle {
                result += controlSequence(newStyle)
                currentStyle = newStyle
            }
            if capabilities.isUTF8 {
                result.append(terminalCharacter)
            } else {
                result += Self.asciiText(terminalCharacter, columns)
            }
            column += columns
        }
        return result
    }

    private func controlSequence(_ style: Style) -> String {
        var codes = ["0"]
        if style.contains(.bold) { codes.append("1") }
        if style.contains(.dim) { codes.append("2") }
        if style.contains(.reverse) { codes.append("7") }
        if capabilities.hasColor {
            if style.contains(.success) { codes.append("32") }
            if style.contains(.failure) { codes.append("31") }
        } else if !style.isDisjoint(with: [.success, .failure]) {
            codes.append("1")
        }
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }

    private static let asciiReplacements: [Character: String] = [
        "─": "-", "━": "=", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "▏": "|", "«": "<",
        "»": ">", "‹": "<", "›": ">", "●": "*", "○": "o", "•": "*", "…": "~", "·": ".", "–": "-",
        "⊖": "-", "≡": "=", "␤": " ", "░": ".", "▒": ":", "▓": "%", "█": "#",
    ]

    private static func asciiText(_ character: Character, _ columns: Int) -> String {
        if character.isASCII { return String(character) }
        return asciiReplacements[character] ?? String(repeating: "?", count: columns)
    }
}
