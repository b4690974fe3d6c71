/// A place, or a way, in a view: `x` in columns of a terminal to the right, `y` in lines down.
public struct Point: Codable, Sendable, Hashable {
    /// In columns.
    public var x: Double
    /// In lines.
    public var y: Double

    /// The point at these coordinates.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The upper left corner.
    public static let zero = Point(x: 0, y: 0)

    /// Whether both coordinates are numbers.
    public var isFinite: Bool { x.isFinite && y.isFinite }
}
