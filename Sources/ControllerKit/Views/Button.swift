public import StateRestoration

/// A title that a person taps.
open class Button: Control, Tappable {
    /// The button's text.
    public var title = ""

    /// A button with a title and what it does.
    public convenience init(title: String, action: (() -> Void)? = nil) {
        self.init()
        self.title = title
        if let action { addAction(for: .primaryActionTriggered, action) }
    }

    /// A person taps: the actions for the primary action run.
    open func tap() throws(OperationError) {
        try requireEnabled()
        sendActions(for: .primaryActionTriggered)
    }

    /// The title in angle brackets; in parentheses if the button takes no taps.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.line(drawnTitle)
    }

    /// The title as it is drawn.
    var drawnTitle: String { isEnabled ? "‹\(title)›" : "(\(title))" }

    /// The title.
    open override var inspectedProperties: [String: Value] {
        super.inspectedProperties.merging(["title": .string(title)], uniquingKeysWith: { $1 })
    }

    /// Sets `title`.
    open override func setProperty(
        _ name: String, to value: PropertyValue
    ) throws(PropertyError) {
        switch name {
        case "title": title = try value.string()
        default:
            try inherited(["title"], try super.setProperty(name, to: value))
        }
    }
}
