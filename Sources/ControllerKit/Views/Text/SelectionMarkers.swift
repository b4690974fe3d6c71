import TerminalText

/// The caret, or the guillemets around the selection, in wrapped text.
struct SelectionMarkers {
    private let text: String
    private let layout: TextLayout
    private let selectedRange: Range<Int>
    /// The lines in which the selection begins and ends.
    private let lines: (first: Int, last: Int)

    init(_ selectedRange: Range<Int>, in text: String, _ layout: TextLayout) {
        self.text = text
        self.layout = layout
        self.selectedRange = selectedRange
        lines = (
            layout.line(of: selectedRange.lowerBound), layout.line(of: selectedRange.upperBound)
        )
    }

    /// Returns the text of a line, including any caret or guillemets.
    func markedLine(_ line: Int) -> MarkedLine {
        let shownText = layout.shownText(line, of: text)
        guard lines.first...lines.last ~= line else { return MarkedLine(shownText) }
        if selectedRange.isEmpty {
            let characterIndex = characterIndex(selectedRange.lowerBound, in: line)
            return MarkedLine(
                shownText[..<characterIndex], markedText: "▏", as: .caret,
                shownText[characterIndex...])
        }
        let isFirst = line == lines.first
        let isLast = line == lines.last
        let start =
            isFirst ? characterIndex(selectedRange.lowerBound, in: line) : shownText.startIndex
        let end = isLast ? characterIndex(selectedRange.upperBound, in: line) : shownText.endIndex
        return MarkedLine(
            shownText[..<start],
            markedText: (isFirst ? "«" : "") + shownText[start..<end] + (isLast ? "»" : ""),
            as: .selection, shownText[end...])
    }

    /// Returns the position of a character in its line.
    ///
    /// If the character is a space that is not shown, its position is the end of the line.
    private func characterIndex(_ character: Int, in line: Int) -> String.Index {
        let shownText = layout.shownText(line, of: text)
        let offset = min(
            character - layout.lines[line].characterOffset,
            layout.lines[line].visibleCharacterCount)
        return shownText.index(shownText.startIndex, offsetBy: offset)
    }
}

/// A line of text that can contain the caret or the selection.
struct MarkedLine {
    var text: String
    private let role: DrawnPart.Role
    /// The columns that the caret or the selection occupies.
    private let columns: Range<Int>

    /// Creates a line without a caret or a selection.
    init(_ text: some StringProtocol) {
        self.text = String(text)
        role = .caret
        columns = 0..<0
    }

    /// Creates a line from the text before the mark, the marked text (the caret or the selection), and the text after
    /// it.
    ///
    /// A canvas draws only the beginning of a very long line. Characters without a width are therefore omitted, so that
    /// many such characters cannot hide the mark.
    init(
        _ before: some StringProtocol, markedText: String, as role: DrawnPart.Role,
        _ after: some StringProtocol
    ) {
        let shownBefore = String(before.compactMap(\.terminalCharacter))
        let shownMarkedText = String(markedText.compactMap(\.terminalCharacter))
        text = shownBefore + shownMarkedText + after
        self.role = role
        let start = shownBefore.terminalColumns
        columns = start..<start + shownMarkedText.terminalColumns
    }

    fileprivate func addPart(on canvas: inout TextCanvas) {
        if !columns.isEmpty { canvas.addPart(role, columns: columns) }
    }
}

extension TextCanvas {
    /// Draws a left-aligned line and records the position of its caret or selection.
    mutating func line(_ markedLine: MarkedLine) {
        line(markedLine.text)
        markedLine.addPart(on: &self)
    }
}
