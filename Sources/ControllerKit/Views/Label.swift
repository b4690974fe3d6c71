/// A text that a person reads. It preserves nothing: its controller sets it.
open class Label: View {
    /// The text.
    public var text = ""
    /// The most lines that it takes; 0: as many as the text has.
    public var numberOfLines = 1 {
        didSet { numberOfLines = max(0, numberOfLines) }
    }
    /// Where the lines stand.
    public var textAlignment = TextAlignment.left

    /// A label with a text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - numberOfLines: the most lines that it takes; 0: as many as the text has.
    public convenience init(text: String, numberOfLines: Int = 1) {
        self.init()
        self.text = text
        self.numberOfLines = max(0, numberOfLines)
    }

    /// The text, broken to the width. What the lines do not hold is cut, and `…` stands for it.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.text(text, limit: numberOfLines, alignment: textAlignment)
    }

    /// The text, its lines and where they stand.
    open override var properties: [Property] {
        [
            Property("text", of: self, \.text),
            Property("numberOfLines", of: self, \.numberOfLines, in: 0...1000),
            Property("textAlignment", of: self, \.textAlignment),
        ] + super.properties
    }
}
