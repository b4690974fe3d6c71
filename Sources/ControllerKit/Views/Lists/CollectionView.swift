/// A list of items, several side by side. Preserves what every list does (V2).
///
/// The items flow from left to right and from line to line, through all sections. The first visible
/// item is the first of the first visible line.
open class CollectionView: ListView {
    /// The most items side by side.
    public static let mostColumns = 100

    /// How many items stand side by side; at least 1, at most ``mostColumns``.
    public var columns = 2 {
        didSet {
            columns = min(max(columns, 1), Self.mostColumns)
            if columns != oldValue { elementsPerLineDidChange(from: oldValue) }
        }
    }

    override var elementsPerLine: Int { columns }

    /// A mark if it is selected and the text, for each item.
    override func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas)
        -> [Range<Int>]
    {
        var cells = canvas.columns(columns, separator: " ")
        for (index, item) in elements.enumerated() where index < cells.count {
            cells[index].line(
                item.deletion + item.mark + item.element.text, trailing: item.movement)
        }
        canvas.sideBySide(cells, separator: " ")
        var column = 0
        return cells.map { cell in
            defer { column += cell.width + 1 }
            return column..<column + cell.width
        }
    }

    /// How many items stand side by side, and the properties of a list.
    open override var properties: [Property] {
        [Property("columns", of: self, \.columns, in: 1...Self.mostColumns)] + super.properties
    }
}
