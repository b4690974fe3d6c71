/// A view that shows text.
///
/// A label has no state to preserve, because its controller sets the text.
open class Label: View {
    /// The label's text.
    public var text = ""
    /// Maximum number of lines, or 0 for no limit.
    public var numberOfLines = 1 {
        didSet { numberOfLines = max(0, numberOfLines) }
    }
    /// Alignment of the lines.
    public var textAlignment = TextAlignment.left

    /// Creates a label with the given text.
    ///
    /// - Parameters:
    ///   - text: The label's text.
    ///   - numberOfLines: Maximum number of lines, or 0 for no limit.
    public convenience init(text: String, numberOfLines: Int = 1) {
        self.init()
        self.text = text
        self.numberOfLines = max(0, numberOfLines)
    }

    /// Draws the text, wrapped to the width of the canvas.
    ///
    /// Text that exceeds the maximum number of lines is cut off and ends in `…`.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.text(text, limit: numberOfLines, alignment: textAlignment)
    }

    /// Returns a text element, or no element if the text is empty.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        if text.isEmpty { return [] }
        var element = AccessibilityElement(.text)
        element.value = text
        return [element]
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
