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
        throw .notPossible("its text is secret: only type it anew")
    }

    // MARK: Drawing

    /// A box with as many dots for any text; an empty field shows its placeholder.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.box(secret.value == nil ? "▏\(placeholder)" : "••••••••▏")
    }

    // MARK: Storyboard

    /// The placeholder, and nothing of the text.
    open override var properties: [Property] {
        [Property("placeholder", of: self, \.placeholder)] + super.properties
    }
}
