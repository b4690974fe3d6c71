/// Strict JSON parser (RFC 8259) that works on bytes. It accepts any input and limits the nesting depth.
struct JSONScanner {
    /// Maximum nesting depth of arrays and objects.
    static let maximumDepth = 128

    let bytes: [UInt8]
    var offset = 0
    private let refusesNull: Bool
    private let mostValues: Int
    private var values = 0

    /// - Parameters:
    ///   - refusesNull: Whether U+0000 in a string is an error, as it is in systemd.
    ///   - mostValues: Maximum number of values, including nested values.
    init(_ bytes: [UInt8], refusesNull: Bool = false, mostValues: Int = .max) {
        self.bytes = bytes
        self.refusesNull = refusesNull
        self.mostValues = mostValues
    }

    /// Error for the current offset, at which the text stops being JSON.
    var malformed: MessageError { .notJSON(offset: offset) }

    /// Skips white space and returns whether the text ends there.
    mutating func isAtEnd() -> Bool {
        skipSpace()
        return offset == bytes.count
    }

    /// Skips white space, then consumes the byte if it is next. Returns whether the byte was consumed.
    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    /// Parses an object. For each member, it consumes the name and the colon, then calls `body` with the name. `body`
    /// parses the value.
    mutating func object(
        _ body: (inout JSONScanner, String) throws(MessageError) -> Void
    ) throws(MessageError) {
        guard take("{") else { throw malformed }
        if take("}") { return }
        repeat {
            skipSpace()
            let name = try string()
            guard take(":") else { throw malformed }
            try body(&self, name)
        } while take(",")
        guard take("}") else { throw malformed }
    }

    /// Parses any value. `depth` is the number of arrays and objects that contain it.
    mutating func value(depth: Int = 0) throws(MessageError) -> JSONValue {
        skipSpace()
        guard offset < bytes.count else { throw malformed }
        values += 1
        guard values <= mostValues else { throw .tooManyValues(limit: mostValues) }
        switch bytes[offset] {
        case UInt8(ascii: "{"):
            guard depth < Self.maximumDepth else { throw .tooDeep }
            var members: [JSONValue.Member] = []
            try object { scanner, name throws(MessageError) in
                members.append(.init(name: name, value: try scanner.value(depth: depth + 1)))
            }
            return .object(members)
        case UInt8(ascii: "["):
            guard depth < Self.maximumDepth else { throw .tooDeep }
            return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func array(depth: Int) throws(MessageError) -> [JSONValue] {
        offset += 1
        if take("]") { return [] }
        var values: [JSONValue] = []
        repeat { values.append(try value(depth: depth)) } while take(",")
        guard take("]") else { throw malformed }
        return values
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(MessageError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard offset < bytes.count, bytes[offset] == word.utf8Start[index] else {
                throw malformed
            }
            offset += 1
        }
        return value
    }

    private mutating func number() throws(MessageError) -> String {
        let start = offset
        skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { skip("-") }
            try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Consumes the byte if it is next. Returns whether the byte was consumed.
    @discardableResult
    mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    private mutating func digits() throws(MessageError) {
        let start = offset
        while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
        guard offset > start else { throw malformed }
    }
}

extension JSONScanner {
    /// Parses a string and resolves its escape sequences. Unpaired surrogates and bytes that are not UTF-8 are
    /// errors.
    mutating func string() throws(MessageError) -> String {
        guard skip("\"") else { throw malformed }
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""),
            bytes[offset] != UInt8(ascii: "\\")
        {
            guard bytes[offset] >= 0x20 else { throw malformed }
            offset += 1
        }
        guard offset < bytes.count else { throw malformed }
        if bytes[offset] == UInt8(ascii: "\"") {
            defer { offset += 1 }
            return try text(bytes[start..<offset], from: start)
        }
        var content = Array(bytes[start..<offset])
        while !skip("\"") {
            guard offset < bytes.count, bytes[offset] >= 0x20 else { throw malformed }
            if bytes[offset] == UInt8(ascii: "\\") {
                offset += 1
                content.append(contentsOf: String(try escape()).utf8)
            } else {
                content.append(bytes[offset])
                offset += 1
            }
        }
        return try text(content[...], from: start)
    }

    private func text(_ bytes: ArraySlice<UInt8>, from start: Int) throws(MessageError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .notUTF8(offset: start)
        }
        return text
    }

    private mutating func escape() throws(MessageError) -> Unicode.Scalar {
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
        case UInt8(ascii: "u"):
            let start = offset - 2
            let unit = try hexadecimal()
            if unit == 0, refusesNull { throw .null(offset: start) }
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard (0xD800...0xDBFF).contains(unit), skip("\\"), skip("u") else { throw malformed }
            let low = try hexadecimal()
            guard (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            else { throw malformed }
            return scalar
        default: throw malformed
        }
    }

    private mutating func hexadecimal() throws(MessageError) -> UInt32 {
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
