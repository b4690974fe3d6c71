/// A visitor that saves or restores the ``Restorable`` properties of an object.
///
/// An object passes its properties to the visitor in `restorables(_:)`. The library provides the visitors.
public protocol RestorableVisitor {
    /// Task that the visitor performs on the properties.
    var task: RestorableTask { get }
}

/// Task that a ``RestorableVisitor`` performs on properties.
public struct RestorableTask {
    @usableFromInline
    enum Kind {
        case save(StateEncoder)
        case restore(StateDecoder)
        /// Calls a closure with the key of each property.
        case list((StaticString) -> Void)
    }

    @usableFromInline
    let kind: Kind

    init(_ kind: Kind) {
        self.kind = kind
    }
}

extension RestorableVisitor {
    /// Saves or restores a property.
    @inlinable
    @inline(__always)
    public mutating func visit<Value: StateValue>(_ property: inout Restorable<Value>) {
        let key = property.key
        task.perform(key) { coder in
            coder.encode(property.storedValue, forKey: key)
        } restore: { coder throws(StateDecodingError) in
            if let value = try coder.decode(Value.self, forKey: key) {
                property.storedValue = value
            } else {
                try property.migrate(from: coder)
            }
        }
    }

    /// Saves or restores an optional property. A saved `nil` is restored as `nil`.
    @inlinable
    @inline(__always)
    public mutating func visit<Value: StateValue>(_ property: inout Restorable<Value?>) {
        let key = property.key
        task.perform(key) { coder in
            if let value = property.storedValue {
                coder.encode(value, forKey: key)
            } else {
                coder.encodeNull(forKey: key)
            }
        } restore: { coder throws(StateDecodingError) in
            if let value = try coder.decode(Value.self, forKey: key) {
                property.storedValue = value
            } else if try coder.isNull(key) {
                property.storedValue = nil
            } else {
                try property.migrate(from: coder)
            }
        }
    }

    /// Saves or restores a property of any other `Codable` type.
    public mutating func visit<Value: Codable>(_ property: inout Restorable<Value>) {
        let key = property.key
        task.perform(key) { coder in
            coder.encodeIncludingNil(property.storedValue, forKey: key)
        } restore: { coder throws(StateDecodingError) in
            if let value = try coder.decode(Value.self, forKey: key) {
                property.storedValue = value
            } else {
                try property.migrate(from: coder)
            }
        }
    }
}

extension Restorable {
    /// Restores the value from state that an earlier program version saved, if the property has a migration.
    @inlinable
    mutating func migrate(from coder: StateDecoder) throws(StateDecodingError) {
        if let migration, let value = try migration.value(from: coder) { storedValue = value }
    }
}

extension RestorableTask {
    /// Saves or restores the value of a property, or lists its key.
    @inlinable
    @inline(__always)
    package func perform(
        _ key: StaticString, save: (StateEncoder) -> Void,
        restore: (StateDecoder) throws(StateDecodingError) -> Void
    ) {
        switch kind {
        case .save(let coder): save(coder)
        case .restore(let coder):
            do throws(StateDecodingError) { try restore(coder) } catch { coder.recordError(error) }
        case .list(let body): body(key)
        }
    }
}

extension StateEncoder {
    /// Stores the properties that an object lists, followed by the values that the object encodes.
    ///
    /// - Throws: The error that the object throws.
    package func encodeState(of object: any StateRestoring) throws {
        encodeRestorables(of: object)
        try object.encodeRestorableState(with: self)
        encodeExcludedKeys()
    }

    /// Stores the properties that an object lists, and reports properties that it does not list.
    package func encodeRestorables(of object: any StateRestoring) {
        var visitor = LibraryVisitor(task: RestorableTask(.save(self)))
        object.restorables(&visitor)
        let type = ObjectIdentifier(type(of: object))
        let unlistedProperties = names.restorableCheck.unlistedProperties(in: object, of: type)
        if !unlistedProperties.isEmpty { report(unlistedProperties, of: type) }
    }
}

extension StateDecoder {
    /// Restores the properties that an object lists, followed by the values that the object decodes.
    ///
    /// - Throws: The error that occurred, or ``StateDecodingErrors`` if there are several. All other values are still
    ///   decoded.
    package func decodeState(of object: any StateRestoring) throws {
        var visitor = LibraryVisitor(task: RestorableTask(.restore(self)))
        object.restorables(&visitor)
        var errors: [any Error] = consumeErrors()
        do {
            try object.decodeRestorableState(with: self)
        } catch {
            errors.append(error)
        }
        guard let firstError = errors.first else { return }
        throw errors.count == 1 ? firstError : StateDecodingErrors(errors: errors)
    }
}

extension RestorableTask {
    /// Returns the number of times that an object lists each key.
    static func keyCounts(of object: any StateRestoring) -> [String: Int] {
        var keyCounts: [String: Int] = [:]
        var visitor = LibraryVisitor(
            task: RestorableTask(.list { keyCounts[$0.description, default: 0] += 1 }))
        object.restorables(&visitor)
        return keyCounts
    }
}

private struct LibraryVisitor: RestorableVisitor {
    let task: RestorableTask
}
