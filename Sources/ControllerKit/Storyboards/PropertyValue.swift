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
            let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw .invalidValue("a whole number from \(range.lowerBound)\(end) is wanted")
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
        let size = try numbers(2, "a size is wanted, [width, height], and neither below 0") {
            $0 >= 0
        }
        return Size(width: size[0], height: size[1])
    }

    /// The point of `[x, y]`.
    public func point() throws(PropertyError) -> Point {
        let point = try numbers(2, "a point is wanted, [x, y]")
        return Point(x: point[0], y: point[1])
    }

    /// The insets of `[top, left, bottom, right]`.
    public func insets() throws(PropertyError) -> EdgeInsets {
        let sides = try numbers(4, "insets are wanted, [top, left, bottom, right]")
        return EdgeInsets(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3])
    }

    private func numbers(
        _ count: Int, _ wanted: String, where fits: (Double) -> Bool = { _ in true }
    ) throws(PropertyError) -> [Double] {
        guard case .numbers(let values) = self, values.count == count,
            values.allSatisfy({ $0.isFinite && fits($0) })
        else { throw .invalidValue(wanted) }
        return values
    }

    private static func shown(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}
