import ExactText
public import StateRestoration

/// The value of a property in a storyboard.
public enum PropertyValue: Sendable, Equatable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int)
    /// A floating-point number.
    case double(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// A list of strings.
    ///
    /// This case also represents every empty list.
    case strings([String])
    /// A list of numbers, such as a size, a point or insets.
    case numbers([Double])

    /// Returns the numbers in a list.
    ///
    /// - Throws: ``PropertyError/invalidValue(_:)`` if the value is not a list of finite numbers.
    public func numbers() throws(PropertyError) -> [Double] {
        switch self {
        case .numbers(let values) where values.allSatisfy(\.isFinite): return values
        case .strings([]): return []
        default: throw .invalidValue("a list of numbers is required")
        }
    }

    fileprivate func requireNumbers(_ count: Int, _ requirement: String) throws(PropertyError)
        -> [Double]
    {
        guard case .numbers(let values) = self, values.count == count,
            values.allSatisfy(\.isFinite)
        else { throw .invalidValue(requirement) }
        return values
    }
}

/// A type whose values storyboards can assign to properties.
public protocol PropertyConvertible {
    /// Creates a value of this type from a storyboard value.
    ///
    /// - Throws: ``PropertyError/invalidValue(_:)`` if the value is not valid.
    init(storyboardValue value: PropertyValue) throws(PropertyError)

    /// The value in the form that commands show.
    var inspectionValue: StoredValue { get }
}

extension Bool: PropertyConvertible {
    /// Creates a Boolean value from a storyboard value.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        guard case .bool(let value) = value else {
            throw .invalidValue("true or false is required")
        }
        self = value
    }

    /// The Boolean as a stored value.
    public var inspectionValue: StoredValue { .bool(self) }
}

extension Int: PropertyConvertible {
    /// Creates an integer from a storyboard value.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        guard case .integer(let value) = value else {
            throw .invalidValue("a whole number is required")
        }
        self = value
    }

    /// Creates an integer from a storyboard value, which must be within bounds.
    public init(storyboardValue value: PropertyValue, in bounds: ClosedRange<Int>)
        throws(PropertyError)
    {
        try self.init(storyboardValue: value)
        guard bounds.contains(self) else {
            let upperBoundText = bounds.upperBound == .max ? "" : " to \(bounds.upperBound)"
            throw .invalidValue(
                "a whole number from \(bounds.lowerBound)\(upperBoundText) is required")
        }
    }

    /// The integer as a stored value.
    public var inspectionValue: StoredValue { .integer(Int64(self)) }
}

extension Double: PropertyConvertible {
    /// Creates a finite number from a storyboard value, which can be an integer.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        switch value {
        case .double(let value) where value.isFinite: self = value
        case .integer(let value): self = Double(value)
        default: throw .invalidValue("a number is required")
        }
    }

    /// Creates a number from a storyboard value, which must be greater than a limit.
    public init(storyboardValue value: PropertyValue, above exclusiveLowerBound: Double)
        throws(PropertyError)
    {
        try self.init(storyboardValue: value)
        guard self > exclusiveLowerBound else {
            throw .invalidValue("a number above \(exclusiveLowerBound.displayText) is required")
        }
    }

    /// Creates a number from a storyboard value, which must be within bounds.
    public init(storyboardValue value: PropertyValue, in bounds: ClosedRange<Double>)
        throws(PropertyError)
    {
        try self.init(storyboardValue: value)
        guard bounds.contains(self) else {
            throw .invalidValue(
                "a number from \(bounds.lowerBound.displayText) to "
                    + "\(bounds.upperBound.displayText) is required")
        }
    }

    private var displayText: String { Int(exactly: self).map(String.init) ?? "\(self)" }

    /// The number as a stored value.
    public var inspectionValue: StoredValue { .double(self) }
}

extension String: PropertyConvertible {
    /// Creates a string from a storyboard value.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        guard case .string(let value) = value else { throw .invalidValue("a string is required") }
        self = value
    }

    /// The string as a stored value.
    public var inspectionValue: StoredValue { .string(self) }
}

extension [String]: PropertyConvertible {
    /// Creates a list of strings from a storyboard value.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        switch value {
        case .strings(let value): self = value
        case .numbers: throw .invalidValue("strings are required: write the numbers in quotes")
        default: throw .invalidValue("a list of strings is required")
        }
    }

    /// The list of strings as a stored value.
    public var inspectionValue: StoredValue { .array(map(\.inspectionValue)) }
}

extension Size: PropertyConvertible {
    /// Creates a size from a list `[width, height]` in a storyboard.
    ///
    /// Both numbers must be at least 0.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        let requirement = "a size is required: [width, height], with no negative numbers"
        let sides = try value.requireNumbers(2, requirement)
        self.init(width: sides[0], height: sides[1])
        guard isValidSize else { throw .invalidValue(requirement) }
    }

    /// A dictionary with `width` and `height`.
    public var inspectionValue: StoredValue {
        .dictionary(["width": width.inspectionValue, "height": height.inspectionValue])
    }
}

extension Point: PropertyConvertible {
    /// Creates a point from a list `[x, y]` in a storyboard.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        let coordinates = try value.requireNumbers(2, "a point is required: [x, y]")
        self.init(x: coordinates[0], y: coordinates[1])
    }

    /// A dictionary with `x` and `y`.
    public var inspectionValue: StoredValue {
        .dictionary(["x": x.inspectionValue, "y": y.inspectionValue])
    }
}

extension EdgeInsets: PropertyConvertible {
    /// Creates insets from a list `[top, left, bottom, right]` in a storyboard.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        let sides = try value.requireNumbers(4, "insets are required: [top, left, bottom, right]")
        self.init(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3])
    }

    /// A list of the numbers, in the order top, left, bottom, right.
    public var inspectionValue: StoredValue {
        .array([top, left, bottom, right].map(\.inspectionValue))
    }
}

extension PropertyConvertible
where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// Creates a value from a storyboard string, which must be the raw value of a case.
    public init(storyboardValue value: PropertyValue) throws(PropertyError) {
        guard let matchingCase = Self(rawValue: try String(storyboardValue: value)) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue("one of \(words) is required")
        }
        self = matchingCase
    }

    /// The raw value of the case.
    public var inspectionValue: StoredValue { .string(rawValue) }
}
