/// A value within bounds that can change.
///
/// During restoration, the bounds may be set after the value.
struct BoundedValue<Value: Equatable> {
    /// A function that returns a value adjusted to the bounds, or `nil` if it does not accept the value.
    typealias Fit = (Value) -> Value?

    private(set) var value: Value
    /// The saved value, until the restoration is complete.
    private var restored: Value?

    init(_ value: Value) {
        self.value = value
    }

    /// Sets the value.
    ///
    /// If the new value is not accepted, nothing changes.
    mutating func set(_ new: Value, _ fit: Fit) {
        guard let new = fit(new) else { return }
        restored = nil
        value = new
    }

    /// Updates the value after the bounds have changed.
    ///
    /// - Parameter other: The value to use if the current value is not accepted.
    mutating func boundsDidChange(_ fit: Fit, else other: Value) {
        value = restored.flatMap(fit) ?? fit(value) ?? other
    }

    /// Restores a saved value.
    ///
    /// The saved value is applied again whenever the bounds change, until the restoration is complete.
    mutating func restore(_ saved: Value, _ fit: Fit) {
        restored = saved
        value = fit(saved) ?? value
    }

    mutating func endRestoring() {
        restored = nil
    }
}
