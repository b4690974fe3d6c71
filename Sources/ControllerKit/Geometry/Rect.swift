import ExactText

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

/// How large something is: `width` in columns of a terminal, `height` in lines.
public struct Size: Codable, Sendable, Hashable {
    /// In columns.
    public var width: Double
    /// In lines.
    public var height: Double

    /// The size of this width and height.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Nothing.
    public static let zero = Size(width: 0, height: 0)
}

/// Room around something, on each side: in lines above and below, in columns left and right.
public struct EdgeInsets: Codable, Sendable, Hashable {
    /// Lines above.
    public var top: Double
    /// Columns to the left.
    public var left: Double
    /// Lines below.
    public var bottom: Double
    /// Columns to the right.
    public var right: Double

    /// Room of this size on each side.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// No room.
    public static let zero = EdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
}

extension Int {
    /// The whole number at or below another, for drawing: 0 if it is none, at most 1e9 from 0.
    init(whole number: Double) {
        self = number.isNaN ? 0 : Int(number.rounded(.down).clamped(-1e9, 1e9))
    }
}

extension Comparable {
    /// The value, or the nearer of two bounds; the lower one if they are the wrong way round.
    func clamped(_ lower: Self, _ upper: Self) -> Self { max(lower, min(self, upper)) }
}
