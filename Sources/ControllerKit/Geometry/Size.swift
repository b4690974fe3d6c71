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
