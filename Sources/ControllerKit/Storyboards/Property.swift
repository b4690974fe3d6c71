public import StateRestoration

/// A property of a view or a controller, which its class declares once: a storyboard states it, and
/// commands show it.
public struct Property {
    typealias Setter = (PropertyValue) throws(PropertyError) -> Void

    /// The name under which it is stated and shown.
    public let name: String
    let shown: () -> Value?
    let set: Setter?

    /// A property that has a value to show and that no storyboard states.
    ///
    /// - Parameter shown: the value; nil: there is none now.
    public init(_ name: String, _ shown: Value?) {
        self.name = name
        self.shown = { shown }
        set = nil
    }

    /// A property that a storyboard states.
    ///
    /// - Parameters:
    ///   - shown: the value to show; nil: there is none now.
    ///   - set: takes the value that is stated, or refuses one that does not fit.
    public init(
        _ name: String, shown: Value? = nil,
        set: @escaping (PropertyValue) throws(PropertyError) -> Void
    ) {
        self.name = name
        self.shown = { shown }
        self.set = set
    }

    /// A property that a storyboard states, and that is kept in one of its object's.
    ///
    /// - Parameters:
    ///   - isShown: whether commands show it.
    ///   - read: takes the value out of what is stated, or refuses what does not fit.
    public init<Owner: AnyObject, Kept: PropertyConvertible>(
        _ name: String, of owner: Owner, _ path: ReferenceWritableKeyPath<Owner, Kept>,
        isShown: Bool = true,
        read: @escaping (PropertyValue) throws(PropertyError) -> Kept = Kept.init(stated:)
    ) {
        self.name = name
        shown = { isShown ? owner[keyPath: path].inspected : nil }
        set = { value throws(PropertyError) in owner[keyPath: path] = try read(value) }
    }

    /// A whole number within bounds.
    public init<Owner: AnyObject>(
        _ name: String, of owner: Owner, _ path: ReferenceWritableKeyPath<Owner, Int>,
        in bounds: ClosedRange<Int>
    ) {
        self.init(name, of: owner, path) { value throws(PropertyError) in
            try value.integer(in: bounds)
        }
    }

    /// A number above another.
    public init<Owner: AnyObject>(
        _ name: String, of owner: Owner, _ path: ReferenceWritableKeyPath<Owner, Double>,
        above smallest: Double, isShown: Bool = true
    ) {
        self.init(name, of: owner, path, isShown: isShown) { value throws(PropertyError) in
            try value.double(above: smallest)
        }
    }
}

/// A type of properties that a storyboard can state.
public protocol PropertyConvertible {
    /// The value that a storyboard states.
    ///
    /// - Throws: ``PropertyError/invalidValue(_:)`` if it does not fit.
    init(stated value: PropertyValue) throws(PropertyError)

    /// The value as commands show it.
    var inspected: Value { get }
}

extension Bool: PropertyConvertible {
    /// `true` or `false`.
    public init(stated value: PropertyValue) throws(PropertyError) { self = try value.bool() }
    /// The truth value.
    public var inspected: Value { .bool(self) }
}

extension Int: PropertyConvertible {
    /// A whole number.
    public init(stated value: PropertyValue) throws(PropertyError) { self = try value.integer() }
    /// The number.
    public var inspected: Value { .integer(Int64(self)) }
}

extension Double: PropertyConvertible {
    /// A number, whole or not; finite.
    public init(stated value: PropertyValue) throws(PropertyError) { self = try value.double() }
    /// The number.
    public var inspected: Value { .double(self) }
}

extension String: PropertyConvertible {
    /// A text.
    public init(stated value: PropertyValue) throws(PropertyError) { self = try value.string() }
    /// The text.
    public var inspected: Value { .string(self) }
}

extension [String]: PropertyConvertible {
    /// A list of texts.
    public init(stated value: PropertyValue) throws(PropertyError) { self = try value.strings() }
    /// The texts.
    public var inspected: Value { .array(map { .string($0) }) }
}

extension Size: PropertyConvertible {
    /// `[width, height]`.
    public init(stated value: PropertyValue) throws(PropertyError) { self = try value.size() }
    /// Both numbers by their names.
    public var inspected: Value {
        .dictionary(["width": .double(width), "height": .double(height)])
    }
}

extension PropertyConvertible
where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// One of the words.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard let known = Self(rawValue: try value.string()) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue("one of \(words) is wanted")
        }
        self = known
    }

    /// The word.
    public var inspected: Value { .string(rawValue) }
}

/// An object whose properties a storyboard states and commands show.
public protocol StoryboardConfigurable: AnyObject {
    /// The properties, those of the object's own class before those that it inherits. Nothing secret.
    var properties: [Property] { get }
}

extension StoryboardConfigurable {
    /// Sets a property that a storyboard states.
    ///
    /// - Throws: ``PropertyError`` if there is no such property, or the value does not fit.
    public func setProperty(_ name: String, to value: PropertyValue) throws(PropertyError) {
        let settable = properties.filter { $0.set != nil }
        guard let set = settable.first(where: { $0.name == name })?.set else {
            throw .unknownProperty(known: settable.map(\.name))
        }
        try set(value)
    }

    /// The values that commands show besides those that the object saves, by name.
    public var inspectedProperties: [String: Value] {
        let shown = properties.compactMap { property in
            property.shown().map { (property.name, $0) }
        }
        return Dictionary(shown, uniquingKeysWith: { own, _ in own })
    }
}
