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
