extension ValueReader {
    /// The type of the next value as sentences show it, such as `[String]`; `array` and
    /// `dictionary` if their values are not all of one type. Passes over the value.
    package mutating func readTypeName(depth: Int = 0) throws(ValueError) -> String {
        let start = position
        switch try readTag() {
        case .array:
            let inside = try Self.depth(inside: depth)
            let count = try readCount()
            guard count > 0 else { return "[]" }
            let name = try readCommonTypeName(count) { reader throws(ValueError) in
                try reader.readTypeName(depth: inside)
            }
            return name.map { "[\($0)]" } ?? ValueTag.array.name
        case .dictionary:
            let inside = try Self.depth(inside: depth)
            let count = try readCount()
            guard count > 0 else { return "[:]" }
            let name = try readCommonTypeName(count) { reader throws(ValueError) in
                _ = try reader.readBytes()
                return try reader.readTypeName(depth: inside)
            }
            return name.map { "[String: \($0)]" } ?? ValueTag.dictionary.name
        case let tag:
            seek(to: start)
            try skipValue(depth: depth)
            return tag.name
        }
    }

    private mutating func readCommonTypeName(
        _ count: Int, _ readName: (inout ValueReader) throws(ValueError) -> String
    ) throws(ValueError) -> String? {
        let first = try readName(&self)
        var isCommon = true
        for _ in 1..<count where try readName(&self) != first { isCommon = false }
        return isCommon ? first : nil
    }
}
