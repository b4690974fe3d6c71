import ExactText
public import FoundationEssentials

/// A grayscale picture in binary PGM format (`P5`) with one byte per pixel.
public struct Image: Sendable, Hashable {
    /// Maximum width and height in pixels.
    public static let maximumSide = 4096
    /// Maximum size of a file in bytes.
    public static let maximumBytes = 16 << 20

    /// The contents of the PGM file.
    public let data: Data
    /// Width of the picture in pixels.
    public let width: Int
    /// Height of the picture in pixels.
    public let height: Int
    /// The pixel value that represents white.
    let whiteValue: Int
    /// Offset of the first pixel in the data.
    private let pixelOffset: Int

    /// Creates a picture from the contents of a file.
    ///
    /// - Parameter data: The contents of a binary PGM file. Data after the last pixel is ignored.
    /// - Throws: ``ImageError`` if the data is not a binary PGM file, or if the picture exceeds the limits.
    public init(data: Data) throws(ImageError) {
        guard data.count <= Self.maximumBytes else {
            throw .tooLarge(bytes: data.count, maximum: Self.maximumBytes)
        }
        var header = PGMHeaderReader(data)
        try header.readMagic()
        width = try header.readNumber("width", in: 1...Self.maximumSide)
        height = try header.readNumber("height", in: 1...Self.maximumSide)
        whiteValue = try header.readNumber("maximum value", in: 1...255)
        pixelOffset = try header.readEndOfHeader()
        let pixels = data.count - pixelOffset
        guard pixels >= width * height else {
            throw .truncated(pixels: pixels, expected: width * height)
        }
        self.data = data
    }

    /// Size of the picture when each pixel occupies one column and one line.
    public var size: Size { Size(width: Double(width), height: Double(height)) }

    /// Returns the brightness of a pixel, from 0 (black) to 1 (white).
    ///
    /// Traps if the pixel is outside the picture.
    public func brightness(x: Int, y: Int) -> Double {
        precondition((0..<width).contains(x) && (0..<height).contains(y), "no such pixel")
        let value = Int(data[data.startIndex + pixelOffset + y * width + x])
        return Double(min(value, whiteValue)) / Double(whiteValue)
    }
}

/// An error that describes why data is not a valid picture.
public enum ImageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The data does not begin with the header of a binary PGM file.
    case notPGM
    /// A number in the header is missing or malformed.
    case malformedHeader(field: String)
    /// A number in the header is out of bounds.
    case outOfBounds(field: String, bounds: ClosedRange<Int>)
    /// The data contains fewer pixels than the header specifies.
    case truncated(pixels: Int, expected: Int)
    /// The data is larger than the maximum size.
    case tooLarge(bytes: Int, maximum: Int)

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .notPGM: "the picture is not a binary PGM file: it must begin with P5"
        case .malformedHeader(let field): "the picture's \(field) is not a number"
        case .outOfBounds(let field, let bounds):
            "the picture's \(field) is not between \(bounds.lowerBound) and \(bounds.upperBound)"
        case .truncated(let pixels, let expected):
            "the picture ends after \(pixels) of \(expected) pixels"
        case .tooLarge(let bytes, let maximum):
            "the picture has \(bytes) bytes, and the limit is \(maximum)"
        }
    }
}
