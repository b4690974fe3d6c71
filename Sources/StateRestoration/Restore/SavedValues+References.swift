extension SavedValues {
    /// The numbers in all references, at any depth. Total: of bytes that are no values those before
    /// are given.
    func references() -> [RecordNumber] {
        var numbers: [RecordNumber] = []
        for span in spans {
            var reader = ValueReader(span)
            do {
                while !reader.isAtEnd {
                    _ = try reader.readVarint()
                    try reader.collectReferences(into: &numbers)
                }
            } catch {
                continue
            }
        }
        return numbers
    }

    /// The numbers in an array of references that is stored under a key; nil if no such array is.
    /// Total: bytes that are no values give nil, and are reported when the object decodes them.
    func references(forKey key: StaticString, names: NameTable) -> [RecordNumber]? {
        guard let wanted = names.existingNumber(for: key) else { return nil }
        for span in spans {
            var reader = ValueReader(span)
            do {
                while !reader.isAtEnd {
                    if try reader.readVarint() == UInt64(wanted) {
                        return try reader.readReferences()
                    }
                    try reader.skipValue()
                }
            } catch {
                return nil
            }
        }
        return nil
    }
}

extension ValueReader {
    fileprivate mutating func collectReferences(
        into numbers: inout [RecordNumber], depth: Int = 0
    ) throws(ValueError) {
        guard depth <= Self.maximumDepth else { throw .nestedTooDeep }
        let start = position
        switch try readTag() {
        case .reference: numbers.append(try readReference())
        case .array:
            for _ in 0..<(try readCount()) {
                try collectReferences(into: &numbers, depth: depth + 1)
            }
        case .dictionary:
            for _ in 0..<(try readCount()) {
                _ = try readText()
                try collectReferences(into: &numbers, depth: depth + 1)
            }
        default:
            seek(to: start)
            try skipValue()
        }
    }

    /// An array of references alone; nil if the value is another.
    fileprivate mutating func readReferences() throws(ValueError) -> [RecordNumber]? {
        guard try readTag() == .array else { return nil }
        var numbers: [RecordNumber] = []
        for _ in 0..<(try readCount()) {
            guard try readTag() == .reference else { return nil }
            numbers.append(try readReference())
        }
        return numbers
    }
}
