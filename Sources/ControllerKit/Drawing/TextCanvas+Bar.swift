extension TextCanvas {
    /// Draws a title in the middle, or behind what stands at the left edge; what stands at the right
    /// edge takes at most half of the line, and nothing where there is no room for it.
    mutating func bar(left: String, title: String, right: String) {
        let rightColumns = min(right.drawn.terminalColumns, width / 2)
        let room = rightColumns > 0 ? width - rightColumns - 1 : width
        guard rightColumns > 0, room > 0 else {
            return line(barText(left: left, title: title, room: width))
        }
        let text = barText(left: left, title: title, room: room)
        line("\(Self.fitted(text, room)) \(Self.fitted(right, rightColumns))")
    }

    /// - Parameter room: the columns for it, at the left edge.
    private func barText(left: String, title: String, room: Int) -> String {
        guard left.isEmpty else { return "\(left)   \(title)" }
        let columns = title.drawn.terminalColumns
        let middle = (width - columns) / 2
        let indent = middle + columns <= room ? middle : (room - columns) / 2
        return String(repeating: " ", count: max(0, indent)) + title
    }
}
