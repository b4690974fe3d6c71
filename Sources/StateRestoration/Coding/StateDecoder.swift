/// Gives one object the state that was saved of it.
///
/// A missing key gives nil; a value of another type is a ``StateDecodingError`` (R14).
public final class StateDecoder {
    /// The reserved values of the pass that saved this state (P4).
    public let stamp: PassStamp
    /// The storyboard that the saved object was made by, if one did (P4).
    public let storyboardName: String?

    private let restoredScene: Scene?
    private let names: NameTable
    private let resolve: (RecordNumber) -> (any StateRestoring)?
    private let object: () -> String
    private var source: StateValueReader
    private let start: Int
    private var cursor: Int

    init(
        object: @escaping () -> String, values: ArraySlice<UInt8>, names: NameTable,
        stamp: PassStamp, storyboardName: String?, scene: Scene? = nil,
        resolve: @escaping (RecordNumber) -> (any StateRestoring)?
    ) {
        self.object = object
        self.names = names
        self.stamp = stamp
        self.storyboardName = storyboardName
        restoredScene = scene
        self.resolve = resolve
        source = StateValueReader(reader: ValueReader(values))
        start = source.reader.position
        cursor = start
    }

    /// The scene that is restored: the way from a restoration class to the scene's delegate.
    public var scene: Scene {
        guard let restoredScene else {
            preconditionFailure("only the library has coders without a scene")
        }
        return restoredScene
    }

    /// The value of a key; nil if nothing was saved under it.
    ///
    /// - Throws: ``StateDecodingError`` if the saved value is of another type (R14).
    public func decode<Decoded: StateValue>(
        _ type: Decoded.Type = Decoded.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Decoded? {
        guard let found = try find(key) else { return nil }
        do {
            if let value = try Decoded.read(from: &source) { return value }
        } catch {
            throw failure(key, .malformed(reason: String(describing: error)))
        }
        throw failure(key, .typeMismatch(saved: found.name, asked: Decoded.stateTypeName))
    }

    /// The object that a reference leads to; nil if none was saved, or if it was not restored. The
    /// object may not have decoded its own state yet (R9).
    public func decodeObject<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Object? {
        guard let found = try find(key) else { return nil }
        guard found == .reference else {
            throw failure(
                key, .typeMismatch(saved: found.name, asked: ValueTag.reference.name))
        }
        let reference = try read(key) { source throws(ValueError) in
            _ = try source.reader.readTag()
            return try source.reader.readReference()
        }
        return try cast(resolve(reference), key)
    }

    /// The objects that an array of references leads to, each nil if it was not restored; nil if
    /// nothing was saved under the key.
    public func decodeObjects<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> [Object?]? {
        guard let found = try find(key) else { return nil }
        let numbers = try read(key) { source throws(ValueError) -> [RecordNumber]? in
            guard try source.reader.readTag() == .array else { return nil }
            var numbers: [RecordNumber] = []
            for _ in 0..<(try source.reader.readCount()) {
                guard try source.reader.readTag() == .reference else { return nil }
                numbers.append(try source.reader.readReference())
            }
            return numbers
        }
        guard let numbers else {
            throw failure(key, .typeMismatch(saved: found.name, asked: "array of references"))
        }
        var objects: [Object?] = []
        for number in numbers { objects.append(try cast(resolve(number), key)) }
        return objects
    }

    /// The objects that a dictionary of references leads to, each nil if it was not restored; nil
    /// if nothing was saved under the key.
    public func decodeNamedObjects<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> [String: Object?]? {
        guard let found = try find(key) else { return nil }
        let numbers = try read(key) { source throws(ValueError) -> [String: RecordNumber]? in
            guard try source.reader.readTag() == .dictionary else { return nil }
            var numbers: [String: RecordNumber] = [:]
            for _ in 0..<(try source.reader.readCount()) {
                let name = try source.reader.readText()
                guard try source.reader.readTag() == .reference else { return nil }
                numbers[name] = try source.reader.readReference()
            }
            return numbers
        }
        guard let numbers else {
            throw failure(
                key, .typeMismatch(saved: found.name, asked: "dictionary of references"))
        }
        var objects: [String: Object?] = [:]
        for (name, number) in numbers {
            objects.updateValue(try cast(resolve(number), key), forKey: name)
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

    /// Finds a key, first behind the one found last: objects mostly decode in the order in which
    /// they encoded. Leaves the reader before the value's tag, and tells the tag.
    private func find(_ key: StaticString) throws(StateDecodingError) -> ValueTag? {
        guard let number = names.existingNumber(for: key) else { return nil }
        return try read(key) { source throws(ValueError) in
            source.reader.seek(to: cursor)
            var wrapped = false
            while true {
                if source.reader.isAtEnd {
                    if wrapped || start == cursor { return nil }
                    wrapped = true
                    source.reader.seek(to: start)
                }
                if wrapped && source.reader.position >= cursor { return nil }
                let isFound = try source.reader.readVarint() == UInt64(number)
                let value = source.reader.position
                try source.reader.skipValue()
                if isFound {
                    cursor = source.reader.position
                    source.reader.seek(to: value)
                    let tag = try source.reader.readTag()
                    source.reader.seek(to: value)
                    return tag
                }
            }
        }
    }

    private func read<Result>(
        _ key: StaticString, _ body: (inout StateValueReader) throws(ValueError) -> Result
    ) throws(StateDecodingError) -> Result {
        do {
            return try body(&source)
        } catch {
            throw failure(key, .malformed(reason: error.description))
        }
    }

    private func failure(
        _ key: StaticString, _ cause: StateDecodingError.Cause
    ) -> StateDecodingError {
        StateDecodingError(object: object(), key: key.description, cause: cause)
    }
}
