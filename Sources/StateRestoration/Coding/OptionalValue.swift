/// Protocol that identifies `Optional` values, whatever type they wrap.
protocol OptionalValue {
    var isNil: Bool { get }
    static var wrappedType: Any.Type { get }
    static var none: Self { get }
}
