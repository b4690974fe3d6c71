/// A mapping between the lines of two layouts of the same text at different widths.
///
/// A position is a line number with a fractional part. The fraction is the proportion of the line's characters that are
/// before the position. Every line of one layout therefore has an exact position in the other layout.
struct LineMapping {
    /// The layout at the view's own width, to which the view's offset refers.
    let viewLayout: TextLayout
    /// The layout at the width of the drawing.
    let drawnLayout: TextLayout

    /// Returns the line of the drawing that shows the text at a position in the view's own layout.
    func drawnLine(at position: Double) -> Int {
        let line = Int(flooring: position).clamped(0, viewLayout.lines.count - 1)
        let characters = viewLayout.characters(inLine: line)
        let fraction = (position - Double(line)).clamped(0, 1)
        let offset = Int(flooring: (fraction * Double(characters.count)).rounded())
        return drawnLayout.line(of: characters.lowerBound + offset)
    }

    /// Returns the position, in the view's own layout, of the first character in a line of the drawing.
    func viewPosition(ofDrawnLine line: Int) -> Double {
        let line = line.clamped(0, drawnLayout.lines.count - 1)
        let character = drawnLayout.lines[line].characterOffset
        let viewLine = viewLayout.line(of: character)
        let characters = viewLayout.characters(inLine: viewLine)
        let offset = Double(character - characters.lowerBound)
        return Double(viewLine) + offset / Double(max(1, characters.count))
    }
}

extension TextLayout {
    /// Returns the characters from the start of a line to the start of the next line.
    fileprivate func characters(inLine line: Int) -> Range<Int> {
        let start = lines[line].characterOffset
        return start..<(line + 1 < lines.count ? lines[line + 1].characterOffset : characterCount)
    }
}

/// A cache of a text's layouts at the most recently drawn widths, except the view's own width.
///
/// After every change in the scene, the text is redrawn for each client. The cache holds several layouts, so that
/// clients with different widths do not evict each other's layouts.
struct DrawnLayoutCache {
    private static let maximumLayouts = 4
    /// The layouts of the current text, most recently used last.
    private var layouts: [(columns: Int, layout: TextLayout)] = []

    /// Discards the layouts after the text has changed.
    mutating func invalidate() { layouts = [] }

    /// Returns the layout of the current text at the given width.
    mutating func layout(of text: String, columns: Int) -> TextLayout {
        let index = layouts.firstIndex { $0.columns == columns }
        let layout = index.map { layouts.remove(at: $0).layout } ?? TextLayout(text, width: columns)
        layouts = layouts.suffix(Self.maximumLayouts - 1) + [(columns, layout)]
        return layout
    }
}
