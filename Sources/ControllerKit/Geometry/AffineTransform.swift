import ExactText

/// A change of coordinates that keeps straight lines straight: enlarging, turning, shifting.
///
/// A point goes to `x' = a·x + c·y + tx`, `y' = b·x + d·y + ty`.
public struct AffineTransform: Codable, Sendable, Hashable {
    /// The part of `x` that goes to `x'`.
    public var a: Double
    /// The part of `x` that goes to `y'`.
    public var b: Double
    /// The part of `y` that goes to `x'`.
    public var c: Double
    /// The part of `y` that goes to `y'`.
    public var d: Double
    /// The number added to `x'`, in columns.
    public var tx: Double
    /// The number added to `y'`, in lines.
    public var ty: Double

    /// The transform of these six numbers.
    public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    /// Everything stays where it is.
    public static let identity = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    /// Enlarges by a factor in both directions.
    public init(scale: Double) {
        self.init(a: scale, b: 0, c: 0, d: scale, tx: 0, ty: 0)
    }

    /// Whether all six are numbers.
    public var isFinite: Bool { [a, b, c, d, tx, ty].allSatisfy(\.isFinite) }

    /// How much a length along `x` is enlarged.
    public var scale: Double { (a * a + b * b).squareRoot() }

    /// This transform, and everything enlarged by a factor after it.
    public func scaled(by factor: Double) -> AffineTransform {
        AffineTransform(
            a: a * factor, b: b * factor, c: c * factor, d: d * factor, tx: tx * factor,
            ty: ty * factor)
    }

    /// The transform that takes this one back; nil if it makes a line or a point of everything.
    public var inverted: AffineTransform? {
        let determinant = a * d - b * c
        let result = AffineTransform(
            a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
            tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
        return determinant != 0 && determinant.isFinite && result.isFinite ? result : nil
    }

    /// Where a point goes.
    public func applied(to point: Point) -> Point {
        Point(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
    }

    /// How large the smallest upright rectangle around what a size becomes is.
    public func applied(to size: Size) -> Size {
        Size(
            width: abs(a) * size.width + abs(c) * size.height,
            height: abs(b) * size.width + abs(d) * size.height)
    }
}
