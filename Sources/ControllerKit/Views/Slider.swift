public import StateRestoration

/// A control for choosing a number between two limits.
///
/// A slider preserves the number (V7).
open class Slider: Control, TextInput {
    private var boundedValue = BoundedValue(0.0) {
        didSet { if boundedValue.value != oldValue.value { restorableStateDidChange() } }
    }

    /// The number.
    ///
    /// If you set a number outside the limits, the nearest limit is used. Setting an infinity or NaN has no effect.
    public var value: Double {
        get { boundedValue.value }
        set { boundedValue.set(newValue, adjust) }
    }

    /// The minimum value, which is always finite.
    ///
    /// If you set the minimum above the maximum, the maximum is raised to the same value.
    public var minimumValue = 0.0 {
        didSet {
            if !minimumValue.isFinite { minimumValue = oldValue }
            if maximumValue < minimumValue { maximumValue = minimumValue }
            boundedValue.boundsDidChange(adjust, else: minimumValue)
        }
    }

    /// The maximum value, which is always finite.
    ///
    /// If you set the maximum below the minimum, the minimum is lowered to the same value.
    public var maximumValue = 1.0 {
        didSet {
            if !maximumValue.isFinite { maximumValue = oldValue }
            if minimumValue > maximumValue { minimumValue = maximumValue }
            boundedValue.boundsDidChange(adjust, else: minimumValue)
        }
    }

    private func adjust(_ value: Double) -> Double? {
        value.isFinite ? value.clamped(minimumValue, maximumValue) : nil
    }

    // MARK: User operations

    /// Sets the value to a number that the user has typed and runs the actions for ``Control/Event/valueChanged``.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the slider is disabled, if the text is not a number within the
    ///   limits, or if `appending` is `true`.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        try requireEnabled()
        guard !appending else { throw .notPossible("a number can only be replaced, not extended") }
        guard let number = Double(text), adjust(number) == number else {
            throw .notPossible(
                "it accepts a number from \(minimumValue.shortText) to \(maximumValue.shortText)")
        }
        value = number
        sendActions(for: .valueChanged)
    }

    /// Throws an error, because a slider has no text.
    open func selectText(_ range: Range<Int>) throws(OperationError) {
        throw .notPossible("it contains a number, not text: type another number")
    }

    /// Changes the value in response to a key press and runs the actions for ``Control/Event/valueChanged``.
    ///
    /// An arrow key changes the value by a twentieth of the range, within the limits. ``TextMovement/beginningOfLine``
    /// and ``TextMovement/endOfLine`` set the value to the minimum and the maximum.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        try requireEnabled()
        let step = maximumValue / 20 - minimumValue / 20
        switch edit {
        case .move(.left): value = max(minimumValue, value - step)
        case .move(.right): value = min(maximumValue, value + step)
        case .move(.beginningOfLine): value = minimumValue
        case .move(.endOfLine): value = maximumValue
        default: throw .notPossible("it contains a number, not text: type another number")
        }
        sendActions(for: .valueChanged)
    }

    // MARK: Drawing

    /// Draws a track with a knob, followed by the number.
    open override func draw(on canvas: inout TextCanvas) {
        let numberText = value.shortText
        let trackWidth = min(20, canvas.width - numberText.count - 1)
        guard trackWidth > 1 else { return canvas.line(numberText) }
        // The values are halved because the distance between the limits can exceed the range of `Double`.
        let halfRange = maximumValue / 2 - minimumValue / 2
        let fraction = halfRange > 0 ? (value / 2 - minimumValue / 2) / halfRange : 0
        let knobColumn = Int(flooring: (fraction * Double(trackWidth - 1)).rounded())
        canvas.line(
            String(repeating: "━", count: knobColumn) + "●"
                + String(repeating: "─", count: trackWidth - 1 - knobColumn) + " " + numberText)
    }

    /// Returns a single slider element.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        var element = AccessibilityElement(.slider, target: self)
        element.isEnabled = isEnabled
        element.number = (value, minimumValue, maximumValue)
        element.actions = [.type]
        return [element]
    }

    // MARK: Storyboard

    /// The limits and the value.
    ///
    /// A storyboard must set the limits first.
    open override var properties: [Property] {
        [
            Property("minimumValue", of: self, \.minimumValue),
            Property("maximumValue", of: self, \.maximumValue),
            Property("value", of: self, \.value) { [self] value throws(PropertyError) in
                try Double(storyboardValue: value, in: minimumValue...maximumValue)
            },
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the value (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(value, forKey: "value")
    }

    /// Decodes the value and adjusts it to the limits, without running actions.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let savedValue = try coder.decode(Double.self, forKey: "value") {
            boundedValue.restore(savedValue, adjust)
        }
    }

    /// Discards the saved value if it is still outside the limits.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        boundedValue.finishRestoration()
    }
}
