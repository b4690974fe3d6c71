public import StateRestoration

/// A type of the arguments and results of commands: truth values, whole and floating-point numbers, texts,
/// and optionals, arrays and dictionaries of them.
public protocol CommandValue {
    /// The type, as the Varlink specification writes it: `[]string`.
    static var commandType: String { get }
    /// The value of an argument; nil if that is of another type. An argument that is left out is null.
    init?(commandValue value: StoredValue)
    /// The value as it is answered.
    var commandValue: StoredValue { get }
}

extension Bool: CommandValue {
    /// `bool`.
    public static var commandType: String { "bool" }
    /// A truth value.
    public init?(commandValue value: StoredValue) {
        guard case .bool(let value) = value else { return nil }
        self = value
    }
    /// The truth value.
    public var commandValue: StoredValue { .bool(self) }
}

extension Int: CommandValue {
    /// `int`.
    public static var commandType: String { "int" }
    /// A whole number.
    public init?(commandValue value: StoredValue) {
        guard case .integer(let value) = value else { return nil }
        self.init(exactly: value)
    }
    /// The whole number.
    public var commandValue: StoredValue { .integer(Int64(self)) }
}

extension Double: CommandValue {
    /// `float`.
    public static var commandType: String { "float" }
    /// A floating-point number, or a whole number that is one exactly.
    public init?(commandValue value: StoredValue) {
        switch value {
        case .double(let value): self = value
        case .integer(let value): self.init(exactly: value)
        default: return nil
        }
    }
    /// The number.
    public var commandValue: StoredValue { .double(self) }
}

extension String: CommandValue {
    /// `string`.
    public static var commandType: String { "string" }
    /// A text.
    public init?(commandValue value: StoredValue) {
        guard case .string(let value) = value else { return nil }
        self = value
    }
    /// The text.
    public var commandValue: StoredValue { .string(self) }
}

extension Optional: CommandValue where Wrapped: CommandValue {
    /// The value's type behind a question mark, as `?int`.
    public static var commandType: String { "?\(Wrapped.commandType)" }
    /// A value, or nil.
    public init?(commandValue value: StoredValue) {
        if case .null = value {
            self = nil
        } else {
            guard let wrapped = Wrapped(commandValue: value) else { return nil }
            self = wrapped
        }
    }
    /// The value, or null.
    public var commandValue: StoredValue { self?.commandValue ?? .null }
}

extension Array: CommandValue where Element: CommandValue {
    /// The element's type behind brackets, as `[]int`.
    public static var commandType: String { "[]\(Element.commandType)" }
    /// Values in order.
    public init?(commandValue value: StoredValue) {
        guard case .array(let values) = value else { return nil }
        var elements: [Element] = []
        for value in values {
            guard let element = Element(commandValue: value) else { return nil }
            elements.append(element)
        }
        self = elements
    }
    /// The values in order.
    public var commandValue: StoredValue { .array(map(\.commandValue)) }
}

extension Dictionary: CommandValue where Key == String, Value: CommandValue {
    /// The value's type behind that of the key, as `[string]int`.
    public static var commandType: String { "[string]\(Value.commandType)" }
    /// Values by their names.
    public init?(commandValue value: StoredValue) {
        guard case .dictionary(let values) = value else { return nil }
        var named: [String: Value] = [:]
        for (name, value) in values {
            guard let value = Value(commandValue: value) else { return nil }
            named[name] = value
        }
        self = named
    }
    /// The values by their names.
    public var commandValue: StoredValue { .dictionary(mapValues(\.commandValue)) }
}
