extension EditedText {
    /// The text on one line, with the caret, or the selection in guillemets. Of a text that is too
    /// long it is the part around the caret, or around where the selection begins.
    ///
    /// - Parameter columns: the width of the line.
    mutating func line(columns: Int) -> String {
        let range = selectedRange
        let lower = text.index(text.startIndex, offsetBy: range.lowerBound)
        let upper = text.index(lower, offsetBy: range.count)
        let start = fits(columns: columns - 2) ? text.startIndex : start(before: lower, columns - 4)
        let before = (start == text.startIndex ? "" : "…") + text[start..<lower]
        let selected = text[lower..<upper].prefix(columns + 1)
        return before + (selected.isEmpty ? "▏" : "«\(selected)»")
            + text[upper...].prefix(columns + 1)
    }

    private func fits(columns limit: Int) -> Bool {
        var columns = 0
        for character in text {
            columns += character.drawn?.terminalColumns ?? 0
            if columns > limit { return false }
        }
        return true
    }

    /// As far before a place as there is room for.
    private func start(before end: String.Index, _ limit: Int) -> String.Index {
        var start = end
        var columns = 0
        while start > text.startIndex {
            let index = text.index(before: start)
            columns += text[index].drawn?.terminalColumns ?? 0
            if columns > limit { break }
            start = index
        }
        return start
    }
}
