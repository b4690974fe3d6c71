extension TextCanvas {
    /// Draws a view, and records its position so that the user can point at it.
    public mutating func draw(_ view: View) {
        let firstLine = lines.count
        view.draw(on: &self)
        addPart(.view, of: view, lines: firstLine..<lines.count)
    }
}
