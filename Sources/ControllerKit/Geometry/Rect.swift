/// A rectangle: where its upper left corner is, and how large it is.
public struct Rect: Codable, Sendable, Hashable {
    /// The upper left corner.
    public var origin: Point
    /// How large it is.
    public var size: Size

    /// The rectangle at this corner, of this size.
    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// Nothing, in the upper left corner.
    public static let zero = Rect(origin: .zero, size: .zero)
}
