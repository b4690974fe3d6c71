/// The caret, or the guillemets around the selection, in the lines of a text.
struct TextMarks {
    private let text: String
    private let layout: TextLayout
    private let range: Range<Int>
    /// The lines in which the selection begins and ends.
    private let lines: (first: Int, last: Int)

    init(_ range: Range<Int>, in text: String, _ layout: TextLayout) {
        self.text = text
        self.layout = layout
        self.range = range
        lines = (layout.line(of: range.lowerBound), layout.line(of: range.upperBound))
    }

    /// The text of a line, with the marks that stand in it.
    func marked(_ line: Int) -> String {
        let shown = layout.shown(line, of: text)
        var marked = ""
        var from = shown.startIndex
        func add(_ mark: String, at place: String.Index) {
            marked += shown[from..<place]
            marked += mark
            from = place
        }
        if line == lines.first {
            add(range.isEmpty ? "▏" : "«", at: place(range.lowerBound, in: line))
        }
        if line == lines.last, !range.isEmpty {
            add("»", at: place(range.upperBound, in: line))
        }
        return marked + shown[from...]
    }

    /// Where a character begins in its line; of a space that is not shown, the line's end.
    private func place(_ character: Int, in line: Int) -> String.Index {
        let shown = layout.shown(line, of: text)
        let offset = min(character - layout.lines[line].first, layout.lines[line].count)
        return shown.index(shown.startIndex, offsetBy: offset)
    }
}
