/// A protocol that identifies `Optional` values of any wrapped type.
protocol OptionalValue {
    var isNil: Bool { get }
    /// Whether the value is not `nil`, but is an optional that is `nil`.
    var containsNil: Bool { get }
    static var wrappedType: Any.Type { get }
    static var none: Self { get }
}
