/// A decoder for the saved state of one object.
///
/// A missing key decodes as `nil`. If a value does not have the requested type, the decoder throws a
/// ``StateDecodingError`` (R14).
public final class StateDecoder {
    let source: SharedDecoderData
    private let names: NameTable
    // Accesses to the decoder's storage never overlap. No code outside the library accesses the storage,
    // because the whole reader is lent out while a value is read.
    @exclusivity(unchecked) private(set) var number: RecordNumber
    @exclusivity(unchecked) private var storyboardNameNumber: UInt32
    @exclusivity(unchecked) private var reader: StateValueReader
    @exclusivity(unchecked) private var keyFinder: KeyFinder
    @exclusivity(unchecked) private var outOfLineFinder: OutOfLineFinder
    @exclusivity(unchecked) private var recordedErrors: [StateDecodingError] = []

    /// Creates a decoder for the saved state of one object.
    ///
    /// - Parameters:
    ///   - source: The data that all decoders in the launch share.
    ///   - number: The number of the object's record.
    ///   - storyboardNameNumber: The number of the name of the object's storyboard, or 0 if the object has no
    ///     storyboard.
    ///   - savedValues: The saved values.
    package init(
        _ source: SharedDecoderData, number: RecordNumber, storyboardNameNumber: UInt32 = 0,
        _ savedValues: SavedValues
    ) {
        self.source = source
        names = source.names
        self.number = number
        self.storyboardNameNumber = storyboardNameNumber
        reader = StateValueReader(reader: ValueReader(savedValues.inlineValues))
        keyFinder = KeyFinder(savedValues.inlineValues.indices)
        outOfLineFinder = OutOfLineFinder(savedValues.outOfLine)
    }

    /// Switches the decoder to the saved state of a different object.
    ///
    /// - Parameter foundValues: The values in the object's state that an earlier search has already found.
    func beginObject(
        _ number: RecordNumber, storyboardNameNumber: UInt32, _ savedValues: consuming SavedValues,
        foundValues: FoundValues = FoundValues()
    ) {
        self.number = number
        self.storyboardNameNumber = storyboardNameNumber
        keyFinder = KeyFinder(
            savedValues.inlineValues.indices, foundIndexes: foundValues.inlineIndexes)
        reader = StateValueReader(reader: ValueReader(savedValues.inlineValues))
        outOfLineFinder = OutOfLineFinder(
            savedValues.outOfLine, foundIndexes: foundValues.outOfLineIndexes)
    }

    /// Values that have been found by key.
    var foundValues: FoundValues {
        FoundValues(
            inlineIndexes: keyFinder.foundIndexes,
            outOfLineIndexes: outOfLineFinder.foundIndexes)
    }

    /// Whether all values are known to have been found.
    ///
    /// The check reads no values.
    var hasFoundAllValues: Bool { keyFinder.hasFoundAllValues && outOfLineFinder.hasFoundAllValues }

    /// Reserved values from the pass that saved this state (P4).
    public var passMetadata: PassMetadata { source.passMetadata }
    /// Scene that is being restored.
    ///
    /// A restoration class can use it to access the scene's delegate.
    public var scene: Scene {
        guard let scene = source.scene else {
            preconditionFailure("only coders of the library have no scene")
        }
        return scene
    }
    /// Name of the storyboard that created the saved object (P4), or `nil` if no storyboard created it.
    public var storyboardName: String? { source.names.text(of: storyboardNameNumber) }

    /// Returns the value saved under a key, or `nil` if nothing was saved under it.
    ///
    /// - Throws: ``StateDecodingError`` if the saved value has a different type (R14).
    @inlinable
    public func decode<Decoded: StateValue>(
        _ type: Decoded.Type = Decoded.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Decoded? {
        try read(key, requested: Decoded.stateTypeName) { try Decoded.read(from: &$0) }
    }

    /// Reads the value saved under a key, or returns `nil` if the saved value is `nil` or missing.
    ///
    /// - Parameters:
    ///   - requested: The type that `body` reads, for error messages.
    ///   - body: A closure that reads the value. It returns `nil` if the value has a different type.
    @inlinable
    @inline(__always)
    func read<Result>(
        _ key: StaticString, requested: @autoclosure () -> String,
        _ body: (inout StateValueReader) throws -> Result?
    ) throws(StateDecodingError) -> Result? {
        guard var source = try beginValue(key) else { return nil }
        let value: Result?
        do {
            value = try body(&source)
        } catch {
            throw malformed(source, key, error)
        }
        guard let value else { throw mismatch(source, key, requested: requested()) }
        endValue(source)
        return value
    }

    /// Returns whether an explicit `nil` was saved under a key.
    @usableFromInline
    func isNull(_ key: StaticString) throws(StateDecodingError) -> Bool {
        let tag = try find(key)
        outOfLineFinder.close()
        return tag == .null
    }

    /// Lends out the reader, positioned at the value saved under a key.
    ///
    /// The caller must return the reader by calling ``endValue(_:)``, ``malformed(_:_:_:)`` or
    /// ``mismatch(_:_:requested:)``.
    ///
    /// - Returns: The reader, or `nil` if the saved value is `nil` or missing.
    @usableFromInline
    func beginValue(_ key: StaticString) throws(StateDecodingError) -> StateValueReader? {
        guard let tag = try find(key), tag != .null else {
            outOfLineFinder.close()
            return nil
        }
        if let reader = outOfLineFinder.openReader { return StateValueReader(reader: reader) }
        var lentReader = StateValueReader(reader: ValueReader([]))
        swap(&lentReader, &reader)
        return lentReader
    }

    /// Takes back a lent reader after its value has been read.
    ///
    /// The search for the next key starts after this value.
    @usableFromInline
    func endValue(_ reader: consuming StateValueReader) {
        if outOfLineFinder.close() { return }
        keyFinder.advance(to: reader.reader.position)
        self.reader = reader
    }

    /// Takes back a lent reader, and returns an error that reports malformed bytes.
    @usableFromInline
    func malformed(
        _ reader: consuming StateValueReader, _ key: StaticString, _ error: any Error
    ) -> StateDecodingError {
        if !outOfLineFinder.close() { self.reader = reader }
        return failure(key, .malformed(reason: String(describing: error)))
    }

    /// Takes back a lent reader, and returns an error that reports a value of the wrong type.
    @usableFromInline
    func mismatch(
        _ reader: consuming StateValueReader, _ key: StaticString, requested: String
    ) -> StateDecodingError {
        do throws(ValueError) {
            if let openReader = outOfLineFinder.openReader {
                reader.reader = openReader
            } else {
                try keyFinder.seekToLastFound(with: &reader.reader)
            }
            let savedTypeName = try reader.reader.readTypeName()
            if !outOfLineFinder.close() { self.reader = reader }
            return failure(key, .typeMismatch(saved: savedTypeName, requested: requested))
        } catch {
            return malformed(reader, key, error)
        }
    }

    func failure(_ key: StaticString, _ cause: StateDecodingError.Cause) -> StateDecodingError {
        StateDecodingError(
            objectPath: source.pathOfRecord(number), key: key.description, cause: cause)
    }

    /// Records the error of a ``Restorable`` property, so that the remaining properties are still visited.
    @usableFromInline
    func recordError(_ error: StateDecodingError) { recordedErrors.append(error) }

    /// Returns and clears the recorded errors.
    func consumeErrors() -> [StateDecodingError] {
        defer { recordedErrors = [] }
        return recordedErrors
    }

    /// Finds the value saved under a key and returns its tag, or `nil` if there is no value.
    ///
    /// The method moves the reader to the value, or opens the value if it is stored out of line.
    private func find(_ key: StaticString) throws(StateDecodingError) -> ValueTag? {
        guard let keyNumber = names.existingNumber(for: key) else { return nil }
        do throws(ValueError) {
            var inlineError: ValueError?
            do throws(ValueError) {
                if try keyFinder.seek(UInt64(keyNumber), with: &reader.reader) {
                    let valuePosition = reader.reader.position
                    let tag = try reader.reader.readTag()
                    reader.reader.seek(to: valuePosition)
                    return tag
                }
            } catch {
                // An invalid value does not affect the values that are stored out of line.
                inlineError = error
            }
            if let tag = try outOfLineFinder.find(UInt64(keyNumber)) { return tag }
            if let inlineError { throw inlineError }
            return nil
        } catch {
            throw failure(key, .malformed(reason: error.description))
        }
    }

    /// Returns the object that a saved reference identifies.
    ///
    /// The object might not have decoded its own state yet (R9).
    ///
    /// - Returns: The object, or `nil` if no reference was saved or the object was not restored.
    public func decodeObject<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Object? {
        let number = try read(key, requested: ValueTag.reference.name) {
            try $0.reader.readTaggedReference()
        }
        guard let number else { return nil }
        return try cast(source.objectOfRecord(number), key)
    }

    /// Returns the objects that a saved array of references identifies.
    ///
    /// - Returns: The objects, with `nil` for each object that was not restored. The whole result is `nil` if
    ///   nothing was saved under the key.
    public func decodeObjects<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> [Object?]? {
        let recordNumbers = try read(key, requested: "[\(ValueTag.reference.name)]") {
            try $0.reader.readReferences()
        }
        guard let recordNumbers else { return nil }
        var objects: [Object?] = []
        for number in recordNumbers { objects.append(try cast(source.objectOfRecord(number), key)) }
        return objects
    }

    /// Returns the objects that a saved dictionary of references identifies.
    ///
    /// - Returns: The objects, with `nil` for each object that was not restored. The whole result is `nil` if
    ///   nothing was saved under the key.
    public func decodeNamedObjects<Object>(
        _ type: Object.Type = Object.self, forKey key: StaticString
    ) throws(StateDecodingError) -> [String: Object?]? {
        let recordNumbers = try read(key, requested: "[String: \(ValueTag.reference.name)]") {
            source in
            guard try source.read(.dictionary) else { return [String: RecordNumber]?.none }
            var recordNumbers: [String: RecordNumber] = [:]
            for _ in 0..<(try source.reader.readCount()) {
                let name = try source.reader.readText()
                guard let number = try source.reader.readTaggedReference() else { return nil }
                guard recordNumbers.updateValue(number, forKey: name) == nil else {
                    throw ValueError.duplicateKey
                }
            }
            return recordNumbers
        }
        guard let recordNumbers else { return nil }
        var objects: [String: Object?] = [:]
        for (name, number) in recordNumbers {
            objects.updateValue(try cast(source.objectOfRecord(number), key), forKey: name)
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
                    requested: String(describing: Object.self)))
        }
        return object
    }
}

/// Data that all decoders in one launch share.
package final class SharedDecoderData {
    let names: NameTable
    let passMetadata: PassMetadata
    let scene: Scene?
    /// Closure that returns the path of a record.
    let pathOfRecord: (RecordNumber) -> String
    /// Closure that returns the object restored from a record, or `nil` if the object was not restored.
    let objectOfRecord: (RecordNumber) -> (any StateRestoring)?

    /// Creates the shared data.
    ///
    /// Paths are requested only for error messages.
    package init(
        names: NameTable, passMetadata: PassMetadata, scene: Scene? = nil,
        path: @escaping (RecordNumber) -> String,
        object: @escaping (RecordNumber) -> (any StateRestoring)?
    ) {
        self.names = names
        self.passMetadata = passMetadata
        self.scene = scene
        pathOfRecord = path
        objectOfRecord = object
    }
}
