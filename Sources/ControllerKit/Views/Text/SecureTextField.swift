import ExactText
public import StateRestoration

/// One line of secret text that a person types.
///
/// Nothing of it is ever saved, printed or told: not the text, nor its length, nor what is selected
/// (P15). It comes back empty.
open class SecureTextField: Control, TextInput {
    /// The typed text; its value is nil if nothing was typed.
    public var secret = Sensitive<String>() {
        didSet { if secret.value?.isEmpty == true { secret.value = nil } }
    }

    /// The text that an empty field shows.
    public var placeholder = ""

    // MARK: What a person does

    /// A person types, and the actions for an edit run.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        try requireEnabled()
        secret.value = (appending ? secret.value ?? "" : "") + text
        sendActions(for: .editingChanged)
    }

    /// Not possible: what fits would tell how long the text is.
    open func chooseText(_ range: Range<Int>) throws(OperationError) {
        throw .notPossible("its text is secret: it can only be replaced")
    }

    /// A person presses a key: writes behind the text, deletes its last character, or all of it. Where
    /// the caret is would tell of the text, so that it is always behind it.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        let text = secret.value ?? ""
        switch edit {
        case .insertText(let new): try type(new, appending: true)
        case .delete(.left): try type(String(text.dropLast()), appending: false)
        case .delete(.beginningOfLine), .delete(.wordLeft): try type("", appending: false)
        default: throw .notPossible("its text is secret: it can only be replaced")
        }
    }

    // MARK: Drawing

    /// A box with as many dots for any text; an empty field shows its placeholder.
    open override func draw(on canvas: inout TextCanvas) {
        let dots = secret.value == nil ? "" : "••••••••"
        var inside = canvas.boxed
        inside.line(
            MarkedLine(dots, marked: "▏", as: .caret, secret.value == nil ? placeholder : ""))
        canvas.box(inside)
    }

    // MARK: Storyboard

    /// The placeholder, and nothing of the text.
    open override var properties: [Property] {
        [Property("placeholder", of: self, \.placeholder)] + super.properties
    }
}
