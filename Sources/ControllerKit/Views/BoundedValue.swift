/// A value that stays within bounds, even if the bounds change.
///
/// During restoration, the bounds may be set after the value.
struct BoundedValue<Value: Equatable> {
    /// A function that returns a value adjusted to the bounds, or `nil` if it does not accept the value.
    typealias BoundsAdjustment = (Value) -> Value?

    /// The current value, adjusted to the bounds.
    private(set) var value: Value
    /// The saved value while the restoration is in progress, or `nil` if there is none.
    private var pendingValue: Value?

    init(_ value: Value) {
        self.value = value
    }

    /// Sets the value.
    ///
    /// If `adjust` does not accept the new value, nothing changes.
    mutating func set(_ newValue: Value, _ adjust: BoundsAdjustment) {
        guard let newValue = adjust(newValue) else { return }
        pendingValue = nil
        value = newValue
    }

    /// Updates the value after the bounds have changed.
    ///
    /// - Parameter fallbackValue: The value to use if `adjust` does not accept the current value.
    mutating func boundsDidChange(_ adjust: BoundsAdjustment, else fallbackValue: Value) {
        value = pendingValue.flatMap(adjust) ?? adjust(value) ?? fallbackValue
    }

    /// Restores a saved value.
    ///
    /// Until the restoration is complete, the saved value is reapplied whenever the bounds change.
    mutating func restore(_ savedValue: Value, _ adjust: BoundsAdjustment) {
        pendingValue = savedValue
        value = adjust(savedValue) ?? value
    }

    mutating func finishRestoration() {
        pendingValue = nil
    }
}
