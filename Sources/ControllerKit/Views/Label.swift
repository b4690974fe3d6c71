/// A view that shows text.
///
/// A label preserves nothing, because its controller sets the text.
open class Label: View {
    /// The text of the label.
    public var text = ""
    /// Maximum number of lines, or 0 for no limit.
    public var numberOfLines = 1 {
        didSet { numberOfLines = max(0, numberOfLines) }
    }
    /// Alignment of the lines.
    public var textAlignment = TextAlignment.left

    /// Creates a label with a text.
    ///
    /// - Parameters:
    ///   - text: The text of the label.
    ///   - numberOfLines: Maximum number of lines, or 0 for no limit.
    public convenience init(text: String, numberOfLines: Int = 1) {
        self.init()
        self.text = text
        self.numberOfLines = max(0, numberOfLines)
    }

    /// Draws the text, wrapped to the width.
    ///
    /// Text that exceeds the maximum number of lines is cut off and ends in `…`.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.text(text, limit: numberOfLines, alignment: textAlignment)
    }

    /// The text, the maximum number of lines, and the alignment.
    open override var properties: [Property] {
        [
            Property("text", of: self, \.text),
            Property("numberOfLines", of: self, \.numberOfLines, in: 0...1000),
            Property("textAlignment", of: self, \.textAlignment),
        ] + super.properties
    }
}
