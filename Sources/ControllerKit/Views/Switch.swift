public import StateRestoration

/// A control that is either on or off.
///
/// A switch preserves whether it is on (V7).
open class Switch: Control, Tappable {
    /// Whether the switch is on.
    public var isOn = false {
        didSet { if isOn != oldValue { restorableStateDidChange() } }
    }

    /// Toggles the switch on behalf of the user and runs its actions.
    ///
    /// The actions for ``Control/Event/valueChanged`` run first, followed by the actions for
    /// ``Control/Event/primaryActionTriggered``.
    open func tap() throws(OperationError) {
        try requireEnabled()
        isOn.toggle()
        sendActions(for: .valueChanged)
        sendActions(for: .primaryActionTriggered)
    }

    /// Draws a knob on the left or on the right, followed by the word "on" or "off".
    open override func draw(on canvas: inout TextCanvas) {
        canvas.line(isOn ? "[ ●] on" : "[● ] off")
    }

    /// Returns a single switch element.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var element = AccessibilityElement(.switch, target: self)
        element.isEnabled = isEnabled
        element.isSelected = isOn
        element.actions = [.tap]
        return [element]
    }

    /// The `isOn` property and the properties inherited from ``Control``.
    open override var properties: [Property] {
        [Property("isOn", of: self, \.isOn)] + super.properties
    }

    /// Encodes whether the switch is on (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(isOn, forKey: "isOn")
    }

    /// Decodes whether the switch was on, without running actions.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let value = try coder.decode(Bool.self, forKey: "isOn") { isOn = value }
    }
}
