/// What goes over the ``Restorable`` properties of an object, in either direction.
///
/// An object hands its properties to it in `restorables(_:)`. The library has the visitors.
public protocol RestorableVisitor {
    /// The work that is done on the properties.
    var task: RestorableTask { get }
}

/// The work that a ``RestorableVisitor`` does on properties.
public struct RestorableTask {
    @usableFromInline
    enum Kind {
        case save(StateEncoder)
        case restore(StateDecoder)
        /// Notes the keys of all properties.
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
            coder.encode(property.stored, forKey: key)
        } restore: { coder throws(StateDecodingError) in
            if let value = try coder.decode(Value.self, forKey: key) {
                property.stored = value
            } else {
                try property.migrate(from: coder)
            }
        }
    }

    /// Saves or restores a property that may be nil, and comes back as nil if it was.
    @inlinable
    @inline(__always)
    public mutating func visit<Value: StateValue>(_ property: inout Restorable<Value?>) {
        let key = property.key
        task.perform(key) { coder in
            if let value = property.stored {
                coder.encode(value, forKey: key)
            } else {
                coder.encodeNull(forKey: key)
            }
        } restore: { coder throws(StateDecodingError) in
            if let value = try coder.decode(Value.self, forKey: key) {
                property.stored = value
            } else if try coder.isNull(key) {
                property.stored = nil
            } else {
                try property.migrate(from: coder)
            }
        }
    }

    /// Saves or restores a property of any other `Codable` type.
    public mutating func visit<Value: Codable>(_ property: inout Restorable<Value>) {
        let key = property.key
        task.perform(key) { coder in
            if (property.stored as? any OptionalValue)?.isNil == true {
                coder.encodeNull(forKey: key)
            } else {
                coder.encode(property.stored, forKey: key)
            }
        } restore: { coder throws(StateDecodingError) in
            if let value = try coder.decode(Value.self, forKey: key) {
                property.stored = value
            } else {
                try property.migrate(from: coder)
            }
        }
    }
}

extension Restorable {
    /// Takes the value from what an earlier version of the program saved, if the property came of that.
    @inlinable
    mutating func migrate(from coder: StateDecoder) throws(StateDecodingError) {
        if let migration, let value = try migration.value(from: coder) { stored = value }
    }
}

extension RestorableTask {
    /// Saves or restores what is kept under a key, or notes the key.
    @inlinable
    @inline(__always)
    package func perform(
        _ key: StaticString, save: (StateEncoder) -> Void,
        restore: (StateDecoder) throws(StateDecodingError) -> Void
    ) {
        switch kind {
        case .save(let coder): save(coder)
        case .restore(let coder):
            do throws(StateDecodingError) { try restore(coder) } catch { coder.note(error) }
        case .list(let note): note(key)
        }
    }
}

extension StateEncoder {
    /// Stores the state of an object: first the properties that it lists, then what it encodes.
    ///
    /// - Throws: what the object throws.
    package func encodeState(of object: any StateRestoring) throws {
        encodeRestorables(of: object)
        try object.encodeRestorableState(with: self)
        endKeys()
    }

    /// Stores the properties that an object lists, and reports those that its class does not.
    package func encodeRestorables(of object: any StateRestoring) {
        var visitor = LibraryVisitor(task: RestorableTask(.save(self)))
        object.restorables(&visitor)
        let type = ObjectIdentifier(type(of: object))
        let unlisted = names.restorables.unlisted(in: object, of: type)
        if !unlisted.isEmpty { report(unlisted, of: type) }
    }
}

extension StateDecoder {
    /// Gives an object its state: first the properties that it lists, then what it decodes.
    ///
    /// - Throws: ``StateDecodingErrors`` of all properties that could not be given, and of what the object
    ///   throws. Everything else is decoded all the same.
    package func decodeState(of object: any StateRestoring) throws {
        var visitor = LibraryVisitor(task: RestorableTask(.restore(self)))
        object.restorables(&visitor)
        var errors: [any Error] = takeNoted()
        do {
            try object.decodeRestorableState(with: self)
        } catch {
            errors.append(error)
        }
        guard let first = errors.first else { return }
        throw errors.count == 1 ? first : StateDecodingErrors(errors: errors)
    }
}

extension RestorableTask {
    /// How often an object lists each key.
    static func keys(of object: any StateRestoring) -> [String: Int] {
        var counts: [String: Int] = [:]
        var visitor = LibraryVisitor(
            task: RestorableTask(.list { counts[$0.description, default: 0] += 1 }))
        object.restorables(&visitor)
        return counts
    }
}

private struct LibraryVisitor: RestorableVisitor {
    let task: RestorableTask
}
