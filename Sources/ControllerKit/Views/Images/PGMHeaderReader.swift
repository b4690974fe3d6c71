internal import FoundationEssentials

/// A reader for the header of a binary PGM file.
///
/// The header consists of `P5` and three numbers, with whitespace and comments between them. A single whitespace byte
/// separates the header from the pixels.
struct PGMHeaderReader: ~Copyable {
    private let data: Data
    /// Number of bytes that have been read.
    private var position = 0

    init(_ data: Data) {
        self.data = data
    }

    private var nextByte: UInt8? {
        position < data.count ? data[data.startIndex + position] : nil
    }

    mutating func readMagic() throws(ImageError) {
        guard data.starts(with: "P5".utf8) else { throw .notPGM }
        position = 2
        guard let nextByte, Self.isWhitespace(nextByte) || nextByte == UInt8(ascii: "#") else {
            throw .notPGM
        }
    }

    /// Reads a number, after skipping whitespace and comments.
    mutating func readNumber(
        _ field: String, in bounds: ClosedRange<Int>
    ) throws(ImageError) -> Int {
        skipWhitespaceAndComments()
        var number: Int?
        while let digit = nextByte, Self.isDigit(digit) {
            // The cap prevents overflow and is larger than all bounds.
            number = min((number ?? 0) * 10 + Int(digit - UInt8(ascii: "0")), Int(Int32.max))
            position += 1
        }
        guard let number else { throw .malformedHeader(field: field) }
        guard bounds.contains(number) else { throw .outOfBounds(field: field, bounds: bounds) }
        return number
    }

    /// Reads the whitespace byte after the last number.
    ///
    /// - Returns: The length of the header in bytes.
    mutating func readEndOfHeader() throws(ImageError) -> Int {
        guard let nextByte, Self.isWhitespace(nextByte) else {
            throw .malformedHeader(field: "maximum value")
        }
        return position + 1
    }

    private mutating func skipWhitespaceAndComments() {
        while let byte = nextByte {
            if byte == UInt8(ascii: "#") {
                while let byte = nextByte, byte != 0x0A, byte != 0x0D { position += 1 }
            } else if Self.isWhitespace(byte) {
                position += 1
            } else {
                return
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
}
