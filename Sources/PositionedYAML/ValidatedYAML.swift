/// Text that is suitable for the YAML parser: limited in size, valid UTF-8, and without control characters.
struct ValidatedYAML {
    /// The text, without a byte order mark.
    let text: String
    /// The name of the file.
    let file: String

    /// Validates and decodes the bytes of a file.
    ///
    /// - Throws: The first problem, with its position.
    init(_ bytes: [UInt8], file: String) throws(PositionedError) {
        guard bytes.count <= YAMLLimits.maximumBytes else {
            throw PositionedError(
                "the file has \(bytes.count) bytes, and the limit is \(YAMLLimits.maximumBytes): "
                    + "make it smaller or split it.",
                at: SourcePosition(file: file))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.makeEncodingError(bytes, file: file)
        }
        let hasByteOrderMark = text.unicodeScalars.first == "\u{FEFF}"
        self.text = hasByteOrderMark ? String(text.unicodeScalars.dropFirst()) : text
        self.file = file
        try checkScalars()
    }

    private static func makeEncodingError(_ bytes: [UInt8], file: String) -> PositionedError {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return PositionedError(
                "the file is UTF-16: save it as UTF-8.", at: SourcePosition(file: file))
        }
        var counter = PositionCounter()
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            if scalar != "\u{FEFF}" { counter.advance(over: scalar) }
        }
        return PositionedError(
            "this character is not UTF-8: write it again and save the file as UTF-8.",
            at: counter.position(in: file))
    }

    private func checkScalars() throws(PositionedError) {
        var counter = PositionCounter()
        for scalar in text.unicodeScalars {
            if Self.isForbidden(scalar) {
                throw PositionedError(
                    "the control character U+\(String(scalar.value, radix: 16, uppercase: true)) "
                        + "is not allowed here: remove it, or write it as an escape sequence in quotes.",
                    at: counter.position(in: file))
            }
            counter.advance(over: scalar)
        }
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xFEFF: true
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xFFFD, 0x1_0000...0x10_FFFF: false
        default: true
        }
    }
}

/// Limits for YAML documents.
package enum YAMLLimits {
    /// Maximum size of a document in bytes (1 MiB).
    package static let maximumBytes = 1 << 20
    /// Maximum nesting depth of lists and mappings.
    package static let maximumDepth = 32
}
