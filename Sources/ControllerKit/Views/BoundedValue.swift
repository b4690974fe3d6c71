/// A value that stays within bounds, even if the bounds change.
///
/// During restoration, the bounds may be set after the value.
struct BoundedValue<Value: Equatable> {
    /// A function that returns a value adjusted to the bounds, or `nil` if it does not accept the value.
    typealias Fit = (Value) -> Value?

    /// The current value, adjusted to the bounds.
    private(set) var value: Value
    /// The saved value until the restoration is complete, or `nil` if there is none.
    private var restoredValue: Value?

    init(_ value: Value) {
        self.value = value
    }

    /// Sets the value.
    ///
    /// If `fit` does not accept the new value, nothing changes.
    mutating func set(_ newValue: Value, _ fit: Fit) {
        guard let newValue = fit(newValue) else { return }
        restoredValue = nil
        value = newValue
    }

    /// Updates the value after the bounds have changed.
    ///
    /// - Parameter fallbackValue: The value to use if `fit` does not accept the current value.
    mutating func boundsDidChange(_ fit: Fit, else fallbackValue: Value) {
        value = restoredValue.flatMap(fit) ?? fit(value) ?? fallbackValue
    }

    /// Restores a saved value.
    ///
    /// Until the restoration is complete, the saved value is reapplied whenever the bounds change.
    mutating func restore(_ savedValue: Value, _ fit: Fit) {
        restoredValue = savedValue
        value = fit(savedValue) ?? value
    }

    mutating func finishRestoration() {
        restoredValue = nil
    }
}
