internal import FoundationEssentials
import StateRestoration

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
            let elements = numbers.compactMap(layout.indexPath).map { indexPath in
                drawn(indexPath, of: dataSource, isSelected: selected.contains(indexPath))
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
        let height = Int(flooring: visibleSize.height).clamped(1, Self.maximumLines)
        return first..<min(first + height, lineCount(layout))
    }

    /// Returns the visible elements with their numbers, text and model identifiers.
    func inspectedElements(_ layout: ListLayout) -> StoredValue {
        guard let dataSource, layout.count > 0 else { return .array([]) }
        let lines = visibleLines(layout)
        let last = min(lines.upperBound * elementsPerLine, layout.count)
        let elements = (lines.lowerBound * elementsPerLine..<last).map { number -> StoredValue in
            var element: [String: StoredValue] = ["index": .integer(Int64(number))]
            guard let indexPath = layout.indexPath(of: number) else { return .dictionary(element) }
            element["text"] = .string(dataSource.listView(self, elementAt: indexPath).text)
            element["modelIdentifier"] =
                association?.modelIdentifierForElement(at: indexPath, in: self).map { .string($0) }
            return .dictionary(element)
        }
        return .array(elements)
    }

    private func drawn(
        _ indexPath: IndexPath, of dataSource: any ListViewDataSource, isSelected: Bool
    ) -> DrawnElement {
        let allowsMany = allowsMultipleSelection || isEditing
        let selectionMark = isSelected ? (allowsMany ? "● " : "› ") : (allowsMany ? "○ " : "  ")
        var deleteSign = ""
        var moveSign = ""
        if isEditing {
            deleteSign = dataSource.listView(self, canEditElementAt: indexPath) ? "⊖ " : "  "
            moveSign = dataSource.listView(self, canMoveElementAt: indexPath) ? "≡" : " "
        }
        return DrawnElement(
            element: dataSource.listView(self, elementAt: indexPath), isSelected: isSelected,
            selectionMark: selectionMark,
            deleteSign: deleteSign, moveSign: moveSign)
    }
}
