import ExactText
public import StateRestoration

/// One line of text that a person edits.
///
/// Preserves its selection (V4). The text itself is its controller's to encode, as in UIKit:
/// ``RestorableText`` does it in one line.
open class TextField: Control, TextInput, TextHolding {
    private var content = EditedText()

    /// The text. Setting it puts the caret behind it.
    public var text: String {
        get { content.text }
        set {
            content.text = newValue
            restorableStateDidChange()
        }
    }

    /// Whether the view saves its text by itself; else it is its controller's to encode (V4).
    public var preservesText = false {
        didSet { if preservesText != oldValue { invalidateRestorableState() } }
    }

    /// The text that an empty field shows.
    public var placeholder = ""

    /// The selected characters (grapheme clusters), counted from 0; an empty range is the caret.
    public var selectedRange: Range<Int> { content.selectedRange }

    /// Selects characters.
    ///
    /// - Returns: false, and nothing changed, if the range does not fit the text.
    @discardableResult
    public func select(_ range: Range<Int>) -> Bool {
        guard content.select(range) else { return false }
        restorableStateDidChange()
        return true
    }

    // MARK: What a person does

    /// A person types, and the actions for an edit run.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        try requireEnabled()
        content.type(text, appending: appending)
        restorableStateDidChange()
        sendActions(for: .editingChanged)
    }

    /// A person selects characters, or places the caret.
    open func chooseText(_ range: Range<Int>) throws(OperationError) {
        try requireEnabled()
        guard select(range) else { throw content.misfit(range) }
    }

    /// A person presses a key, and the actions for an edit run if the text is another then. A line
    /// break is written as a space.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        try requireEnabled()
        var edit = edit
        if case .insertText(let text) = edit {
            edit = .insertText(String(text.map { $0.isNewline ? " " : $0 }))
        }
        let before = text
        content.apply(edit)
        restorableStateDidChange()
        if text != before { sendActions(for: .editingChanged) }
    }

    // MARK: Drawing

    /// A box with the text and the caret, or the selection in guillemets.
    open override func draw(on canvas: inout TextCanvas) {
        var inside = canvas.boxed
        var line = content.line(columns: inside.width)
        if text.isEmpty { line.text += placeholder }
        inside.line(line)
        canvas.box(inside)
    }

    // MARK: Storyboard

    /// The text, its placeholder and the selection.
    open override var properties: [Property] {
        [
            Property("text", of: self, \.text),
            Property("preservesText", of: self, \.preservesText, isShown: false),
            Property("placeholder", of: self, \.placeholder),
            Property("selectedRange", .range(self.selectedRange)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores the selection (V4).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        if preservesText { coder.encode(text, forKey: "text") }
        coder.encode(selectedRange, forKey: "selectedRange")
    }

    /// Takes the text back if the view saves it, and the selection.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if preservesText, let text = try coder.decode(String.self, forKey: "text") {
            self.text = text
        }
        if let range = try coder.decode(Range<Int>.self, forKey: "selectedRange") {
            content.restore(range)
        }
    }

    /// Everything is there again: a selection that still does not fit the text is dropped (V4).
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        content.endRestoring()
    }
}
