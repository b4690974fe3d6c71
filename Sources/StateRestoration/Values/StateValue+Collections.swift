import ExactText

extension Range: StateValue where Bound == Int {
    /// Name of the type in error messages: `range`.
    public static var stateTypeName: String { ValueTag.range.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.range)
        target.writer.writeZigzag(Int64(lowerBound))
        target.writer.writeZigzag(Int64(upperBound))
    }

    /// Reads a stored range, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> Range<Int>? {
        guard try source.read(.range) else { return nil }
        let bounds = try source.reader.readBounds()
        return bounds.lower..<bounds.upper
    }
}

extension ClosedRange: StateValue where Bound == Int {
    /// Name of the type in error messages: `closed range`.
    public static var stateTypeName: String { ValueTag.closedRange.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.closedRange)
        target.writer.writeZigzag(Int64(lowerBound))
        target.writer.writeZigzag(Int64(upperBound))
    }

    /// Reads a stored range, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> ClosedRange<Int>? {
        guard try source.read(.closedRange) else { return nil }
        let bounds = try source.reader.readBounds()
        return bounds.lower...bounds.upper
    }
}

extension Array: StateValue where Element: StateValue {
    /// Name of the element type, in brackets, such as `[String]`.
    public static var stateTypeName: String { "[\(Element.stateTypeName)]" }

    /// Writes the elements in order. An array of `UInt8` is written as data.
    public func write(to target: inout StateValueWriter) {
        if Element.self == UInt8.self, let bytes = self as? [UInt8] {
            target.writer.write(.data)
            return target.writer.writeBytes(bytes)
        }
        target.writer.write(.array)
        target.writer.writeVarint(UInt64(count))
        target.writeNested { target in
            for element in self where !target.isTooDeep { element.write(to: &target) }
        }
    }

    /// Reads a stored array, or returns `nil` if the stored value or one of its elements has a different type.
    ///
    /// An array of `UInt8` can also be read from data.
    public static func read(from source: inout StateValueReader) throws -> [Element]? {
        switch try source.reader.readTag() {
        case .array: break
        case .data where Element.self == UInt8.self:
            return Array<UInt8>(try source.reader.readBytes()) as? [Element]
        default: return nil
        }
        return try source.readNested { source throws in
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
    /// Names of the key type and the value type, in brackets, such as `[String: Double]`.
    public static var stateTypeName: String { "[String: \(Value.stateTypeName)]" }

    /// Writes the entries in the order of their keys, so that equal dictionaries are stored as equal bytes.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.dictionary)
        target.writer.writeVarint(UInt64(count))
        target.writeNested { target in
            for (key, value) in self.sorted(by: { $0.key < $1.key }) where !target.isTooDeep {
                target.writer.writeText(key)
                value.write(to: &target)
            }
        }
    }

    /// Reads a stored dictionary, or returns `nil` if the stored value or one of its entries has a different type.
    public static func read(from source: inout StateValueReader) throws -> [String: Value]? {
        guard try source.read(.dictionary) else { return nil }
        return try source.readNested { source throws in
            var result: [String: Value] = [:]
            for _ in 0..<(try source.reader.readCount()) {
                let key = try source.reader.readText()
                guard let value = try Value.read(from: &source) else { return nil }
                guard result.updateValue(value, forKey: key) == nil else {
                    throw ValueError.duplicateKey
                }
            }
            return result
        }
    }
}
