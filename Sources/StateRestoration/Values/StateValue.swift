/// A type whose values have a dedicated storage format (P9).
///
/// The types are `Bool`, integers, `Float`, `Double`, `String`, `Data`, `Date`, `URL`, `UUID`, `IndexPath`,
/// `Range<Int>`, `ClosedRange<Int>`, and arrays and dictionaries of these types. Do not make other types conform to
/// this protocol. Make them `Codable` instead, because encoders accept all `Codable` types. References to objects are
/// not values: encoders have separate methods for them.
public protocol StateValue: Codable, Sendable {
    /// Name of the type in error messages.
    static var stateTypeName: String { get }
    /// Writes the value in its stored form.
    func write(to writer: inout StateValueWriter)
    /// Reads a value of this type, or returns `nil` if the stored value has a different type.
    static func read(from reader: inout StateValueReader) throws -> Self?
}

/// The output to which a ``StateValue`` writes itself.
public struct StateValueWriter: ~Copyable {
    package var writer = ValueWriter()
    /// Whether contents were omitted because the value is nested more deeply than ``ValueReader/maximumDepth``.
    package private(set) var isTooDeep = false
    private var depth = 0

    package init() {}

    /// Writes the contents of an array or a dictionary.
    package mutating func writeNested(_ body: (inout StateValueWriter) -> Void) {
        guard depth < ValueReader.maximumDepth else {
            isTooDeep = true
            return
        }
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Removes all bytes after the first `count` bytes.
    package mutating func truncate(to count: Int) {
        writer.truncate(to: count)
        isTooDeep = false
    }
}

/// The input from which a ``StateValue`` is read.
public struct StateValueReader: ~Copyable {
    package var reader: ValueReader
    private var depth = 0

    package init(reader: ValueReader) {
        self.reader = reader
    }

    /// Reads the next tag, and returns whether it equals the given tag.
    package mutating func read(_ tag: ValueTag) throws(ValueError) -> Bool {
        try reader.readTag() == tag
    }

    /// Reads the contents of an array or a dictionary.
    package mutating func readNested<Result>(
        _ body: (inout StateValueReader) throws -> Result
    ) throws -> Result {
        let outerDepth = depth
        depth = try ValueReader.depth(inside: outerDepth)
        defer { depth = outerDepth }
        return try body(&self)
    }
}

extension Bool: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(self ? .true : .false)
    }

    /// Reads a stored Boolean, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> Bool? {
        switch try source.reader.readTag() {
        case .true: true
        case .false: false
        default: nil
        }
    }
}

extension StateValue {
    /// Name of the type, such as `Int`.
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

    /// Reads a stored integer, or returns `nil` if the stored value is out of range or has a different type.
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
        target.writer.writeUInt64(bitPattern)
    }

    /// Reads a stored number, or returns `nil` if the stored value has a different type.
    ///
    /// An integer is accepted if `Double` can represent it exactly.
    public static func read(from source: inout StateValueReader) throws -> Double? {
        switch try source.reader.readTag() {
        case .double: Double(bitPattern: try source.reader.readUInt64())
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

    /// Reads a stored number.
    ///
    /// - Returns: The number, or `nil` if `Float` cannot represent it exactly or if the stored value has a different
    ///   type.
    public static func read(from source: inout StateValueReader) throws -> Float? {
        guard let value = try Double.read(from: &source) else { return nil }
        return value.isNaN ? Float(value) : Float(exactly: value)
    }
}
