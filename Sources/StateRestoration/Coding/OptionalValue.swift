/// A protocol that identifies `Optional` values of any wrapped type.
protocol OptionalValue {
    var isNil: Bool { get }
    static var wrappedType: Any.Type { get }
    static var none: Self { get }
}
