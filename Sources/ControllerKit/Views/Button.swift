/// A control with a title that the user can tap.
open class Button: Control, Tappable {
    /// The text on the button.
    public var title = ""

    /// Creates a button with a title and a tap action.
    ///
    /// - Parameters:
    ///   - title: The text on the button.
    ///   - action: The closure to run when the user taps the button, or `nil` for no action.
    public convenience init(title: String, action: (() -> Void)? = nil) {
        self.init()
        self.title = title
        if let action { addAction(for: .primaryActionTriggered, action) }
    }

    /// Taps the button on behalf of the user and runs the actions for ``Control/Event/primaryActionTriggered``.
    open func tap() throws(OperationError) {
        try requireEnabled()
        sendActions(for: .primaryActionTriggered)
    }

    /// Draws the title in angle brackets, or in parentheses if the button is disabled.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.line(drawnTitle)
    }

    /// The title with the brackets or parentheses that are drawn around it.
    var drawnTitle: String { isEnabled ? "‹\(title)›" : "(\(title))" }

    /// Returns a single button element.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var element = AccessibilityElement(.button, label: title, target: self)
        element.isEnabled = isEnabled
        element.actions = [.tap]
        return [element]
    }

    /// The `title` property and the properties inherited from ``Control``.
    open override var properties: [Property] {
        [Property("title", of: self, \.title)] + super.properties
    }
}
