extension Array: StateValue where Element: StateValue {
    /// `array`.
    public static var stateTypeName: String { ValueTag.array.name }

    /// Writes the values in order.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.array)
        target.writer.writeVarint(UInt64(count))
        for element in self { element.write(to: &target) }
    }

    /// Reads stored values; nil if one of them is of another type.
    public static func read(from source: inout StateValueReader) throws -> [Element]? {
        guard try source.read(.array) else { return nil }
        return try source.nested { source throws in
            var result: [Element] = []
            for _ in 0..<(try source.reader.readCount()) {
                guard let element = try Element.read(from: &source) else { return nil }
                result.append(element)
            }
            return result
        }
    }
}

extension Dictionary: StateValue where Key == String, Value: StateValue {
    /// `dictionary`.
    public static var stateTypeName: String { ValueTag.dictionary.name }

    /// Writes the pairs in the order of their keys, so that equal values have equal bytes.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.dictionary)
        target.writer.writeVarint(UInt64(count))
        for (key, value) in self.sorted(by: { $0.key < $1.key }) {
            target.writer.writeText(key)
            value.write(to: &target)
        }
    }

    /// Reads stored pairs; nil if one of the values is of another type.
    public static func read(from source: inout StateValueReader) throws -> [String: Value]? {
        guard try source.read(.dictionary) else { return nil }
        return try source.nested { source throws in
            var result: [String: Value] = [:]
            for _ in 0..<(try source.reader.readCount()) {
                let key = try source.reader.readText()
                guard let value = try Value.read(from: &source) else { return nil }
                result[key] = value
            }
            return result
        }
    }
}

extension StateValueReader {
    fileprivate mutating func nested<Result>(
        _ body: (inout StateValueReader) throws -> Result
    ) throws -> Result {
        guard depth < ValueReader.maximumDepth else { throw ValueError.nestedTooDeep }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}
