import ExactText

/// A stored value of any type.
///
/// Commands and tools use this type to show values whose types are not known in advance.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum StoredValue: Sendable {
    /// A saved `nil`.
    case null
    /// A Boolean.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case double(Double)
    /// A string.
    case string(String)
    /// Bytes.
    case data([UInt8])
    /// A date, in seconds since 2001-01-01 UTC.
    case date(Double)
    /// The text of a URL, which may be invalid.
    case url(String)
    /// The sixteen bytes of a UUID.
    case uuid([UInt8])
    /// An index path, as its positions from the outermost level inward.
    case indexPath([Int])
    /// A half-open range.
    case range(Range<Int>)
    /// A closed range.
    case closedRange(ClosedRange<Int>)
    /// An array.
    case array([StoredValue])
    /// A dictionary.
    case dictionary([String: StoredValue])
    /// A `Codable` value as JSON, which may be invalid.
    case codable(String)
    /// Path of the object that a reference identifies, or `nil` if the object has no record.
    case reference(RestorationPath?)

    /// Reads a value from a record, without its key.
    ///
    /// - Parameter path: A closure that returns the path of a record.
    package init(
        stored bytes: ArraySlice<UInt8>, path: (RecordNumber) -> RestorationPath?
    ) throws(ValueError) {
        var reader = ValueReader(bytes)
        try self.init(reading: &reader, path: path)
    }

    /// Reads the next value from a reader.
    ///
    /// - Parameters:
    ///   - reader: The reader, positioned at the tag of the value.
    ///   - depth: The number of arrays and dictionaries that contain the value.
    ///   - path: A closure that returns the path of a record.
    package init(
        reading reader: inout ValueReader, depth: Int = 0,
        path: (RecordNumber) -> RestorationPath?
    ) throws(ValueError) {
        switch try reader.readTag() {
        case .null: self = .null
        case .false: self = .bool(false)
        case .true: self = .bool(true)
        case .integer: self = .integer(try reader.readZigzag())
        case .unsigned: self = .unsigned(try reader.readVarint())
        case .double: self = .double(Double(bitPattern: try reader.readUInt64()))
        case .string: self = .string(try reader.readText())
        case .data: self = .data(Array(try reader.readBytes()))
        case .date: self = .date(Double(bitPattern: try reader.readUInt64()))
        case .url: self = .url(try reader.readText())
        case .uuid: self = .uuid(Array(try reader.readSlice(16)))
        case .indexPath: self = .indexPath(try reader.readIndexes())
        case .range:
            let bounds = try reader.readBounds()
            self = .range(bounds.lower..<bounds.upper)
        case .closedRange:
            let bounds = try reader.readBounds()
            self = .closedRange(bounds.lower...bounds.upper)
        case .array:
            let elementDepth = try ValueReader.depth(inside: depth)
            var values: [StoredValue] = []
            for _ in 0..<(try reader.readCount()) {
                values.append(try StoredValue(reading: &reader, depth: elementDepth, path: path))
            }
            self = .array(values)
        case .dictionary:
            let elementDepth = try ValueReader.depth(inside: depth)
            var values: [String: StoredValue] = [:]
            for _ in 0..<(try reader.readCount()) {
                let key = try reader.readText()
                let value = try StoredValue(reading: &reader, depth: elementDepth, path: path)
                guard values.updateValue(value, forKey: key) == nil else { throw .duplicateKey }
            }
            self = .dictionary(values)
        case .codable: self = .codable(try reader.readText())
        case .reference: self = .reference(path(try reader.readReference()))
        }
    }
}

extension StoredValue: Equatable {
    /// Returns whether both values are stored as the same bytes.
    ///
    /// Strings are compared byte by byte and floating-point numbers bit by bit. Therefore, 0.0 differs from -0.0, and a
    /// NaN equals itself.
    public static func == (left: StoredValue, right: StoredValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.double(let left), .double(let right)), (.date(let left), .date(let right)):
            left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)), (.url(let left), .url(let right)),
            (.codable(let left), .codable(let right)):
            left == right
        case (.data(let left), .data(let right)), (.uuid(let left), .uuid(let right)):
            left == right
        case (.indexPath(let left), .indexPath(let right)): left == right
        case (.range(let left), .range(let right)): left == right
        case (.closedRange(let left), .closedRange(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): areEqual(left, right)
        case (.reference(let left), .reference(let right)): left == right
        default: false
        }
    }

    private static func areEqual(
        _ left: [String: StoredValue], _ right: [String: StoredValue]
    ) -> Bool {
        left.count == right.count
            && left.allSatisfy { key, value in
                // A dictionary compares its keys by canonical equivalence.
                right.index(forKey: key).map { right[$0].key == key && right[$0].value == value }
                    ?? false
            }
    }
}
