/// A value together with the place in a file where it was written.
///
/// Two of them are equal when their values are: a file that was only laid out anew means the same.
package struct Positioned<Value> {
    /// What was written.
    package let value: Value
    /// Where it was written.
    package let position: SourcePosition

    /// Joins a value with its place.
    package init(_ value: Value, at position: SourcePosition) {
        self.value = value
        self.position = position
    }
}

extension Positioned: Sendable where Value: Sendable {}

extension Positioned: Equatable where Value: Equatable {
    /// Compares the values and not the places.
    package static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

extension Positioned: Hashable where Value: Hashable {
    /// Hashes the value and not the place.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
