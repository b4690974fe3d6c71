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

    /// Returns the numbers of a list.
    ///
    /// - Throws: ``PropertyError/invalidValue(_:)`` if the value is not a list of finite numbers.
    public func numbers() throws(PropertyError) -> [Double] {
        switch self {
        case .numbers(let values) where values.allSatisfy(\.isFinite): return values
        case .strings([]): return []
        default: throw .invalidValue("a list of numbers is required")
        }
    }

    fileprivate func numbers(_ count: Int, _ wanted: String) throws(PropertyError) -> [Double] {
        guard case .numbers(let values) = self, values.count == count,
            values.allSatisfy(\.isFinite)
        else { throw .invalidValue(wanted) }
        return values
    }
}

/// A type of property that storyboards can set.
public protocol PropertyConvertible {
    /// Creates a value from a storyboard's value.
    ///
    /// - Throws: ``PropertyError/invalidValue(_:)`` if the value is not valid.
    init(stated value: PropertyValue) throws(PropertyError)

    /// The value in the form in which commands show it.
    var inspected: StoredValue { get }
}

extension Bool: PropertyConvertible {
    /// Creates a Boolean value from a storyboard's value.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard case .bool(let value) = value else {
            throw .invalidValue("true or false is required")
        }
        self = value
    }

    /// The Boolean value.
    public var inspected: StoredValue { .bool(self) }
}

extension Int: PropertyConvertible {
    /// Creates an integer from a storyboard's value.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard case .integer(let value) = value else {
            throw .invalidValue("a whole number is required")
        }
        self = value
    }

    /// Creates an integer within bounds from a storyboard's value.
    public init(stated value: PropertyValue, in bounds: ClosedRange<Int>) throws(PropertyError) {
        try self.init(stated: value)
        guard bounds.contains(self) else {
            let end = bounds.upperBound == .max ? "" : " to \(bounds.upperBound)"
            throw .invalidValue("a whole number from \(bounds.lowerBound)\(end) is required")
        }
    }

    /// The integer.
    public var inspected: StoredValue { .integer(Int64(self)) }
}

extension Double: PropertyConvertible {
    /// Creates a finite number from a storyboard's value, which can be an integer.
    public init(stated value: PropertyValue) throws(PropertyError) {
        switch value {
        case .double(let value) where value.isFinite: self = value
        case .integer(let value): self = Double(value)
        default: throw .invalidValue("a number is required")
        }
    }

    /// Creates a number that is greater than a limit from a storyboard's value.
    public init(stated value: PropertyValue, above smallest: Double) throws(PropertyError) {
        try self.init(stated: value)
        guard self > smallest else {
            throw .invalidValue("a number above \(smallest.shown) is required")
        }
    }

    /// Creates a number within bounds from a storyboard's value.
    public init(stated value: PropertyValue, in bounds: ClosedRange<Double>) throws(PropertyError) {
        try self.init(stated: value)
        guard bounds.contains(self) else {
            throw .invalidValue(
                "a number from \(bounds.lowerBound.shown) to "
                    + "\(bounds.upperBound.shown) is required")
        }
    }

    private var shown: String { Int(exactly: self).map(String.init) ?? "\(self)" }

    /// The number.
    public var inspected: StoredValue { .double(self) }
}

extension String: PropertyConvertible {
    /// Creates a string from a storyboard's value.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard case .string(let value) = value else { throw .invalidValue("a string is required") }
        self = value
    }

    /// The string.
    public var inspected: StoredValue { .string(self) }
}

extension [String]: PropertyConvertible {
    /// Creates a list of strings from a storyboard's value.
    public init(stated value: PropertyValue) throws(PropertyError) {
        switch value {
        case .strings(let value): self = value
        case .numbers: throw .invalidValue("strings are required: write the numbers in quotes")
        default: throw .invalidValue("a list of strings is required")
        }
    }

    /// The list of strings.
    public var inspected: StoredValue { .array(map(\.inspected)) }
}

extension Size: PropertyConvertible {
    /// Creates a size from a storyboard's list `[width, height]`.
    ///
    /// Both numbers must be at least 0.
    public init(stated value: PropertyValue) throws(PropertyError) {
        let wanted = "a size is required: [width, height], with no negative numbers"
        let sides = try value.numbers(2, wanted)
        self.init(width: sides[0], height: sides[1])
        guard isExtent else { throw .invalidValue(wanted) }
    }

    /// A dictionary with `width` and `height`.
    public var inspected: StoredValue {
        .dictionary(["width": width.inspected, "height": height.inspected])
    }
}

extension Point: PropertyConvertible {
    /// Creates a point from a storyboard's list `[x, y]`.
    public init(stated value: PropertyValue) throws(PropertyError) {
        let place = try value.numbers(2, "a point is required: [x, y]")
        self.init(x: place[0], y: place[1])
    }

    /// A dictionary with `x` and `y`.
    public var inspected: StoredValue { .dictionary(["x": x.inspected, "y": y.inspected]) }
}

extension EdgeInsets: PropertyConvertible {
    /// Creates insets from a storyboard's list `[top, left, bottom, right]`.
    public init(stated value: PropertyValue) throws(PropertyError) {
        let sides = try value.numbers(4, "insets are required: [top, left, bottom, right]")
        self.init(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3])
    }

    /// A list of the numbers, in the order top, left, bottom, right.
    public var inspected: StoredValue { .array([top, left, bottom, right].map(\.inspected)) }
}

extension PropertyConvertible
where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// Creates a value from a storyboard's string, which must be the raw value of a case.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard let known = Self(rawValue: try String(stated: value)) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue("one of \(words) is required")
        }
        self = known
    }

    /// The raw value of the case.
    public var inspected: StoredValue { .string(rawValue) }
}
