extension JSONReader {
    /// Parses a string and resolves its escape sequences. Unpaired surrogates and bytes that are not UTF-8 are
    /// errors.
    mutating func string() throws(JSONReadingError) -> String {
        let (content, isEscaped) = try stringContent()
        return try isEscaped ? unescaped(content) : validated(content)
    }

    /// Consumes a string, and checks it as ``string()`` does.
    mutating func skipString() throws(JSONReadingError) {
        let (content, isEscaped) = try stringContent()
        if isEscaped {
            _ = try unescaped(content)
        } else if !isASCII(content) {
            _ = try validated(content)
        }
    }

    /// Consumes a string. Returns the bytes between its quotes, and whether they contain escape sequences.
    mutating func stringContent() throws(JSONReadingError) -> (Range<Int>, isEscaped: Bool) {
        guard skip("\"") else { throw malformed }
        let start = offset
        var isEscaped = false
        var end = start
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
                default: end += 1
                }
            }
            return false
        }
        offset = end
        guard isTerminated else {
            // An invalid escape sequence before this offset is the first error.
            if isEscaped { _ = try unescaped(start..<end) }
            throw malformed
        }
        offset += 1
        return (start..<end, isEscaped)
    }

    private func isASCII(_ range: Range<Int>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            for index in range where bytes[index] >= 0x80 { return false }
            return true
        }
    }

    private func validated(_ range: Range<Int>) throws(JSONReadingError) -> String {
        let text = bytes.withUnsafeBufferPointer {
            String(validating: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
        }
        guard let text else { throw .message(.notUTF8(offset: range.lowerBound)) }
        return text
    }

    /// Resolves the escape sequences in the content of a string.
    private func unescaped(_ range: Range<Int>) throws(JSONReadingError) -> String {
        var escapes = EscapedText(bytes: bytes, offset: range.lowerBound, refusesNull: refusesU0000)
        var content: [UInt8] = []
        content.reserveCapacity(range.count)
        while escapes.offset < range.upperBound {
            let byte = bytes[escapes.offset]
            escapes.offset += 1
            if byte == UInt8(ascii: "\\") {
                content.append(contentsOf: UTF8.encode(try escapes.scalar()) ?? .init())
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

/// Position after a backslash in JSON text.
private struct EscapedText {
    let bytes: [UInt8]
    var offset: Int
    let refusesNull: Bool

    private var malformed: JSONReadingError { .message(.notJSON(offset: offset)) }

    /// Consumes an escape sequence after its backslash, and returns the character that it represents.
    mutating func scalar() throws(JSONReadingError) -> Unicode.Scalar {
        guard offset < bytes.count else { throw malformed }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicode()
        default: throw malformed
        }
    }

    private mutating func unicode() throws(JSONReadingError) -> Unicode.Scalar {
        let start = offset - 2
        let unit = try hexadecimal()
        if unit == 0, refusesNull { throw .message(.null(offset: start)) }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard (0xD800...0xDBFF).contains(unit), skip("\\"), skip("u") else { throw malformed }
        let low = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw malformed }
        return scalar
    }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    private mutating func hexadecimal() throws(JSONReadingError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard offset < bytes.count,
                let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue
            else { throw malformed }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
