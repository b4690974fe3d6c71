/// Gives one object the state that was saved of it.
///
/// A missing key gives nil; a value of another type is a ``StateDecodingError`` (R14).
public final class StateDecoder {
    let source: StateDecoderSource
    private let names: NameTable
    // A coder's own storage is never used by two at once: no code of others runs on it, because the
    // reader is handed over whole while a value is read.
    @exclusivity(unchecked) private(set) var number: RecordNumber
    @exclusivity(unchecked) private var storyboard: UInt32
    @exclusivity(unchecked) private var reader: StateValueReader
    @exclusivity(unchecked) private var finder: KeyFinder
    @exclusivity(unchecked) private var outOfLine: OutOfLineFinder
    @exclusivity(unchecked) private var noted: [StateDecodingError] = []

    /// Gives what was saved of one object, whose storyboard, if any, is told by its name's number.
    package init(
        _ source: StateDecoderSource, number: RecordNumber, storyboard: UInt32 = 0,
        _ saved: SavedValues
    ) {
        self.source = source
        names = source.names
        self.number = number
        self.storyboard = storyboard
        reader = StateValueReader(reader: ValueReader(saved.together))
        finder = KeyFinder(saved.together.indices)
        outOfLine = OutOfLineFinder(saved.outOfLine)
    }

    /// Gives what was saved of another object from now on.
    ///
    /// - Parameter found: the values that a finder of the object has found before.
    func begin(
        _ number: RecordNumber, storyboard: UInt32, _ saved: consuming SavedValues,
        found: FoundValues = FoundValues()
    ) {
        self.number = number
        self.storyboard = storyboard
        finder = KeyFinder(saved.together.indices, found: found.together)
        reader = StateValueReader(reader: ValueReader(saved.together))
        outOfLine = OutOfLineFinder(saved.outOfLine, found: found.outOfLine)
        noted = []
    }

    /// The values that were found by their keys so far.
    var found: FoundValues {
        FoundValues(together: finder.found, outOfLine: outOfLine.found)
    }

    /// Whether it is known, without a look at the values, that all were found.
    var hasFoundAll: Bool { finder.hasFoundAll && outOfLine.hasFoundAll }

    /// The reserved values of the pass that saved this state (P4).
    public var stamp: PassStamp { source.stamp }
    /// The scene that is restored: the way from a restoration class to the scene's delegate.
    public var scene: Scene {
        guard let scene = source.scene else {
            preconditionFailure("only the library has coders without a scene")
        }
        return scene
    }
    /// The storyboard that the saved object was made by, if one did (P4).
    public var storyboardName: String? { source.names.text(of: storyboard) }

    /// The value of a key; nil if nothing was saved under it.
    ///
    /// - Throws: ``StateDecodingError`` if the saved value is of another type (R14).
    @inlinable
    public func decode<Decoded: StateValue>(
        _ type: Decoded.Type = Decoded.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Decoded? {
        try read(key, asked: Decoded.stateTypeName) { try Decoded.read(from: &$0) }
    }

    /// Reads the value of a key; nil if nothing, or nil, was saved under it.
    ///
    /// - Parameters:
    ///   - asked: the type that `body` reads, as a sentence shows it.
    ///   - body: gives nil if the value is of another type.
    @inlinable
    @inline(__always)
    func read<Result>(
        _ key: StaticString, asked: @autoclosure () -> String,
        _ body: (inout StateValueReader) throws -> Result?
    ) throws(StateDecodingError) -> Result? {
        guard var source = try beginValue(key) else { return nil }
        let value: Result?
        do {
            value = try body(&source)
        } catch {
            throw malformed(source, key, error)
        }
        guard let value else { throw mismatch(source, key, asked: asked()) }
        endValue(source)
        return value
    }

    /// Whether a key was saved as nil, which differs from one that was not saved at all.
    @usableFromInline
    func isNull(_ key: StaticString) throws(StateDecodingError) -> Bool {
        let tag = try find(key)
        outOfLine.close()
        return tag == .null
    }

    /// Hands the reader over for the value of a key, until it is given back.
    ///
    /// - Returns: nil if nothing, or nil, was saved under the key.
    @usableFromInline
    func beginValue(_ key: StaticString) throws(StateDecodingError) -> StateValueReader? {
        guard let tag = try find(key), tag != .null else {
            outOfLine.close()
            return nil
        }
        if let reader = outOfLine.open { return StateValueReader(reader: reader) }
        var taken = StateValueReader(reader: ValueReader([]))
        swap(&taken, &reader)
        return taken
    }

    /// Takes the reader back: the next key is looked for behind the value that was read.
    @usableFromInline
    func endValue(_ reader: consuming StateValueReader) {
        if outOfLine.close() { return }
        finder.advance(to: reader.reader.position)
        self.reader = reader
    }

    /// Takes the reader back: the value is none.
    @usableFromInline
    func malformed(
        _ reader: consuming StateValueReader, _ key: StaticString, _ error: any Error
    ) -> StateDecodingError {
        if !outOfLine.close() { self.reader = reader }
        return failure(key, .malformed(reason: String(describing: error)))
    }

    /// Takes the reader back: the value is of another type.
    @usableFromInline
    func mismatch(
        _ reader: consuming StateValueReader, _ key: StaticString, asked: String
    ) -> StateDecodingError {
        do throws(ValueError) {
            if let open = outOfLine.open {
                reader.reader = open
            } else {
                try finder.seekAgain(with: &reader.reader)
            }
            let saved = try reader.reader.readTypeName()
            if !outOfLine.close() { self.reader = reader }
            return failure(key, .typeMismatch(saved: saved, asked: asked))
        } catch {
            return malformed(reader, key, error)
        }
    }

    func failure(_ key: StaticString, _ cause: StateDecodingError.Cause) -> StateDecodingError {
        StateDecodingError(object: source.path(number), key: key.description, cause: cause)
    }

    /// Keeps the error of a ``Restorable`` property, because visiting goes on.
    @usableFromInline
    func note(_ error: StateDecodingError) { noted.append(error) }

    /// The errors kept, which are then forgotten.
    func takeNoted() -> [StateDecodingError] {
        defer { noted = [] }
        return noted
    }

    /// Puts the reader before the value of a key, or opens the large value, and tells its tag.
    private func find(_ key: StaticString) throws(StateDecodingError) -> ValueTag? {
        guard let name = names.existingNumber(for: key) else { return nil }
        do {
            guard try finder.seek(UInt64(name), with: &reader.reader) else {
                return try outOfLine.find(UInt64(name))
            }
            let value = reader.reader.position
            let tag = try reader.reader.readTag()
            reader.reader.seek(to: value)
            return tag
        } catch {
            throw failure(key, .malformed(reason: error.description))
        }
    }

    /// The object that a reference leads to; nil if none was saved, or if it was not restored. The
    /// object may not have decoded its own state yet (R9).
    public func decodeObject<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Object? {
        let number = try read(key, asked: ValueTag.reference.name) {
            try $0.reader.readTaggedReference()
        }
        guard let number else { return nil }
        return try cast(source.object(number), key)
    }

    /// The objects that an array of references leads to, each nil if it was not restored; nil if
    /// nothing was saved under the key.
    public func decodeObjects<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> [Object?]? {
        let numbers = try read(key, asked: "[\(ValueTag.reference.name)]") {
            try $0.reader.readReferences()
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
                guard let number = try source.reader.readTaggedReference() else { return nil }
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

/// The part that the decoders of one launch have in common.
package final class StateDecoderSource {
    let names: NameTable
    let stamp: PassStamp
    let scene: Scene?
    /// The path of a record.
    let path: (RecordNumber) -> String
    /// The object that a record was restored as; nil if it was not.
    let object: (RecordNumber) -> (any StateRestoring)?

    /// What decoders of one launch need; a path is asked for by error sentences alone.
    package init(
        names: NameTable, stamp: PassStamp, scene: Scene? = nil,
        path: @escaping (RecordNumber) -> String,
        object: @escaping (RecordNumber) -> (any StateRestoring)?
    ) {
        self.names = names
        self.stamp = stamp
        self.scene = scene
        self.path = path
        self.object = object
    }
}
