public import StateRestoration

/// One line of text that a person edits.
///
/// Preserves its selection (V4). The text itself is its controller's to encode, as in UIKit.
open class TextField: Control {
    /// The text. Setting it puts the caret behind it.
    public var text = "" {
        didSet {
            selectedRange = text.count..<text.count
            restorableStateDidChange()
        }
    }

    /// What an empty field shows.
    public var placeholder = ""

    /// The selected characters (grapheme clusters), counted from 0; an empty range is the caret.
    public private(set) var selectedRange = 0..<0

    /// Selects characters.
    ///
    /// - Returns: false, and nothing changed, if the range does not fit the text.
    @discardableResult
    public func select(_ range: Range<Int>) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= text.count else { return false }
        selectedRange = range
        restorableStateDidChange()
        return true
    }

    /// A person types: the whole text is replaced, and the actions for an edit run.
    public func type(_ newText: String) {
        text = newText
        sendActions(for: .editingChanged)
    }

    /// A box with the text and the caret, or the selection in guillemets.
    open override func draw(on canvas: inout TextCanvas) {
        let characters = Array(text)
        var shown = String(characters[..<selectedRange.lowerBound])
        if selectedRange.isEmpty {
            shown += "▏"
        } else {
            shown += "«" + String(characters[selectedRange]) + "»"
        }
        shown += String(characters[selectedRange.upperBound...])
        if text.isEmpty { shown += placeholder }
        canvas.box(shown)
    }

    /// The text, its placeholder and the selection.
    open override var inspectedProperties: [String: Value] {
        super.inspectedProperties.merging(
            [
                "text": .string(text), "placeholder": .string(placeholder),
                "selectedRange": .range(selectedRange),
            ], uniquingKeysWith: { $1 })
    }

    /// Sets `text` or `placeholder`.
    open override func setProperty(
        _ name: String, to value: PropertyValue
    ) throws(PropertyError) {
        switch name {
        case "text": text = try value.string()
        case "placeholder": placeholder = try value.string()
        default:
            try inherited(["text", "placeholder"]) { () throws(PropertyError) in
                try super.setProperty(name, to: value)
            }
        }
    }

    /// Stores the selection (V4).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(selectedRange, forKey: "selectedRange")
    }

    /// Takes the selection back. One that no longer fits the text is dropped (V4).
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let range = try coder.decode(Range<Int>.self, forKey: "selectedRange") {
            select(range)
        }
    }
}
