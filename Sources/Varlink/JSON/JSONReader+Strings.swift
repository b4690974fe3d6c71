/// Content of a JSON string, without its quotes.
struct JSONStringContent {
    let range: Range<Int>
    /// Whether the bytes contain escape sequences.
    let isEscaped: Bool
    /// Whether all bytes outside escape sequences are ASCII.
    let isASCII: Bool
}

extension JSONReader {
    /// Parses a string and resolves its escape sequences. Unpaired surrogates and bytes that are not UTF-8 are
    /// errors.
    mutating func readString() throws(JSONReadingError) -> String {
        let content = try readStringContent()
        return try content.isEscaped ? unescapedString(content.range) : validatedString(content)
    }

    /// Consumes a string, and checks it as ``readString()`` does.
    mutating func skipString() throws(JSONReadingError) {
        let content = try readStringContent()
        if content.isEscaped {
            _ = try unescapedString(content.range)
        } else if !content.isASCII {
            _ = try validatedString(content)
        }
    }

    /// Consumes a string without resolving its escape sequences.
    mutating func readStringContent() throws(JSONReadingError) -> JSONStringContent {
        guard skip("\"") else { throw malformedError }
        let start = offset
        var isEscaped = false
        var end = start
        var highBits: UInt8 = 0
        let count = bytes.count
        let isTerminated = bytes.withUnsafeBufferPointer { bytes in
            while end < count {
                switch bytes[end] {
                case UInt8(ascii: "\""): return true
                case UInt8(ascii: "\\"):
                    isEscaped = true
                    end += 1
                    // The escaped byte may be a quote.
                    if end < count, bytes[end] >= 0x20 { end += 1 }
                case 0..<0x20: return false
                case let byte:
                    highBits |= byte
                    end += 1
                }
            }
            return false
        }
        offset = end
        guard isTerminated else {
            // An invalid escape sequence before this offset is reported first.
            if isEscaped { _ = try unescapedString(start..<end) }
            throw malformedError
        }
        offset += 1
        return JSONStringContent(range: start..<end, isEscaped: isEscaped, isASCII: highBits < 0x80)
    }

    func validatedString(_ content: JSONStringContent) throws(JSONReadingError) -> String {
        let text = bytes.withUnsafeBufferPointer { bytes in
            let bytes = UnsafeBufferPointer(rebasing: bytes[content.range])
            // ASCII is decoded without validation, because validation looks up types at run time, which takes longer
            // than decoding a short string.
            return content.isASCII
                ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        }
        guard let text else { throw .message(.notUTF8(offset: content.range.lowerBound)) }
        return text
    }

    /// Resolves the escape sequences in the content of a string.
    func unescapedString(_ range: Range<Int>) throws(JSONReadingError) -> String {
        var escapes = EscapeSequenceReader(
            bytes: bytes, offset: range.lowerBound, refusesNUL: refusesNUL)
        var content: [UInt8] = []
        content.reserveCapacity(range.count)
        while escapes.offset < range.upperBound {
            let byte = bytes[escapes.offset]
            escapes.offset += 1
            if byte == UInt8(ascii: "\\") {
                content.append(contentsOf: UTF8.encode(try escapes.readScalar()) ?? .init())
            } else {
                content.append(byte)
            }
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw .message(.notUTF8(offset: range.lowerBound))
        }
        return text
    }
}

/// Cursor that reads the escape sequences in JSON text.
private struct EscapeSequenceReader {
    let bytes: [UInt8]
    var offset: Int
    let refusesNUL: Bool

    private var malformedError: JSONReadingError { .message(.notJSON(offset: offset)) }

    /// Consumes an escape sequence after its backslash, and returns the character that it represents.
    mutating func readScalar() throws(JSONReadingError) -> Unicode.Scalar {
        guard offset < bytes.count else { throw malformedError }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default: throw malformedError
        }
    }

    private mutating func readUnicodeEscape() throws(JSONReadingError) -> Unicode.Scalar {
        let start = offset - 2
        let codeUnit = try readHexadecimal()
        if codeUnit == 0, refusesNUL { throw .message(.nulCharacter(offset: start)) }
        if let scalar = Unicode.Scalar(codeUnit) { return scalar }
        guard (0xD800...0xDBFF).contains(codeUnit), skip("\\"), skip("u") else {
            throw malformedError
        }
        let lowSurrogate = try readHexadecimal()
        guard (0xDC00...0xDFFF).contains(lowSurrogate),
            let scalar = Unicode.Scalar(
                0x10000 + (codeUnit - 0xD800) << 10 + (lowSurrogate - 0xDC00))
        else { throw malformedError }
        return scalar
    }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    private mutating func readHexadecimal() throws(JSONReadingError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard offset < bytes.count,
                let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue
            else { throw malformedError }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
