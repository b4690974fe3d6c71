/// A value within bounds that can change, and that a restored state may get after its value.
struct BoundedValue<Value: Equatable> {
    /// The value as it is within the bounds: the same or another; nil if it does not fit at all.
    typealias Fit = (Value) -> Value?

    private(set) var value: Value
    /// The value that was saved, until everything is restored.
    private var restored: Value?

    init(_ value: Value) {
        self.value = value
    }

    /// Sets the value; one that does not fit changes nothing.
    mutating func set(_ new: Value, _ fit: Fit) {
        guard let new = fit(new) else { return }
        restored = nil
        value = new
    }

    /// The bounds are others.
    ///
    /// - Parameter other: the value if the one that is does not fit them.
    mutating func boundsDidChange(_ fit: Fit, else other: Value) {
        value = restored.flatMap(fit) ?? fit(value) ?? other
    }

    /// Takes a saved value back. One that does not fit waits for other bounds until the end.
    mutating func restore(_ saved: Value, _ fit: Fit) {
        restored = saved
        value = fit(saved) ?? value
    }

    mutating func endRestoring() {
        restored = nil
    }
}
