import ExactText
public import FoundationEssentials

/// A picture in shades of grey: a binary PGM file (`P5`), of one byte a pixel.
public struct Image: Sendable, Hashable {
    /// The most pixels in a line, and the most lines.
    public static let largestSide = 4096
    /// The most bytes of a file.
    public static let mostBytes = 16 << 20

    /// The file, from which the same picture is made again.
    public let data: Data
    /// How many pixels a line has.
    public let width: Int
    /// How many lines there are.
    public let height: Int
    /// The value of white.
    let white: Int
    /// Where the pixels begin in the data.
    private let start: Int

    /// The picture of a file.
    ///
    /// - Parameter data: a binary PGM file. What stands behind the picture is ignored.
    /// - Throws: ``ImageError`` if it is none, or larger than the limits.
    public init(data: Data) throws(ImageError) {
        guard data.count <= Self.mostBytes else {
            throw .tooLarge(bytes: data.count, most: Self.mostBytes)
        }
        var header = PGMHeader(data)
        try header.readMagic()
        width = try header.readNumber("width", in: 1...Self.largestSide)
        height = try header.readNumber("height", in: 1...Self.largestSide)
        white = try header.readNumber("maximum value", in: 1...255)
        start = try header.endOfHeader()
        let pixels = data.count - start
        guard pixels >= width * height else {
            throw .truncated(pixels: pixels, wanted: width * height)
        }
        self.data = data
    }

    /// How large the picture is: a pixel is a column wide and a line high.
    public var size: Size { Size(width: Double(width), height: Double(height)) }

    /// How bright a pixel is, from 0, black, to 1, white. Traps outside of the picture.
    public func brightness(x: Int, y: Int) -> Double {
        precondition((0..<width).contains(x) && (0..<height).contains(y), "no such pixel")
        let value = Int(data[data.startIndex + start + y * width + x])
        return Double(min(value, white)) / Double(white)
    }
}

/// Reason for which bytes are no picture.
public enum ImageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// They do not begin as a binary PGM file.
    case notPGM
    /// A number in the header is missing, or no number.
    case malformedHeader(field: String)
    /// A number in the header is not within its bounds.
    case outOfBounds(field: String, bounds: ClosedRange<Int>)
    /// There are fewer pixels than the header says.
    case truncated(pixels: Int, wanted: Int)
    /// There are more bytes than a picture may have.
    case tooLarge(bytes: Int, most: Int)

    /// One sentence that says what is wrong.
    public var description: String {
        switch self {
        case .notPGM: "the picture is not a binary PGM file: it has to begin with P5"
        case .malformedHeader(let field): "the picture's \(field) is not a number"
        case .outOfBounds(let field, let bounds):
            "the picture's \(field) is not within \(bounds.lowerBound) and \(bounds.upperBound)"
        case .truncated(let pixels, let wanted):
            "the picture ends after \(pixels) of \(wanted) pixels"
        case .tooLarge(let bytes, let most):
            "the picture has \(bytes) bytes, and the limit is \(most)"
        }
    }
}
