extension JSONScanner {
    /// A string, its escapes resolved. An unpaired surrogate and bytes that are not UTF-8 are
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
            let unit = try hexadecimal()
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
                let digit = Character(Unicode.Scalar(bytes[offset])).hexDigitValue,
                bytes[offset] < 0x80
            else { throw malformed }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
