import ExactText
public import StateRestoration

/// The value of a property in a storyboard.
public enum PropertyValue: Sendable, Equatable {
    /// A text.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// A number.
    case double(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// A list of texts; an empty list, whatever it could have held.
    case strings([String])
    /// A list of numbers: a size, a point, insets.
    case numbers([Double])

    /// The numbers of a list, all finite.
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

/// A type of properties that a storyboard can state.
public protocol PropertyConvertible {
    /// The value that a storyboard states.
    ///
    /// - Throws: ``PropertyError/invalidValue(_:)`` if it does not fit.
    init(stated value: PropertyValue) throws(PropertyError)

    /// The value as commands show it.
    var inspected: StoredValue { get }
}

extension Bool: PropertyConvertible {
    /// `true` or `false`.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard case .bool(let value) = value else {
            throw .invalidValue("true or false is required")
        }
        self = value
    }

    /// The truth value.
    public var inspected: StoredValue { .bool(self) }
}

extension Int: PropertyConvertible {
    /// A whole number.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard case .integer(let value) = value else {
            throw .invalidValue("a whole number is required")
        }
        self = value
    }

    /// A whole number within bounds.
    public init(stated value: PropertyValue, in bounds: ClosedRange<Int>) throws(PropertyError) {
        try self.init(stated: value)
        guard bounds.contains(self) else {
            let end = bounds.upperBound == .max ? "" : " to \(bounds.upperBound)"
            throw .invalidValue("a whole number from \(bounds.lowerBound)\(end) is required")
        }
    }

    /// The number.
    public var inspected: StoredValue { .integer(Int64(self)) }
}

extension Double: PropertyConvertible {
    /// A number, whole or not; finite.
    public init(stated value: PropertyValue) throws(PropertyError) {
        switch value {
        case .double(let value) where value.isFinite: self = value
        case .integer(let value): self = Double(value)
        default: throw .invalidValue("a number is required")
        }
    }

    /// A number above another.
    public init(stated value: PropertyValue, above smallest: Double) throws(PropertyError) {
        try self.init(stated: value)
        guard self > smallest else {
            throw .invalidValue("a number above \(smallest.shown) is required")
        }
    }

    /// A number within bounds.
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
    /// A text.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard case .string(let value) = value else { throw .invalidValue("a text is required") }
        self = value
    }

    /// The text.
    public var inspected: StoredValue { .string(self) }
}

extension [String]: PropertyConvertible {
    /// A list of texts.
    public init(stated value: PropertyValue) throws(PropertyError) {
        switch value {
        case .strings(let value): self = value
        case .numbers: throw .invalidValue("texts are required: write the numbers in quotes")
        default: throw .invalidValue("a list of texts is required")
        }
    }

    /// The texts.
    public var inspected: StoredValue { .array(map(\.inspected)) }
}

extension Size: PropertyConvertible {
    /// `[width, height]`; neither is below 0.
    public init(stated value: PropertyValue) throws(PropertyError) {
        let wanted = "a size is required, [width, height], and neither below 0"
        let sides = try value.numbers(2, wanted)
        self.init(width: sides[0], height: sides[1])
        guard isExtent else { throw .invalidValue(wanted) }
    }

    /// Both numbers by their names.
    public var inspected: StoredValue {
        .dictionary(["width": width.inspected, "height": height.inspected])
    }
}

extension Point: PropertyConvertible {
    /// `[x, y]`.
    public init(stated value: PropertyValue) throws(PropertyError) {
        let place = try value.numbers(2, "a point is required, [x, y]")
        self.init(x: place[0], y: place[1])
    }

    /// Both numbers by their names.
    public var inspected: StoredValue { .dictionary(["x": x.inspected, "y": y.inspected]) }
}

extension EdgeInsets: PropertyConvertible {
    /// `[top, left, bottom, right]`.
    public init(stated value: PropertyValue) throws(PropertyError) {
        let sides = try value.numbers(4, "insets are required, [top, left, bottom, right]")
        self.init(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3])
    }

    /// The numbers, from the top against the clock.
    public var inspected: StoredValue { .array([top, left, bottom, right].map(\.inspected)) }
}

extension PropertyConvertible
where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// One of the words.
    public init(stated value: PropertyValue) throws(PropertyError) {
        guard let known = Self(rawValue: try String(stated: value)) else {
            let words = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue("one of \(words) is required")
        }
        self = known
    }

    /// The word.
    public var inspected: StoredValue { .string(rawValue) }
}
