/// A list that shows several items side by side on each line.
///
/// A collection view preserves the same state as any other list (V2).
///
/// The items of all sections flow from left to right and from line to line. The first visible item is the first item on
/// the first visible line.
open class CollectionView: ListView {
    /// Maximum number of columns.
    public static let maximumColumns = 100

    /// Number of items on each line, from 1 to ``maximumColumns``.
    public var columns = 2 {
        didSet {
            columns = min(max(columns, 1), Self.maximumColumns)
            if columns != oldValue { elementsPerLineDidChange(from: oldValue) }
        }
    }

    override var elementsPerLine: Int { columns }

    override var accessibilityRoles: (list: AccessibilityRole, element: AccessibilityRole) {
        (.listbox, .option)
    }

    /// Draws the text of each item after a mark that shows whether the item is selected.
    override func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas)
        -> [Range<Int>]
    {
        var cells = canvas.columns(columns, separator: " ")
        for (index, item) in elements.enumerated() where index < cells.count {
            cells[index].line(
                item.deleteSign + item.selectionMark + item.element.text, trailing: item.moveSign)
        }
        canvas.sideBySide(cells, separator: " ")
        var column = 0
        return cells.map { cell in
            defer { column += cell.width + 1 }
            return column..<column + cell.width
        }
    }

    /// The number of columns and the properties inherited from ``ListView``.
    open override var properties: [Property] {
        [Property("columns", of: self, \.columns, in: 1...Self.maximumColumns)] + super.properties
    }
}
