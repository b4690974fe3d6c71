extension TextCanvas {
    /// Draws a title in the middle, or behind what stands at the left edge; what stands at the right
    /// edge takes at most half of the line.
    mutating func bar(left: String, title: String, right: String) {
        let rightColumns = min(right.terminalColumns, width / 2)
        let room = right.isEmpty ? width : width - rightColumns - 1
        var text = "\(left)   \(title)"
        if left.isEmpty {
            let columns = title.terminalColumns
            let middle = (width - columns) / 2
            let indent = middle + columns <= room ? middle : (room - columns) / 2
            text = String(repeating: " ", count: max(0, indent)) + title
        }
        guard !right.isEmpty else { return line(text) }
        line("\(Self.fitted(text, room)) \(Self.fitted(right, rightColumns))")
    }
}
