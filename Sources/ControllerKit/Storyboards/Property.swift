import ExactText
public import StateRestoration

/// A property of a view or a controller that storyboards can set and commands can show.
///
/// The class of the object declares the property once, for both purposes.
public struct Property {
    /// The name of the property in storyboards and commands.
    public let name: String
    /// Closure that returns the value for commands to show, or `nil` if there is none.
    let currentValue: () -> StoredValue?
    /// Closure that sets the value from a storyboard, or `nil` if storyboards cannot set the property.
    let setValue: ((PropertyValue) throws(PropertyError) -> Void)?

    /// Creates a property with a value that commands show.
    ///
    /// - Parameters:
    ///   - name: The name of the property in storyboards and commands.
    ///   - currentValue: The value, which is evaluated each time it is shown, or `nil` if there is currently no value.
    ///   - set: A closure that sets the value from a storyboard and throws an error if the value is not valid, or `nil`
    ///     if storyboards cannot set the property.
    public init(
        _ name: String, _ currentValue: @autoclosure @escaping () -> StoredValue?,
        set: ((PropertyValue) throws(PropertyError) -> Void)? = nil
    ) {
        self.name = name
        self.currentValue = currentValue
        setValue = set
    }

    /// Creates a property that is backed by an object's property and that storyboards can set.
    ///
    /// - Parameters:
    ///   - name: The name of the property in storyboards and commands.
    ///   - owner: The object.
    ///   - path: The key path to the object's property.
    ///   - isShown: Whether commands show the property.
    ///   - read: A closure that converts the value from a storyboard and throws an error if the value is not valid.
    public init<Owner: AnyObject, Value: PropertyConvertible>(
        _ name: String, of owner: Owner, _ path: ReferenceWritableKeyPath<Owner, Value>,
        isShown: Bool = true,
        read: @escaping (PropertyValue) throws(PropertyError) -> Value = Value.init(
            storyboardValue:)
    ) {
        self.name = name
        currentValue = { isShown ? owner[keyPath: path].inspectionValue : nil }
        setValue = { value throws(PropertyError) in owner[keyPath: path] = try read(value) }
    }

    /// Creates a property for an integer that must be within bounds.
    public init<Owner: AnyObject>(
        _ name: String, of owner: Owner, _ path: ReferenceWritableKeyPath<Owner, Int>,
        in bounds: ClosedRange<Int>
    ) {
        self.init(name, of: owner, path) { value throws(PropertyError) in
            try Int(storyboardValue: value, in: bounds)
        }
    }

    /// Creates a property for a number that must be greater than a limit.
    public init<Owner: AnyObject>(
        _ name: String, of owner: Owner, _ path: ReferenceWritableKeyPath<Owner, Double>,
        above exclusiveLowerBound: Double, isShown: Bool = true
    ) {
        self.init(name, of: owner, path, isShown: isShown) { value throws(PropertyError) in
            try Double(storyboardValue: value, above: exclusiveLowerBound)
        }
    }
}

/// An error that describes why a storyboard cannot set a property.
public enum PropertyError: Error, Sendable, Equatable {
    /// The property does not exist, or storyboards cannot set it.
    ///
    /// `known` contains the names of the properties that storyboards can set.
    case unknownProperty(known: [String])
    /// The value is not valid.
    ///
    /// The text states what kind of value is required.
    case invalidValue(String)
}

/// An object whose properties storyboards can set and commands can show.
public protocol StoryboardConfigurable: AnyObject {
    /// The properties, with the properties of the object's own class first.
    ///
    /// Their values must not contain secrets.
    var properties: [Property] { get }
}

extension StoryboardConfigurable {
    /// Sets a property to a value from a storyboard.
    ///
    /// - Throws: ``PropertyError`` if there is no such property, or if the value is not valid.
    public func setProperty(_ name: String, to value: PropertyValue) throws(PropertyError) {
        let settableProperties = properties.filter { $0.setValue != nil }
        guard let setValue = settableProperties.first(where: { $0.name == name })?.setValue else {
            throw .unknownProperty(known: settableProperties.map(\.name))
        }
        try setValue(value)
    }

    /// The values that commands show in addition to the saved values, keyed by property name.
    public var inspectedProperties: [String: StoredValue] {
        let shownValues = properties.compactMap { property in
            property.currentValue().map { (property.name, $0) }
        }
        return Dictionary(shownValues, uniquingKeysWith: { own, _ in own })
    }

    /// Returns the value that ``inspectedProperties`` contains for a property, or `nil` if it contains none.
    package func inspectedValue(of name: String) -> StoredValue? {
        for property in properties where property.name == name {
            if let value = property.currentValue() { return value }
        }
        return nil
    }
}
