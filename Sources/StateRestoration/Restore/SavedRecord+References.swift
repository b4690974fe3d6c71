extension SavedRecord {
    /// The numbers in an array of references that is stored under a key; nil if no such array is.
    /// Total: bytes that are no values give nil, and are reported when the object decodes them.
    func references(forKey key: StaticString, names: NameTable) -> [RecordNumber]? {
        guard let wanted = names.existingNumber(for: key) else { return nil }
        var reader = ValueReader(values)
        do {
            while !reader.isAtEnd {
                if try reader.readVarint() == UInt64(wanted) { return try reader.readReferences() }
                try reader.skipValue()
            }
            return nil
        } catch {
            return nil
        }
    }
}

extension ValueReader {
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
