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

    /// `title`.
    open override var properties: [Property] {
        [Property("title", of: self, \.title)] + super.properties
    }
}
