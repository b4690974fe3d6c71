internal import FoundationEssentials
import StateRestoration

/// The drawn parts of a list element.
struct DrawnElement {
    /// The element's text, from the data source.
    var element: ListElement
    /// Whether the element is selected.
    var isSelected: Bool
    /// The mark before the text, which shows whether the element is selected.
    ///
    /// The mark has the same width for every element of a list.
    var mark: String
    /// The sign before the mark, which shows whether the user can delete the element, or an empty string outside edit
    /// mode.
    var deletion: String
    /// The sign after the text, which shows whether the user can move the element, or an empty string outside edit
    /// mode.
    var movement: String
}

extension ListView {
    /// Maximum number of drawn lines.
    private static let maximumLines = 1000

    func drawElements(on canvas: inout TextCanvas) {
        let layout = currentLayout()
        guard let dataSource, layout.count > 0 else { return canvas.centered("· empty ·") }
        let selected = Set(selection.map(\.indexPath))
        let lines = visibleLines(layout)
        for line in lines {
            let start = line * elementsPerLine
            let numbers = start..<min(start + elementsPerLine, layout.count)
            let elements = numbers.compactMap(layout.indexPath).map { place in
                drawn(place, of: dataSource, isSelected: selected.contains(place))
            }
            let first = canvas.lines.count
            let columns = drawLine(elements, on: &canvas)
            for (index, columns) in columns.enumerated() where index < elements.count {
                canvas.addPart(
                    .element(start + index, isChosen: elements[index].isSelected), of: self,
                    lines: first..<canvas.lines.count, columns: columns)
            }
        }
        if lines.count < lineCount(layout) {
            let first = lines.lowerBound * elementsPerLine + 1
            let last = min(lines.upperBound * elementsPerLine, layout.count)
            let range = first == last ? "\(first)" : "\(first)–\(last)"
            canvas.centered("· \(range) of \(layout.count) ·")
            canvas.addPart(.position)
        }
    }

    /// Returns the visible lines.
    private func visibleLines(_ layout: ListLayout) -> Range<Int> {
        let first = firstVisibleLine(layout)
        let height = Int(whole: visibleSize.height).clamped(1, Self.maximumLines)
        return first..<min(first + height, lineCount(layout))
    }

    /// Returns the visible elements with their numbers, text and model identifiers.
    func inspectedElements(_ layout: ListLayout) -> StoredValue {
        guard let dataSource, layout.count > 0 else { return .array([]) }
        let lines = visibleLines(layout)
        let last = min(lines.upperBound * elementsPerLine, layout.count)
        let elements = (lines.lowerBound * elementsPerLine..<last).map { number -> StoredValue in
            var element: [String: StoredValue] = ["index": .integer(Int64(number))]
            guard let place = layout.indexPath(of: number) else { return .dictionary(element) }
            element["text"] = .string(dataSource.listView(self, elementAt: place).text)
            element["modelIdentifier"] =
                association?.modelIdentifierForElement(at: place, in: self).map { .string($0) }
            return .dictionary(element)
        }
        return .array(elements)
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
            element: dataSource.listView(self, elementAt: place), isSelected: isSelected,
            mark: mark,
            deletion: deletion, movement: movement)
    }
}
