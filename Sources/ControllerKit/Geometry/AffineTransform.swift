import ExactText

/// An affine transform, which can scale, rotate and translate coordinates.
///
/// It maps a point `(x, y)` to `(x', y')`, where `x' = a·x + c·y + tx` and `y' = b·x + d·y + ty`.
public struct AffineTransform: Codable, Sendable, Hashable {
    /// The coefficient of `x` in the formula for `x'`.
    public var a: Double
    /// The coefficient of `x` in the formula for `y'`.
    public var b: Double
    /// The coefficient of `y` in the formula for `x'`.
    public var c: Double
    /// The coefficient of `y` in the formula for `y'`.
    public var d: Double
    /// The horizontal translation in columns.
    public var tx: Double
    /// The vertical translation in lines.
    public var ty: Double

    /// Creates a transform from its six coefficients.
    public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    /// The identity transform, which leaves every point unchanged.
    public static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    /// Creates a transform that scales by a factor in both directions.
    public init(scale: Double) {
        self.init(a: scale, b: 0, c: 0, d: scale, tx: 0, ty: 0)
    }

    /// Whether all six coefficients are finite.
    public var isFinite: Bool { [a, b, c, d, tx, ty].allSatisfy(\.isFinite) }

    /// The factor by which lengths along `x` are scaled.
    public var scale: Double { (a * a + b * b).squareRoot() }

    /// Returns a transform that applies this transform and then scales by a factor.
    public func scaled(by factor: Double) -> AffineTransform {
        AffineTransform(
            a: a * factor, b: b * factor, c: c * factor, d: d * factor, tx: tx * factor,
            ty: ty * factor)
    }

    /// The inverse transform, or `nil` if there is none, for example because the transform maps all points to one line.
    public var inverted: AffineTransform? {
        let determinant = a * d - b * c
        let result = AffineTransform(
            a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
            tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
        return determinant != 0 && determinant.isFinite && result.isFinite ? result : nil
    }

    /// Returns the transformed point.
    public func applied(to point: Point) -> Point {
        Point(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
    }

    /// Returns the size of the bounding box of a transformed rectangle of the given size.
    public func applied(to size: Size) -> Size {
        Size(
            width: abs(a) * size.width + abs(c) * size.height,
            height: abs(b) * size.width + abs(d) * size.height)
    }
}
