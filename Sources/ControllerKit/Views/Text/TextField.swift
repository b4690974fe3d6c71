import ExactText
public import StateRestoration

/// A field for one line of text that the user can edit.
///
/// A text field preserves its selection (V4). As in UIKit, its controller encodes the text. ``RestorableText`` does
/// this for the controller.
open class TextField: Control, TextInput, RestorableTextInput {
    private var editedText = EditedText()

    /// The text.
    ///
    /// Setting the text moves the caret to the end.
    public var text: String {
        get { editedText.text }
        set {
            editedText.text = newValue
            restorableStateDidChange()
        }
    }

    /// Whether the view saves its text itself.
    ///
    /// If the value is `false`, the view's controller encodes the text (V4).
    public var preservesText = false {
        didSet { if preservesText != oldValue { invalidateRestorableState() } }
    }

    /// The text that the field shows while it is empty.
    public var placeholder = ""

    /// The zero-based range of selected characters (grapheme clusters).
    ///
    /// An empty range is the position of the caret.
    public var selectedRange: Range<Int> { editedText.selectedRange }

    /// Selects characters.
    ///
    /// - Returns: `false` if nothing changed because the range does not fit the text.
    @discardableResult
    public func select(_ range: Range<Int>) -> Bool {
        guard editedText.select(range) else { return false }
        restorableStateDidChange()
        return true
    }

    // MARK: User operations

    /// Replaces or extends the text on behalf of the user and runs the actions for ``Control/Event/editingChanged``.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        try requireEnabled()
        editedText.type(text, appending: appending)
        restorableStateDidChange()
        sendActions(for: .editingChanged)
    }

    /// Selects characters or moves the caret on behalf of the user.
    open func selectText(_ range: Range<Int>) throws(OperationError) {
        try requireEnabled()
        guard select(range) else { throw editedText.outOfRangeError(range) }
    }

    /// Performs an edit on behalf of the user.
    ///
    /// If the text changed, the actions for ``Control/Event/editingChanged`` run.
    ///
    /// Line breaks in inserted text are replaced by spaces.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        try requireEnabled()
        var edit = edit
        if case .insertText(let text) = edit {
            edit = .insertText(String(text.map { $0.isNewline ? " " : $0 }))
        }
        let previousText = text
        editedText.apply(edit)
        restorableStateDidChange()
        if text != previousText { sendActions(for: .editingChanged) }
    }

    // MARK: Drawing

    /// Draws a box that contains the text with the caret, or with guillemets around the selection.
    open override func draw(on canvas: inout TextCanvas) {
        var boxCanvas = canvas.boxed
        var line = editedText.line(columns: boxCanvas.width)
        if text.isEmpty { line.text += placeholder }
        boxCanvas.line(line)
        canvas.box(boxCanvas)
    }

    /// Returns a single text box element.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var element = AccessibilityElement(.textbox, target: self)
        element.isEnabled = isEnabled
        element.value = text
        element.placeholder = placeholder.isEmpty ? nil : placeholder
        element.text = AccessibilityText()
        element.text?.selection = selectedRange
        element.actions = [.replaceText]
        return [element]
    }

    // MARK: Storyboard

    /// The text, the placeholder, and the selection.
    open override var properties: [Property] {
        [
            Property("text", of: self, \.text),
            Property("preservesText", of: self, \.preservesText, isShown: false),
            Property("placeholder", of: self, \.placeholder),
            Property("selectedRange", .range(self.selectedRange)),
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the selection (V4), and the text if ``preservesText`` is `true`.
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        if preservesText { coder.encode(text, forKey: "text") }
        coder.encode(selectedRange, forKey: "selectedRange")
    }

    /// Decodes the selection, and the text if ``preservesText`` is `true`.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if preservesText, let text = try coder.decode(String.self, forKey: "text") {
            self.text = text
        }
        if let range = try coder.decode(Range<Int>.self, forKey: "selectedRange") {
            editedText.restore(range)
        }
    }

    /// Discards the saved selection if it still does not fit the text (V4).
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        editedText.finishRestoration()
    }
}
