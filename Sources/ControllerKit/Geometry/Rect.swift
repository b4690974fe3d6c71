import ExactText

/// A rectangle, defined by the position of its upper-left corner and its size.
public struct Rect: Codable, Sendable, Hashable {
    /// The position of the upper-left corner.
    public var origin: Point
    /// The size of the rectangle.
    public var size: Size

    /// Creates a rectangle from its upper-left corner and its size.
    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// An empty rectangle at the point (0, 0).
    public static let zero = Rect(origin: .zero, size: .zero)
}

/// A position or distance in a view. `x` is measured in terminal columns to the right, and `y` in lines downward.
public struct Point: Codable, Sendable, Hashable {
    /// The horizontal coordinate in columns.
    public var x: Double
    /// The vertical coordinate in lines.
    public var y: Double

    /// Creates a point from its coordinates.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The point (0, 0).
    public static let zero = Point(x: 0, y: 0)

    /// Whether both coordinates are finite.
    public var isFinite: Bool { x.isFinite && y.isFinite }
}

/// A size with a `width` in terminal columns and a `height` in lines.
public struct Size: Codable, Sendable, Hashable {
    /// The width in columns.
    public var width: Double
    /// The height in lines.
    public var height: Double

    /// Creates a size from a width and a height.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// A size with a width and a height of 0.
    public static let zero = Size(width: 0, height: 0)
}

/// Distances from the four edges of a rectangle, in lines at the top and bottom and in columns on the left and right.
public struct EdgeInsets: Codable, Sendable, Hashable {
    /// The distance from the top edge, in lines.
    public var top: Double
    /// The distance from the left edge, in columns.
    public var left: Double
    /// The distance from the bottom edge, in lines.
    public var bottom: Double
    /// The distance from the right edge, in columns.
    public var right: Double

    /// Creates insets from four distances.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// Insets of 0 on all sides.
    public static let zero = EdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
}

extension Int {
    /// Creates an integer by rounding a number down, for use in drawing.
    ///
    /// NaN becomes 0, and the result is limited to ±1e9.
    init(flooring number: Double) {
        self = number.isNaN ? 0 : Int(number.rounded(.down).clamped(-1e9, 1e9))
    }
}

extension Comparable {
    /// Returns the value, or the nearest bound if the value is outside the bounds.
    ///
    /// If the bounds are reversed, returns the lower bound.
    func clamped(_ lower: Self, _ upper: Self) -> Self { max(lower, min(self, upper)) }
}
