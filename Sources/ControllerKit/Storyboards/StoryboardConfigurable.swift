/// An object whose properties a storyboard can state.
public protocol StoryboardConfigurable: AnyObject {
    /// Sets a property that a storyboard states.
    ///
    /// - Throws: ``PropertyError`` if there is no such property, or the value does not fit.
    func setProperty(_ name: String, to value: PropertyValue) throws(PropertyError)
}

extension StoryboardConfigurable {
    /// Passes a property on to the superclass, and adds this class's own names to what it says of
    /// a property that nobody knows.
    public func inherited(
        _ known: [String], _ body: @autoclosure () throws(PropertyError) -> Void
    ) throws(PropertyError) {
        do {
            try body()
        } catch .unknownProperty(let inherited) {
            throw .unknownProperty(known: known + inherited)
        }
    }
}

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

    /// The text.
    public func string() throws(PropertyError) -> String {
        guard case .string(let value) = self else { throw .invalidValue("a text is wanted") }
        return value
    }

    /// The whole number.
    public func integer() throws(PropertyError) -> Int {
        guard case .integer(let value) = self else {
            throw .invalidValue("a whole number is wanted")
        }
        return value
    }

    /// The truth value.
    public func bool() throws(PropertyError) -> Bool {
        guard case .bool(let value) = self else {
            throw .invalidValue("true or false is wanted")
        }
        return value
    }

    /// The texts.
    public func strings() throws(PropertyError) -> [String] {
        switch self {
        case .strings(let value): return value
        case .numbers: throw .invalidValue("texts are wanted: write the numbers in quotes")
        default: throw .invalidValue("a list of texts is wanted")
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

extension PropertyValue {
    /// The number, whole or not; finite.
    public func double() throws(PropertyError) -> Double {
        switch self {
        case .double(let value) where value.isFinite: return value
        case .integer(let value): return Double(value)
        default: throw .invalidValue("a number is wanted")
        }
    }

    /// The number, which has to be larger than another.
    public func double(above smallest: Double) throws(PropertyError) -> Double {
        let value = try double()
        guard value > smallest else {
            throw .invalidValue("a number above \(Self.shown(smallest)) is wanted")
        }
        return value
    }

    /// The number, which has to lie within bounds.
    public func double(in range: ClosedRange<Double>) throws(PropertyError) -> Double {
        let value = try double()
        guard range.contains(value) else {
            throw .invalidValue(
                "a number from \(Self.shown(range.lowerBound)) to "
                    + "\(Self.shown(range.upperBound)) is wanted")
        }
        return value
    }

    /// The whole number, which has to lie within bounds.
    public func integer(in range: ClosedRange<Int>) throws(PropertyError) -> Int {
        let value = try integer()
        guard range.contains(value) else {
            throw .invalidValue(
                "a whole number from \(range.lowerBound) to \(range.upperBound) is wanted")
        }
        return value
    }

    /// The numbers of a list, all finite.
    public func numbers() throws(PropertyError) -> [Double] {
        switch self {
        case .numbers(let values) where values.allSatisfy(\.isFinite): return values
        case .strings([]): return []
        default: throw .invalidValue("a list of numbers is wanted")
        }
    }

    /// The size of `[width, height]`; neither is below 0.
    public func size() throws(PropertyError) -> Size {
        guard case .numbers(let values) = self, values.count == 2,
            values.allSatisfy({ $0.isFinite && $0 >= 0 })
        else { throw .invalidValue("a size is wanted, [width, height], and neither below 0") }
        return Size(width: values[0], height: values[1])
    }

    /// The point of `[x, y]`.
    public func point() throws(PropertyError) -> Point {
        guard case .numbers(let values) = self, values.count == 2,
            values.allSatisfy(\.isFinite)
        else { throw .invalidValue("a point is wanted, [x, y]") }
        return Point(x: values[0], y: values[1])
    }

    /// The insets of `[top, left, bottom, right]`.
    public func insets() throws(PropertyError) -> EdgeInsets {
        guard case .numbers(let values) = self, values.count == 4,
            values.allSatisfy(\.isFinite)
        else { throw .invalidValue("insets are wanted, [top, left, bottom, right]") }
        return EdgeInsets(top: values[0], left: values[1], bottom: values[2], right: values[3])
    }

    private static func shown(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }

    /// A place in a list.
    func index() throws(PropertyError) -> Int {
        let index = try integer()
        guard index >= 0 else { throw .invalidValue("a whole number from 0 is wanted") }
        return index
    }
}
