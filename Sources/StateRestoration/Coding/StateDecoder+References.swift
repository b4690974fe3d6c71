extension StateDecoder {
    /// The object that a reference leads to; nil if none was saved, or if it was not restored. The
    /// object may not have decoded its own state yet (R9).
    public func decodeObject<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Object? {
        let number = try read(key, asked: ValueTag.reference.name) { try $0.readReference() }
        guard let number else { return nil }
        return try cast(source.object(number), key)
    }

    /// The objects that an array of references leads to, each nil if it was not restored; nil if
    /// nothing was saved under the key.
    public func decodeObjects<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> [Object?]? {
        let numbers = try read(key, asked: "[\(ValueTag.reference.name)]") { source in
            guard try source.read(.array) else { return [RecordNumber]?.none }
            var numbers: [RecordNumber] = []
            for _ in 0..<(try source.reader.readCount()) {
                guard let number = try source.readReference() else { return nil }
                numbers.append(number)
            }
            return numbers
        }
        guard let numbers else { return nil }
        var objects: [Object?] = []
        for number in numbers { objects.append(try cast(source.object(number), key)) }
        return objects
    }

    /// The objects that a dictionary of references leads to, each nil if it was not restored; nil
    /// if nothing was saved under the key.
    public func decodeNamedObjects<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> [String: Object?]? {
        let numbers = try read(key, asked: "[String: \(ValueTag.reference.name)]") { source in
            guard try source.read(.dictionary) else { return [String: RecordNumber]?.none }
            var numbers: [String: RecordNumber] = [:]
            for _ in 0..<(try source.reader.readCount()) {
                let name = try source.reader.readText()
                guard let number = try source.readReference() else { return nil }
                guard numbers.updateValue(number, forKey: name) == nil else {
                    throw ValueError.keyTwice
                }
            }
            return numbers
        }
        guard let numbers else { return nil }
        var objects: [String: Object?] = [:]
        for (name, number) in numbers {
            objects.updateValue(try cast(source.object(number), key), forKey: name)
        }
        return objects
    }

    private func cast<Object>(
        _ object: (any StateRestoring)?, _ key: StaticString
    ) throws(StateDecodingError) -> Object? {
        guard let object else { return nil }
        guard let object = object as? Object else {
            throw failure(
                key,
                .typeMismatch(
                    saved: String(describing: type(of: object)),
                    asked: String(describing: Object.self)))
        }
        return object
    }
}

extension StateValueReader {
    /// Reads a reference; nil if the stored value is of another type.
    fileprivate mutating func readReference() throws(ValueError) -> RecordNumber? {
        guard try read(.reference) else { return nil }
        return try reader.readReference()
    }
}
