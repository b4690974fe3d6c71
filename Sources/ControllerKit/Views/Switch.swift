public import StateRestoration

/// On or off. Preserves which (V7).
open class Switch: Control, Tappable {
    /// Whether it is on.
    public var isOn = false {
        didSet { if isOn != oldValue { restorableStateDidChange() } }
    }

    /// A person taps: it is turned over, and the actions for a changed value run, then those for
    /// the primary action.
    open func tap() throws(OperationError) {
        try requireEnabled()
        isOn.toggle()
        sendActions(for: .valueChanged)
        sendActions(for: .primaryActionTriggered)
    }

    /// A knob at the left or right, and the word.
    open override func draw(on canvas: inout TextCanvas) {
        canvas.line(isOn ? "[ ●] on" : "[● ] off")
    }

    /// `isOn`.
    open override var properties: [Property] {
        [Property("isOn", of: self, \.isOn)] + super.properties
    }

    /// Stores whether it is on (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(isOn, forKey: "isOn")
    }

    /// Takes back whether it was on; the actions do not run.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let value = try coder.decode(Bool.self, forKey: "isOn") { isOn = value }
    }
}
