/// Where the lines of a text stand.
public enum TextAlignment: String, Sendable, CaseIterable {
    /// At the left edge.
    case left
    /// In the middle.
    case center
    /// At the right edge.
    case right
}

extension TextCanvas {
    /// Draws a text in as many lines as it takes, broken at spaces where it can be.
    ///
    /// - Parameters:
    ///   - limit: the most lines, the last of which then ends in `…`; 0: all.
    ///   - alignment: where the lines stand.
    public mutating func text(
        _ text: String, limit: Int = 0, alignment: TextAlignment = .left
    ) {
        let layout = TextLayout(text, width: width)
        let count = limit > 0 ? min(limit, layout.lines.count) : layout.lines.count
        for index in 0..<count {
            let isCut = index == count - 1 && count < layout.lines.count
            let shown = String(layout.shown(index, of: text))
            let line = isCut ? shown + "…" : shown
            switch alignment {
            case .left: self.line(line)
            case .center: centered(line)
            case .right: trailing(line)
            }
        }
    }
}
