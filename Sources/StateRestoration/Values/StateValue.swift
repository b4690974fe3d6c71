/// A type whose values a coder takes and gives back as they are (P9).
///
/// The types are: `Bool`, integers, `Float`, `Double`, `String`, `Data`, `Date`, `URL`, `UUID`,
/// `IndexPath`, `Range<Int>`, `ClosedRange<Int>`, and arrays and dictionaries of these. A type of
/// your own is not made one of them: make it `Codable`, and a coder takes it as well. References to
/// objects have calls of their own, because only a coder can tell an object's number.
public protocol StateValue: Codable, Sendable {
    /// The word for the type in error sentences.
    static var stateTypeName: String { get }
    /// Writes the value in its stored form.
    func write(to writer: inout StateValueWriter)
    /// Reads a value whose type is this one; nil if the stored value is of another type.
    static func read(from reader: inout StateValueReader) throws -> Self?
}

/// Where a ``StateValue`` writes itself.
public struct StateValueWriter: ~Copyable {
    package var writer = ValueWriter()
    /// Whether a value was nested deeper than ``ValueReader/maximumDepth``, and left out there.
    package private(set) var isTooDeep = false
    private var depth = 0

    package init() {}

    /// Writes what is in an array or a dictionary.
    package mutating func nested(_ body: (inout StateValueWriter) -> Void) {
        guard depth < ValueReader.maximumDepth else {
            isTooDeep = true
            return
        }
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Takes back all that was written from `count` on.
    package mutating func truncate(to count: Int) {
        writer.truncate(to: count)
        isTooDeep = false
    }
}

/// Where a ``StateValue`` reads itself from.
public struct StateValueReader: ~Copyable {
    package var reader: ValueReader
    private var depth = 0

    package init(reader: ValueReader) {
        self.reader = reader
    }

    /// Reads the next tag, and gives false (having read nothing more) if it is another.
    package mutating func read(_ tag: ValueTag) throws(ValueError) -> Bool {
        try reader.readTag() == tag
    }

    /// Reads what is in an array or a dictionary.
    package mutating func nested<Result>(
        _ body: (inout StateValueReader) throws -> Result
    ) throws -> Result {
        let outside = depth
        depth = try ValueReader.depth(inside: outside)
        defer { depth = outside }
        return try body(&self)
    }
}

extension Bool: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(self ? .true : .false)
    }

    /// Reads a stored truth value.
    public static func read(from source: inout StateValueReader) throws -> Bool? {
        switch try source.reader.readTag() {
        case .true: true
        case .false: false
        default: nil
        }
    }
}

extension StateValue {
    /// The type's name, as `Int`.
    public static var stateTypeName: String { String(describing: Self.self) }
}

extension StateValue where Self: FixedWidthInteger {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        if let value = Int64(exactly: self) {
            target.writer.write(.integer)
            target.writer.writeZigzag(value)
        } else {
            target.writer.write(.unsigned)
            target.writer.writeVarint(UInt64(self))
        }
    }

    /// Reads a stored integer; nil if it does not fit.
    public static func read(from source: inout StateValueReader) throws -> Self? {
        switch try source.reader.readTag() {
        case .integer: Self(exactly: try source.reader.readZigzag())
        case .unsigned: Self(exactly: try source.reader.readVarint())
        default: nil
        }
    }
}

extension Int: StateValue {}
extension Int8: StateValue {}
extension Int16: StateValue {}
extension Int32: StateValue {}
extension Int64: StateValue {}
extension UInt: StateValue {}
extension UInt8: StateValue {}
extension UInt16: StateValue {}
extension UInt32: StateValue {}
extension UInt64: StateValue {}

extension Double: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.double)
        target.writer.writeFixed(bitPattern)
    }

    /// Reads a stored floating-point number, or an integer that is one exactly.
    public static func read(from source: inout StateValueReader) throws -> Double? {
        switch try source.reader.readTag() {
        case .double: Double(bitPattern: try source.reader.readFixed())
        case .integer: Double(exactly: try source.reader.readZigzag())
        case .unsigned: Double(exactly: try source.reader.readVarint())
        default: nil
        }
    }
}

extension Float: StateValue {
    /// Writes the value as a `Double`.
    public func write(to target: inout StateValueWriter) {
        Double(self).write(to: &target)
    }

    /// Reads a stored floating-point number; nil if `Float` does not have that number.
    public static func read(from source: inout StateValueReader) throws -> Float? {
        guard let value = try Double.read(from: &source) else { return nil }
        return value.isNaN ? Float(value) : Float(exactly: value)
    }
}
