/// A list of rows, one a line. Preserves its selection, its first visible row and its edit mode (V2).
open class TableView: ListView {
    /// A mark if it is selected, the text, and the detail at the right edge.
    override func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas) {
        guard let row = elements.first else { return }
        var detail = TextCanvas(width: canvas.width / 2)
        detail.trailing(row.element.detail)
        let trailing = [String(detail.lines[0].drop { $0 == " " }), row.movement]
        canvas.line(
            row.deletion + row.mark + row.element.text,
            trailing: trailing.filter { !$0.isEmpty }.joined(separator: " "))
    }
}
