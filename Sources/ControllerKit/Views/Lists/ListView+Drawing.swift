internal import FoundationEssentials

/// What is drawn of one element of a list.
struct DrawnElement {
    /// What the data source says of it.
    var element: ListElement
    /// Whether it is selected: a mark before it, as wide for every element of a list.
    var mark: String
    /// Whether a person may delete it now: a sign before the mark.
    var deletion: String
    /// Whether a person may move it now: a sign behind everything.
    var movement: String
}

extension ListView {
    /// The most lines that are drawn.
    private static let mostLines = 1000

    func drawElements(on canvas: inout TextCanvas) {
        let layout = currentLayout()
        guard let dataSource, layout.count > 0 else { return canvas.centered("· empty ·") }
        let selected = Set(selection.map(\.indexPath))
        let firstLine = firstVisibleLine(layout)
        let height = Int(whole: visibleSize.height).clamped(1, Self.mostLines)
        let lines = firstLine..<min(firstLine + height, lineCount(layout))
        for line in lines {
            let start = line * elementsPerLine
            let elements = start..<min(start + elementsPerLine, layout.count)
            drawLine(
                elements.compactMap(layout.indexPath).map { place in
                    drawn(place, of: dataSource, isSelected: selected.contains(place))
                }, on: &canvas)
        }
        if lines.count < lineCount(layout) {
            let first = firstLine * elementsPerLine + 1
            let last = min(lines.upperBound * elementsPerLine, layout.count)
            let range = first == last ? "\(first)" : "\(first)–\(last)"
            canvas.centered("· \(range) of \(layout.count) ·")
        }
    }

    private func drawn(
        _ place: IndexPath, of dataSource: any ListViewDataSource, isSelected: Bool
    ) -> DrawnElement {
        let canBeMany = allowsMultipleSelection || isEditing
        let mark = isSelected ? (canBeMany ? "● " : "› ") : (canBeMany ? "○ " : "  ")
        var deletion = ""
        var movement = ""
        if isEditing {
            deletion = dataSource.listView(self, canEditElementAt: place) ? "⊖ " : "  "
            movement = dataSource.listView(self, canMoveElementAt: place) ? "≡" : " "
        }
        return DrawnElement(
            element: dataSource.listView(self, elementAt: place), mark: mark,
            deletion: deletion, movement: movement)
    }
}
