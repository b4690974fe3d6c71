extension TextCanvas {
    /// Draws a view and records its position, so that the user can click the view.
    public mutating func draw(_ view: View) {
        let firstLine = lines.count
        visibleOrigin = nil
        view.draw(on: &self)
        addPart(.view, of: view, lines: firstLine..<lines.count, visibleOrigin: visibleOrigin)
        visibleOrigin = nil
    }

    /// Draws views one below the other.
    ///
    /// If the canvas has a height, the views with scrollable content share the lines that the other views do not use.
    /// If one of these views needs fewer lines than its share, the others get more.
    mutating func draw(_ views: [View]) {
        guard var remainingHeight, views.contains(where: \.fillsHeight) else {
            for view in views { draw(view) }
            return
        }
        var drawings = views.map { view in
            var drawing = TextCanvas(width: width)
            if !view.fillsHeight { drawing.draw(view) }
            return drawing
        }
        remainingHeight -= drawings.reduce(0) { $0 + $1.lines.count }
        var fillingIndexes = views.indices.filter { views[$0].fillsHeight }
        if fillingIndexes.count > 1 {
            let heights = views.map { $0.fillsHeight ? $0.contentHeight(columns: width) : 0 }
            fillingIndexes.sort { heights[$0] < heights[$1] }
        }
        for (drawnCount, index) in fillingIndexes.enumerated() {
            drawings[index].height = max(1, remainingHeight / (fillingIndexes.count - drawnCount))
            drawings[index].draw(views[index])
            remainingHeight -= drawings[index].lines.count
        }
        for drawing in drawings { append(drawing) }
    }

    /// Draws content and reserves lines for other content below it.
    mutating func drawReservingLines(_ lineCount: Int, below draw: (inout TextCanvas) -> Void) {
        let fullHeight = height
        height = fullHeight.map { $0 - lineCount }
        draw(&self)
        height = fullHeight
    }
}
