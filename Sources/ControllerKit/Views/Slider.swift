public import StateRestoration

/// A number between two limits. Preserves it (V7).
open class Slider: Control, TextInput {
    private var bounded = BoundedValue(0.0) {
        didSet { if bounded.value != oldValue.value { restorableStateDidChange() } }
    }

    /// The number. Setting it beyond the limits goes as far as they reach; what is no finite number
    /// is not taken.
    public var value: Double {
        get { bounded.value }
        set { bounded.set(newValue, fit) }
    }

    /// The smallest value; finite. Raised above the largest one it takes that along.
    public var minimumValue = 0.0 {
        didSet {
            if !minimumValue.isFinite { minimumValue = oldValue }
            if maximumValue < minimumValue { maximumValue = minimumValue }
            bounded.boundsDidChange(fit, else: minimumValue)
        }
    }

    /// The largest value; finite. Lowered below the smallest one it takes that along.
    public var maximumValue = 1.0 {
        didSet {
            if !maximumValue.isFinite { maximumValue = oldValue }
            if minimumValue > maximumValue { minimumValue = maximumValue }
            bounded.boundsDidChange(fit, else: minimumValue)
        }
    }

    private func fit(_ value: Double) -> Double? {
        value.isFinite ? value.clamped(minimumValue, maximumValue) : nil
    }

    // MARK: What a person does

    /// A person types a number, and the actions for a changed value run.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if it is none between the limits, or is to
    ///   stand behind another.
    open func type(_ text: String, appending: Bool) throws(OperationError) {
        try requireEnabled()
        guard !appending else { throw .notPossible("a number can only be replaced, not extended") }
        guard let number = Double(text), fit(number) == number else {
            throw .notPossible(
                "it takes a number from \(minimumValue.short) to \(maximumValue.short)")
        }
        value = number
        sendActions(for: .valueChanged)
    }

    /// Not possible: there is no text.
    open func chooseText(_ range: Range<Int>) throws(OperationError) {
        throw .notPossible("it has a number and no text: type another number")
    }

    /// A person presses an arrow key: the value goes on by a twentieth of the way between the limits, as
    /// far as they reach, and the actions for a changed value run.
    open func edit(_ edit: TextEdit) throws(OperationError) {
        try requireEnabled()
        let step = maximumValue / 20 - minimumValue / 20
        switch edit {
        case .move(.left): value = max(minimumValue, value - step)
        case .move(.right): value = min(maximumValue, value + step)
        case .move(.beginningOfLine): value = minimumValue
        case .move(.endOfLine): value = maximumValue
        default: throw .notPossible("it has a number and no text: type another number")
        }
        sendActions(for: .valueChanged)
    }

    // MARK: Drawing

    /// A rail with a knob, and the number.
    open override func draw(on canvas: inout TextCanvas) {
        let number = value.short
        let rail = min(20, canvas.width - number.count - 1)
        guard rail > 1 else { return canvas.line(number) }
        // Halves, because the way from one limit to the other can be too far for a Double.
        let way = maximumValue / 2 - minimumValue / 2
        let share = way > 0 ? (value / 2 - minimumValue / 2) / way : 0
        let knob = Int(whole: (share * Double(rail - 1)).rounded())
        canvas.line(
            String(repeating: "━", count: knob) + "●"
                + String(repeating: "─", count: rail - 1 - knob) + " " + number)
    }

    // MARK: Storyboard

    /// The limits and, stated behind them, the value.
    open override var properties: [Property] {
        [
            Property("minimumValue", of: self, \.minimumValue),
            Property("maximumValue", of: self, \.maximumValue),
            Property("value", of: self, \.value) { [self] value throws(PropertyError) in
                try Double(stated: value, in: minimumValue...maximumValue)
            },
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores the value (V7).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(value, forKey: "value")
    }

    /// Takes the value back, as far as the limits reach; the actions do not run.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let saved = try coder.decode(Double.self, forKey: "value") {
            bounded.restore(saved, fit)
        }
    }

    /// Everything is there again: what the limits do not reach now is given up.
    open override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
        bounded.endRestoring()
    }
}
