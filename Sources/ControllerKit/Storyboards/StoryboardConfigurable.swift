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
        _ known: [String], _ body: () throws(PropertyError) -> Void
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
