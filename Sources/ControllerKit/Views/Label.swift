public import StateRestoration

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
    /// - Parameter numberOfLines: the most lines that it takes; 0: as many as the text has.
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
    open override var inspectedProperties: [String: Value] {
        super.inspectedProperties.merging(
            [
                "text": .string(text), "numberOfLines": .integer(Int64(numberOfLines)),
                "textAlignment": .string(textAlignment.rawValue),
            ], uniquingKeysWith: { $1 })
    }

    /// Sets `text`, `numberOfLines` or `textAlignment`.
    open override func setProperty(
        _ name: String, to value: PropertyValue
    ) throws(PropertyError) {
        switch name {
        case "text": text = try value.string()
        case "numberOfLines": numberOfLines = try value.integer(in: 0...1000)
        case "textAlignment":
            guard let alignment = TextAlignment(rawValue: try value.string()) else {
                let words = TextAlignment.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidValue("one of \(words) is wanted")
            }
            textAlignment = alignment
        default:
            let known = ["text", "numberOfLines", "textAlignment"]
            try inherited(known, try super.setProperty(name, to: value))
        }
    }
}
