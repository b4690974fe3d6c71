public import StateRestoration

/// Type that can be used for command arguments and results.
///
/// Booleans, integers, floating-point numbers and strings conform to this protocol, as do optionals, arrays and
/// dictionaries of these types.
public protocol CommandValue {
    /// Type in the notation of the Varlink specification, such as `[]string`.
    static var commandType: String { get }
    /// Creates a value from an argument, or returns `nil` if the argument has the wrong type.
    ///
    /// An omitted argument is passed as null.
    init?(commandValue value: StoredValue)
    /// The value, represented as a command's argument or result.
    var commandValue: StoredValue { get }
}

extension Bool: CommandValue {
    /// Varlink type `bool`.
    public static var commandType: String { "bool" }
    /// Creates a Boolean, or returns `nil` if the argument is not a Boolean.
    public init?(commandValue value: StoredValue) {
        guard case .bool(let value) = value else { return nil }
        self = value
    }
    /// The Boolean as a command's argument or result.
    public var commandValue: StoredValue { .bool(self) }
}

extension Int: CommandValue {
    /// Varlink type `int`.
    public static var commandType: String { "int" }
    /// Creates an integer, or returns `nil` if the argument is not an integer.
    public init?(commandValue value: StoredValue) {
        guard case .integer(let value) = value else { return nil }
        self.init(exactly: value)
    }
    /// The integer as a command's argument or result.
    public var commandValue: StoredValue { .integer(Int64(self)) }
}

extension Double: CommandValue {
    /// Varlink type `float`.
    public static var commandType: String { "float" }
    /// Creates a floating-point number, or returns `nil` if the argument is not a number or would lose precision.
    public init?(commandValue value: StoredValue) {
        switch value {
        case .double(let value): self = value
        case .integer(let value): self.init(exactly: value)
        default: return nil
        }
    }
    /// The number as a command's argument or result.
    public var commandValue: StoredValue { .double(self) }
}

extension String: CommandValue {
    /// Varlink type `string`.
    public static var commandType: String { "string" }
    /// Creates a string, or returns `nil` if the argument is not a string.
    public init?(commandValue value: StoredValue) {
        guard case .string(let value) = value else { return nil }
        self = value
    }
    /// The string as a command's argument or result.
    public var commandValue: StoredValue { .string(self) }
}

extension Optional: CommandValue where Wrapped: CommandValue {
    /// Varlink type of the wrapped value, preceded by a question mark, such as `?int`.
    public static var commandType: String { "?\(Wrapped.commandType)" }
    /// Creates an optional, or returns `nil` if the argument has the wrong type. A null argument creates an optional
    /// that is `nil`.
    public init?(commandValue value: StoredValue) {
        if case .null = value {
            self = nil
        } else {
            guard let wrapped = Wrapped(commandValue: value) else { return nil }
            self = wrapped
        }
    }
    /// The wrapped value as a command's argument or result, or null if the optional is `nil`.
    public var commandValue: StoredValue { self?.commandValue ?? .null }
}

extension Array: CommandValue where Element: CommandValue {
    /// Varlink type of the elements, preceded by brackets, such as `[]int`.
    public static var commandType: String { "[]\(Element.commandType)" }
    /// Creates an array, or returns `nil` if the argument is not an array or an element has the wrong type.
    public init?(commandValue value: StoredValue) {
        guard case .array(let values) = value else { return nil }
        var elements: [Element] = []
        for value in values {
            guard let element = Element(commandValue: value) else { return nil }
            elements.append(element)
        }
        self = elements
    }
    /// The elements, in the array's order, as a command's argument or result.
    public var commandValue: StoredValue { .array(map(\.commandValue)) }
}

extension Dictionary: CommandValue where Key == String, Value: CommandValue {
    /// Varlink type of the values, preceded by the type of the keys in brackets, such as `[string]int`.
    public static var commandType: String { "[string]\(Value.commandType)" }
    /// Creates a dictionary, or returns `nil` if the argument is not a dictionary or a value has the wrong type.
    public init?(commandValue value: StoredValue) {
        guard case .dictionary(let values) = value else { return nil }
        var valuesByName: [String: Value] = [:]
        for (name, value) in values {
            guard let value = Value(commandValue: value) else { return nil }
            valuesByName[name] = value
        }
        self = valuesByName
    }
    /// The values, keyed by name, as a command's argument or result.
    public var commandValue: StoredValue { .dictionary(mapValues(\.commandValue)) }
}
