import ExactText
public import StateRestoration

/// A field for one line of secret text.
///
/// The text, its length and the selection are never saved, printed or reported (P15). The field is empty after a
/// launch.
open class SecureTextField: Control, TextInput {
    /// The text that the user has typed.
    ///
    /// The value is `nil` if the field is empty.
    public var secret = Sensitive<String>() {
        didSet { if secret.value?.isEmpty == true { secret.value = nil } }
    }

    /// The text that the field shows while it is empty.
    public var placeholder = ""

    // MARK: User operations

    /// Replaces or extends the text on behalf of the user and runs the actions for ``Control/Event/editingChanged``.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        try requireEnabled()
        secret.value = (appending ? secret.value ?? "" : "") + text
        sendActions(for: .editingChanged)
    }

    /// Throws an error, because a valid range would reveal the length of the text.
    open func selectText(_ range: Range<Int>) throws(OperationError) {
        throw .notPossible("its text is secret: it can only be replaced")
    }

    /// Appends to the text, deletes its last character, or deletes the entire text, in response to a key press.
    ///
    /// The caret is always at the end, because its position would reveal information about the text.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        let text = secret.value ?? ""
        switch edit {
        case .insertText(let insertedText): try type(insertedText, appending: true)
        case .delete(.left): try type(String(text.dropLast()), appending: false)
        case .delete(.beginningOfLine), .delete(.wordLeft): try type("", appending: false)
        default: throw .notPossible("its text is secret: it can only be replaced")
        }
    }

    // MARK: Drawing

    /// Draws a box with a fixed number of dots, or with the placeholder if the field is empty.
    open override func draw(on canvas: inout TextCanvas) {
        let dots = secret.value == nil ? "" : "••••••••"
        var boxCanvas = canvas.boxed
        boxCanvas.line(
            MarkedLine(
                dots, markedText: "▏", as: .caret, secret.value == nil ? placeholder : ""))
        canvas.box(boxCanvas)
    }

    /// Returns a single text box element, without a value.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var element = AccessibilityElement(.textbox, target: self)
        element.isEnabled = isEnabled
        element.placeholder = placeholder.isEmpty ? nil : placeholder
        element.text = AccessibilityText()
        element.text?.isSecret = true
        element.actions = [.type]
        return [element]
    }

    // MARK: Storyboard

    /// The placeholder.
    ///
    /// The secret text is not included.
    open override var properties: [Property] {
        [Property("placeholder", of: self, \.placeholder)] + super.properties
    }
}
