extension TextCanvas {
    /// Draws parts side by side, with a rule between each two. Where not every part would get the
    /// least width of a canvas, they are drawn one below the other.
    public mutating func columns(_ parts: [(inout TextCanvas) -> Void]) {
        let separator = " │ "
        let room = width - separator.count * (parts.count - 1)
        guard parts.count > 1, room / parts.count >= Self.minimumWidth else {
            for (index, part) in parts.enumerated() {
                if index > 0 { rule() }
                part(&self)
            }
            return
        }
        let rest = room % parts.count
        let canvases = parts.enumerated().map { index, part in
            let isLast = index == parts.count - 1
            var canvas = TextCanvas(width: room / parts.count + (isLast ? rest : 0))
            part(&canvas)
            return canvas
        }
        for row in 0..<(canvases.map(\.lines.count).max() ?? 0) {
            let cells = canvases.map { canvas in
                row < canvas.lines.count
                    ? canvas.lines[row] : String(repeating: " ", count: canvas.width)
            }
            line(cells.joined(separator: separator))
        }
    }

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
