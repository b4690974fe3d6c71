/// A property that is saved and restored with its object.
///
/// Assigning a different value marks the object, so that the next pass saves the object (P14). The class lists the
/// property once, for saving and restoring, and needs no further code:
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
/// The properties are saved before `encodeRestorableState(with:)` is called and restored before
/// `decodeRestorableState(with:)` is called. Their keys are in the same namespace as the keys that these methods use. A
/// property keeps its value if nothing was saved under its key. Restoring a property does not mark the object and does
/// not call `didSet`. A property that the class does not list is reported
/// (``StateEncodingError/Cause/restorableNotListed(property:)``).
@propertyWrapper
public struct Restorable<Value: Codable> {
    /// Key under which the property is saved.
    public let key: StaticString
    /// Current value. Accessing this property directly does not mark the object.
    @usableFromInline
    var storedValue: Value
    /// Conversion from state that an earlier program version saved, or `nil` if the property needs no conversion.
    @usableFromInline
    let migration: PropertyMigration<Value>?

    /// Creates a property with an initial value.
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - key: The key under which the property is saved. It is unique in the object and does not begin with
    ///     `@`.
    @inlinable
    public init(wrappedValue: Value, _ key: StaticString) {
        self.key = key
        storedValue = wrappedValue
        migration = nil
    }

    /// Creates a property whose initial value is `nil`.
    @inlinable
    public init(_ key: StaticString) where Value: ExpressibleByNilLiteral {
        self.init(wrappedValue: nil, key)
    }

    /// Creates a property that an earlier version of the program saved under a different key.
    ///
    /// ```swift
    /// @Restorable("fraction", migratingFrom: "progress", by: { (percent: Int) in Double(percent) / 100 })
    /// var fraction = 0.0
    /// ```
    ///
    /// - Parameters:
    ///   - wrappedValue: The initial value.
    ///   - key: The key under which the property is saved now. A value under this key takes precedence.
    ///   - earlier: The key under which the property was saved earlier.
    ///   - convert: A closure that converts the earlier value. Errors that it throws are reported as `decode-failed`.
    public init<Earlier: Codable>(
        wrappedValue: Value, _ key: StaticString, migratingFrom earlier: StaticString,
        by convert: @escaping (Earlier) throws -> Value
    ) {
        self.key = key
        storedValue = wrappedValue
        migration = PropertyMigration(earlier, convert)
    }

    /// Creates a property that an earlier version of the program saved under a different key, but with the same type.
    public init(
        wrappedValue: Value, _ key: StaticString, migratingFrom earlier: StaticString
    ) {
        self.init(
            wrappedValue: wrappedValue, key, migratingFrom: earlier, by: { (value: Value) in value }
        )
    }

    /// The property itself, for use in `restorables(_:)`.
    @inlinable
    public var projectedValue: Restorable {
        get { self }
        set { self = newValue }
    }

    /// Unavailable, because only properties of classes can use this wrapper.
    @available(
        *, unavailable,
        message: "@Restorable can be used only in a class that conforms to StateRestoring"
    )
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    /// Accesses the value, and marks the object if a new value differs from the old value.
    ///
    /// Two values differ if they would be stored as different bytes, or if they cannot be compared.
    @inlinable
    public static subscript<Owner: StateRestoring>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Restorable>
    ) -> Value {
        get { owner[keyPath: storage].storedValue }
        set {
            let isSame = isSame(newValue, owner[keyPath: storage].storedValue)
            owner[keyPath: storage].storedValue = newValue
            if !isSame { owner.invalidateRestorableState() }
        }
        // Modifies the value in place, so that appending to an array does not copy it. If invalidating the object could
        // overwrite state that an earlier launch did not restore (R16), the previous value is copied for comparison.
        // Otherwise, the pass determines whether the value differs (P16).
        _modify {
            let previousValue =
                owner.restoration.mayRetainUnrestoredRecords
                ? owner[keyPath: storage].storedValue : nil
            defer {
                let isUnchanged =
                    previousValue.map { isSame(owner[keyPath: storage].storedValue, $0) } ?? false
                if !isUnchanged { owner.invalidateRestorableState() }
            }
            yield &owner[keyPath: storage].storedValue
        }
    }

    @inlinable
    static func isSame(_ value: Value, _ other: Value) -> Bool {
        func isEqual<Known: Equatable>(_ value: Known) -> Bool { value == other as? Known }
        guard let equatable = value as? any Equatable, isEqual(equatable) else { return false }
        return haveEqualStoredForms(value, other)
    }
}

/// A property wrapper whose properties must be listed in `restorables(_:)`.
///
/// ``RestorableCheck`` recognizes the wrapper by reflection.
package protocol ListedProperty {
    /// Key under which the property is saved.
    var key: StaticString { get }
}

extension Restorable: ListedProperty {}

/// Conversion that restores a ``Restorable`` property from the state of an earlier program version.
@usableFromInline
final class PropertyMigration<Value> {
    private let migrate: (StateDecoder) throws(StateDecodingError) -> Value?

    init<Earlier: Codable>(
        _ key: StaticString, _ convert: @escaping (Earlier) throws -> Value
    ) {
        migrate = { coder throws(StateDecodingError) in
            guard let savedValue = try coder.decode(Earlier.self, forKey: key) else { return nil }
            do {
                return try convert(savedValue)
            } catch {
                throw coder.failure(
                    key, .refused(type: "\(Value.self)", reason: String(describing: error)))
            }
        }
    }

    /// Returns the converted value, or `nil` if nothing was saved under the earlier key.
    @usableFromInline
    func value(from coder: StateDecoder) throws(StateDecodingError) -> Value? {
        try migrate(coder)
    }
}
