public import FoundationEssentials

/// A type whose values a coder takes and gives back (P9).
///
/// The types are: `Bool`, integers, `Double`, `String`, `Data`, `Date`, `UUID`, `Range<Int>`, and
/// arrays and dictionaries of these. References to objects have calls of their own, because only a
/// coder can tell an object's number.
public protocol StateValue: Sendable {
    /// The word for the type in error sentences.
    static var stateTypeName: String { get }
    /// Writes the value in its stored form.
    func write(to writer: inout StateValueWriter)
    /// Reads a value whose type is this one; nil if the stored value is of another type.
    static func read(from reader: inout StateValueReader) throws -> Self?
}

/// Where a ``StateValue`` writes itself.
public struct StateValueWriter {
    package var writer = ValueWriter()
}

/// Where a ``StateValue`` reads itself from.
public struct StateValueReader {
    package var reader: ValueReader
    package var depth = 0

    /// Reads the next tag, and gives nil (having read nothing more) if it is another.
    package mutating func read(_ tag: ValueTag) throws(ValueError) -> Bool {
        try reader.readTag() == tag
    }
}

extension Bool: StateValue {
    /// `Bool`.
    public static var stateTypeName: String { ValueTag.true.name }

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

extension StateValue where Self: FixedWidthInteger {
    /// `integer`.
    public static var stateTypeName: String { ValueTag.integer.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.integer)
        target.writer.writeZigzag(Int64(self))
    }

    /// Reads a stored integer; nil if it does not fit.
    public static func read(from source: inout StateValueReader) throws -> Self? {
        guard try source.read(.integer) else { return nil }
        return Self(exactly: try source.reader.readZigzag())
    }
}

extension Int: StateValue {}
extension Int8: StateValue {}
extension Int16: StateValue {}
extension Int32: StateValue {}
extension Int64: StateValue {}
extension UInt8: StateValue {}
extension UInt16: StateValue {}
extension UInt32: StateValue {}

extension Double: StateValue {
    /// `Double`.
    public static var stateTypeName: String { ValueTag.double.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.double)
        target.writer.writeFixed(bitPattern)
    }

    /// Reads a stored floating-point number.
    public static func read(from source: inout StateValueReader) throws -> Double? {
        guard try source.read(.double) else { return nil }
        return Double(bitPattern: try source.reader.readFixed())
    }
}

extension String: StateValue {
    /// `String`.
    public static var stateTypeName: String { ValueTag.string.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.string)
        target.writer.writeText(self)
    }

    /// Reads a stored text.
    public static func read(from source: inout StateValueReader) throws -> String? {
        guard try source.read(.string) else { return nil }
        return try source.reader.readText()
    }
}

extension Data: StateValue {
    /// `Data`.
    public static var stateTypeName: String { ValueTag.data.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.data)
        target.writer.writeBytes(self)
    }

    /// Reads stored bytes.
    public static func read(from source: inout StateValueReader) throws -> Data? {
        guard try source.read(.data) else { return nil }
        return Data(try source.reader.readBytes())
    }
}

extension Date: StateValue {
    /// `Date`.
    public static var stateTypeName: String { ValueTag.date.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.date)
        target.writer.writeFixed(timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Reads a stored date.
    public static func read(from source: inout StateValueReader) throws -> Date? {
        guard try source.read(.date) else { return nil }
        return Date(
            timeIntervalSinceReferenceDate: Double(bitPattern: try source.reader.readFixed()))
    }
}

extension UUID: StateValue {
    /// `UUID`.
    public static var stateTypeName: String { ValueTag.uuid.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.uuid)
        withUnsafeBytes(of: uuid) { target.writer.writeRaw($0) }
    }

    /// Reads a stored UUID.
    public static func read(from source: inout StateValueReader) throws -> UUID? {
        guard try source.read(.uuid) else { return nil }
        var uuid = UUID().uuid
        let bytes = try source.reader.readSlice(16)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        return UUID(uuid: uuid)
    }
}

extension Range: StateValue where Bound == Int {
    /// `range`.
    public static var stateTypeName: String { ValueTag.range.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.range)
        target.writer.writeZigzag(Int64(lowerBound))
        target.writer.writeZigzag(Int64(upperBound))
    }

    /// Reads a stored range.
    public static func read(from source: inout StateValueReader) throws -> Range<Int>? {
        guard try source.read(.range) else { return nil }
        return try source.reader.readRange()
    }
}

extension ValueReader {
    /// Two bounds, the lower not above the upper.
    package mutating func readRange() throws(ValueError) -> Range<Int> {
        let lower = Int(try readZigzag())
        let upper = Int(try readZigzag())
        guard lower <= upper else { throw .boundsReversed }
        return lower..<upper
    }
}
