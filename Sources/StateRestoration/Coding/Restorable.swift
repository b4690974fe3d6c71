/// A property that is saved and restored with its object.
///
/// Setting it to another value marks the object, so that the next pass saves it (P14). Its class
/// lists it once, for both directions, and needs no further code:
///
/// ```swift
/// final class NoteController: ViewController {
///     @Restorable("text") var text = ""
///     @Restorable("selection") var selection: Range<Int>?
///
///     override func restorables(_ visitor: inout some RestorableVisitor) {
///         super.restorables(&visitor)
///         visitor.visit(&$text)
///         visitor.visit(&$selection)
///     }
/// }
/// ```
///
/// The properties are saved before `encodeRestorableState(with:)` is called, under keys that share
/// the object's namespace with those that it encodes there, and restored before
/// `decodeRestorableState(with:)` is called. A key that was not saved leaves the property as it is.
/// Restoring marks nothing, and calls no `didSet`. A property that is not listed is reported
/// (``StateEncodingError/Cause/restorableNotListed(property:)``).
@propertyWrapper
public struct Restorable<Value: Codable> {
    /// The key under which the property is saved.
    public let key: StaticString
    /// The value, read and written without marking the object.
    @usableFromInline
    var stored: Value
    /// How it comes back from what an earlier version of the program saved; nil: that was the same.
    @usableFromInline
    let migration: PropertyMigration<Value>?

    /// A property with an initial value.
    ///
    /// - Parameters:
    ///   - wrappedValue: the initial value.
    ///   - key: the key under which it is saved; unique in the object, not beginning with `@`.
    @inlinable
    public init(wrappedValue: Value, _ key: StaticString) {
        self.key = key
        stored = wrappedValue
        migration = nil
    }

    /// A property that is nil at first.
    @inlinable
    public init(_ key: StaticString) where Value: ExpressibleByNilLiteral {
        self.init(wrappedValue: nil, key)
    }

    /// A property that an earlier version of the program saved under another key.
    ///
    /// ```swift
    /// @Restorable("fraction", migratingFrom: "progress", by: { (percent: Int) in Double(percent) / 100 })
    /// var fraction = 0.0
    /// ```
    ///
    /// - Parameters:
    ///   - wrappedValue: the initial value.
    ///   - key: the key under which it is saved now. A value there has precedence.
    ///   - earlier: the key under which it was saved.
    ///   - convert: makes the value of what was saved there. Errors that it throws are reported as
    ///     `decode-failed`.
    public init<Earlier: Codable>(
        wrappedValue: Value, _ key: StaticString, migratingFrom earlier: StaticString,
        by convert: @escaping (Earlier) throws -> Value
    ) {
        self.key = key
        stored = wrappedValue
        migration = PropertyMigration(earlier, convert)
    }

    /// A property that an earlier version of the program saved as the same type under another key.
    public init(
        wrappedValue: Value, _ key: StaticString, migratingFrom earlier: StaticString
    ) {
        self.init(
            wrappedValue: wrappedValue, key, migratingFrom: earlier, by: { (value: Value) in value }
        )
    }

    /// The property itself, to be listed in `restorables(_:)`.
    @inlinable
    public var projectedValue: Restorable {
        get { self }
        set { self = newValue }
    }

    /// Not used: the property belongs to a class.
    @available(*, unavailable, message: "a class that conforms to StateRestoring has @Restorable")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    /// Gives the value, and marks the object when it is set to another. A value counts as another one if it is stored
    /// as other bytes, or cannot be compared.
    @inlinable
    public static subscript<Owner: StateRestoring>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Restorable>
    ) -> Value {
        get { owner[keyPath: storage].stored }
        set {
            let isSame = isSame(newValue, owner[keyPath: storage].stored)
            owner[keyPath: storage].stored = newValue
            if !isSame { owner.invalidateRestorableState() }
        }
        // In place, so that appending to an array copies nothing of it. What it was is kept to compare only
        // where a mark would take what an earlier launch could not restore (R16); else the pass finds out
        // whether it is another (P16).
        _modify {
            let before = owner.restoration.mayKeepRecords ? owner[keyPath: storage].stored : nil
            defer {
                let isKnown = before.map { isSame(owner[keyPath: storage].stored, $0) } ?? false
                if !isKnown { owner.invalidateRestorableState() }
            }
            yield &owner[keyPath: storage].stored
        }
    }

    @inlinable
    static func isSame(_ value: Value, _ other: Value) -> Bool {
        func isEqual<Known: Equatable>(_ value: Known) -> Bool { value == other as? Known }
        guard let equatable = value as? any Equatable, isEqual(equatable) else { return false }
        return isStoredAlike(value, other)
    }
}

/// Finds the properties, ``Restorable`` and of other wrappers, that classes do not list in
/// `restorables(_:)`, by reflection, once for each class.
final class RestorableCheck {
    private var findings: [ObjectIdentifier: [StateEncoder.Problem]] = [:]
    /// The class that was asked for last, which lists everything.
    private var lastComplete: ObjectIdentifier?

    /// The properties that the class of an object does not list.
    func unlisted(
        in object: any StateRestoring, of type: ObjectIdentifier
    ) -> [StateEncoder.Problem] {
        if type == lastComplete { return [] }
        let found = findings[type] ?? look(at: object)
        findings[type] = found
        if found.isEmpty { lastComplete = type }
        return found
    }

    private func look(at object: any StateRestoring) -> [StateEncoder.Problem] {
        var counts = RestorableTask.keys(of: object)
        var unlisted: [StateEncoder.Problem] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            // Swift stores what a wrapper holds under "_" and the property's name. Each type that is
            // looked at for the first time is searched for in the whole program, so others are not.
            for case let (label?, value) in current.children where label.hasPrefix("_") {
                guard let property = value as? any ListedProperty else { continue }
                if let count = counts[property.key.description], count > 0 {
                    counts[property.key.description] = count - 1
                } else {
                    unlisted.append(
                        StateEncoder.Problem(
                            property.key.description,
                            .restorableNotListed(property: String(label.dropFirst()))))
                }
            }
            mirror = current.superclassMirror
        }
        return unlisted
    }
}

/// A wrapper of properties that are listed in `restorables(_:)`, as reflection recognises it.
package protocol ListedProperty {
    /// The key under which the property is saved.
    var key: StaticString { get }
}

extension Restorable: ListedProperty {}

/// How a ``Restorable`` property comes back from what an earlier version of the program saved.
@usableFromInline
final class PropertyMigration<Value> {
    private let migrate: (StateDecoder) throws(StateDecodingError) -> Value?

    init<Earlier: Codable>(
        _ key: StaticString, _ convert: @escaping (Earlier) throws -> Value
    ) {
        migrate = { coder throws(StateDecodingError) in
            guard let saved = try coder.decode(Earlier.self, forKey: key) else { return nil }
            do {
                return try convert(saved)
            } catch {
                throw coder.failure(
                    key, .refused(type: "\(Value.self)", reason: String(describing: error)))
            }
        }
    }

    /// The value, from what was saved under the earlier key; nil if nothing was.
    @usableFromInline
    func value(from coder: StateDecoder) throws(StateDecodingError) -> Value? {
        try migrate(coder)
    }
}
