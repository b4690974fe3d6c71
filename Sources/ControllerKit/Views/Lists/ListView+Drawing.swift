internal import FoundationEssentials
import StateRestoration

extension ListView {
    /// Maximum number of drawn lines.
    private static let maximumLineCount = 1000

    func drawElements(on canvas: inout TextCanvas) {
        let layout = currentLayout()
        guard let dataSource, layout.count > 0 else { return canvas.centered("· empty ·") }
        let selectedIndexPaths = Set(selection.map(\.indexPath))
        let lines = visibleLines(layout, height: canvas.remainingHeight)
        for line in lines {
            let start = line * elementsPerLine
            let elementNumbers = start..<min(start + elementsPerLine, layout.count)
            let elements = elementNumbers.compactMap(layout.indexPath).map { indexPath in
                makeDrawnElement(
                    indexPath, of: dataSource, isSelected: selectedIndexPaths.contains(indexPath))
            }
            let firstCanvasLine = canvas.lines.count
            let columns = drawLine(elements, on: &canvas)
            for (index, columns) in columns.enumerated() where index < elements.count {
                canvas.addPart(
                    .element(start + index, isSelected: elements[index].isSelected), of: self,
                    lines: firstCanvasLine..<canvas.lines.count, columns: columns)
            }
        }
        if lines.count < lineCount(layout) {
            let firstNumber = lines.lowerBound * elementsPerLine + 1
            let lastNumber = min(lines.upperBound * elementsPerLine, layout.count)
            let rangeText =
                firstNumber == lastNumber ? "\(firstNumber)" : "\(firstNumber)–\(lastNumber)"
            canvas.centered("· \(rangeText) of \(layout.count) ·")
            canvas.addPart(.visibleRange)
        }
    }

    /// Returns the visible lines.
    ///
    /// - Parameter drawnHeight: Number of lines that the drawing leaves for the list, or `nil` to draw the list at its
    ///   visible size. The list is never drawn with fewer lines than its visible size.
    private func visibleLines(_ layout: ListLayout, height drawnHeight: Int? = nil) -> Range<Int> {
        let lineCount = lineCount(layout)
        var firstLine = firstVisibleLine(layout)
        var height = Int(flooring: visibleSize.height).clamped(1, Self.maximumLineCount)
        if let drawnHeight {
            // If some of the elements are not visible, the last line states the visible range.
            height = max(height, lineCount <= drawnHeight ? drawnHeight : drawnHeight - 1)
                .clamped(1, Self.maximumLineCount)
            firstLine = min(firstLine, max(0, lineCount - height))
        }
        return firstLine..<min(firstLine + height, lineCount)
    }

    /// Returns the visible elements with their numbers, text and model identifiers.
    func inspectedElements(_ layout: ListLayout) -> StoredValue {
        guard let dataSource, layout.count > 0 else { return .array([]) }
        let lines = visibleLines(layout)
        let endNumber = min(lines.upperBound * elementsPerLine, layout.count)
        let elements = (lines.lowerBound * elementsPerLine..<endNumber).map {
            number -> StoredValue in
            var element: [String: StoredValue] = ["index": .integer(Int64(number))]
            guard let indexPath = layout.indexPath(of: number) else { return .dictionary(element) }
            element["text"] = .string(dataSource.listView(self, elementAt: indexPath).text)
            element["modelIdentifier"] =
                modelAssociation?.modelIdentifierForElement(at: indexPath, in: self).map {
                    .string($0)
                }
            return .dictionary(element)
        }
        return .array(elements)
    }

    private func makeDrawnElement(
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
