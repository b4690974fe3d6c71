import ExactText
public import StateRestoration

/// A property of a view or a controller, which its class declares once: a storyboard states it, and
/// commands show it.
public struct Property {
    /// The name under which it is stated and shown.
    public let name: String
    let shown: () -> StoredValue?
    let set: ((PropertyValue) throws(PropertyError) -> Void)?

    /// A property with a value to show.
    ///
    /// - Parameters:
    ///   - name: the name under which it is stated and shown.
    ///   - shown: the value, asked for when it is shown; nil: there is none now.
    ///   - set: takes the value that a storyboard states, or refuses one that does not fit; nil: no
    ///     storyboard states one.
    public init(
        _ name: String, _ shown: @autoclosure @escaping () -> StoredValue?,
        set: ((PropertyValue) throws(PropertyError) -> Void)? = nil
    ) {
        self.name = name
        self.shown = shown
        self.set = set
    }

    /// A property that a storyboard states, and that a stored property of an object keeps.
    ///
    /// - Parameters:
    ///   - name: the name under which it is stated and shown.
    ///   - owner: the object.
    ///   - path: its property.
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
            try Int(stated: value, in: bounds)
        }
    }

    /// A number above another.
    public init<Owner: AnyObject>(
        _ name: String, of owner: Owner, _ path: ReferenceWritableKeyPath<Owner, Double>,
        above smallest: Double, isShown: Bool = true
    ) {
        self.init(name, of: owner, path, isShown: isShown) { value throws(PropertyError) in
            try Double(stated: value, above: smallest)
        }
    }
}

/// A property that a storyboard cannot set.
public enum PropertyError: Error, Sendable, Equatable {
    /// There is no such property; these there are.
    case unknownProperty(known: [String])
    /// The value does not fit; why, and what is wanted.
    case invalidValue(String)
}

/// An object whose properties a storyboard states and commands show.
public protocol StoryboardConfigurable: AnyObject {
    /// The properties, those of the own class before those that it inherits. Nothing secret.
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
    public var inspectedProperties: [String: StoredValue] {
        let shown = properties.compactMap { property in
            property.shown().map { (property.name, $0) }
        }
        return Dictionary(shown, uniquingKeysWith: { own, _ in own })
    }
}
