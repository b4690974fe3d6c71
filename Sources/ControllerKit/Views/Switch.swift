public import StateRestoration

/// A switch, which is on or off.
///
/// It preserves this state (V7).
open class Switch: Control, Tappable {
    /// Whether the switch is on.
    public var isOn = false {
        didSet { if isOn != oldValue { restorableStateDidChange() } }
    }

    /// Handles a tap by the user: toggles the switch and runs the actions for a changed value, then for the primary
    /// action.
    open func tap() throws(OperationError) {
        try requireEnabled()
        isOn.toggle()
        sendActions(for: .valueChanged)
        sendActions(for: .primaryActionTriggered)
    }

    /// Draws a knob on the left or right, and the word "on" or "off".
    open override func draw(on canvas: inout TextCanvas) {
        canvas.line(isOn ? "[ ●] on" : "[● ] off")
    }

    /// The property `isOn`, and the properties of a control.
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
