public import StateRestoration

/// A type of arguments and results of commands.
///
/// Booleans, integers, floating-point numbers and strings conform to it. So do optionals, arrays and
/// dictionaries of these types.
public protocol CommandValue {
    /// Type in the notation of the Varlink specification, for example `[]string`.
    static var commandType: String { get }
    /// Creates a value from an argument, or returns `nil` if the argument has another type. An omitted
    /// argument is null.
    init?(commandValue value: StoredValue)
    /// The value as it is sent in a reply.
    var commandValue: StoredValue { get }
}

extension Bool: CommandValue {
    /// `bool`.
    public static var commandType: String { "bool" }
    /// Creates a Boolean, or returns `nil` if the argument is not a Boolean.
    public init?(commandValue value: StoredValue) {
        guard case .bool(let value) = value else { return nil }
        self = value
    }
    /// The Boolean as an argument or result.
    public var commandValue: StoredValue { .bool(self) }
}

extension Int: CommandValue {
    /// `int`.
    public static var commandType: String { "int" }
    /// Creates an integer, or returns `nil` if the argument is not an integer.
    public init?(commandValue value: StoredValue) {
        guard case .integer(let value) = value else { return nil }
        self.init(exactly: value)
    }
    /// The integer as an argument or result.
    public var commandValue: StoredValue { .integer(Int64(self)) }
}

extension Double: CommandValue {
    /// `float`.
    public static var commandType: String { "float" }
    /// Creates a floating-point number, or returns `nil` if the argument is not a number or cannot be
    /// represented exactly.
    public init?(commandValue value: StoredValue) {
        switch value {
        case .double(let value): self = value
        case .integer(let value): self.init(exactly: value)
        default: return nil
        }
    }
    /// The number as an argument or result.
    public var commandValue: StoredValue { .double(self) }
}

extension String: CommandValue {
    /// `string`.
    public static var commandType: String { "string" }
    /// Creates a string, or returns `nil` if the argument is not a string.
    public init?(commandValue value: StoredValue) {
        guard case .string(let value) = value else { return nil }
        self = value
    }
    /// The string as an argument or result.
    public var commandValue: StoredValue { .string(self) }
}

extension Optional: CommandValue where Wrapped: CommandValue {
    /// A question mark followed by the type of the value, for example `?int`.
    public static var commandType: String { "?\(Wrapped.commandType)" }
    /// Creates an optional, which is `nil` if the argument is null. Returns `nil` if the argument has another
    /// type.
    public init?(commandValue value: StoredValue) {
        if case .null = value {
            self = nil
        } else {
            guard let wrapped = Wrapped(commandValue: value) else { return nil }
            self = wrapped
        }
    }
    /// The value as an argument or result, or null.
    public var commandValue: StoredValue { self?.commandValue ?? .null }
}

extension Array: CommandValue where Element: CommandValue {
    /// Brackets followed by the type of the elements, for example `[]int`.
    public static var commandType: String { "[]\(Element.commandType)" }
    /// Creates an array, or returns `nil` if the argument is not an array or an element has another type.
    public init?(commandValue value: StoredValue) {
        guard case .array(let values) = value else { return nil }
        var elements: [Element] = []
        for value in values {
            guard let element = Element(commandValue: value) else { return nil }
            elements.append(element)
        }
        self = elements
    }
    /// The elements as an argument or result, in order.
    public var commandValue: StoredValue { .array(map(\.commandValue)) }
}

extension Dictionary: CommandValue where Key == String, Value: CommandValue {
    /// The type of the keys in brackets, followed by the type of the values, for example `[string]int`.
    public static var commandType: String { "[string]\(Value.commandType)" }
    /// Creates a dictionary, or returns `nil` if the argument is not a dictionary or a value has another
    /// type.
    public init?(commandValue value: StoredValue) {
        guard case .dictionary(let values) = value else { return nil }
        var named: [String: Value] = [:]
        for (name, value) in values {
            guard let value = Value(commandValue: value) else { return nil }
            named[name] = value
        }
        self = named
    }
    /// The values as an argument or result, keyed by name.
    public var commandValue: StoredValue { .dictionary(mapValues(\.commandValue)) }
}
