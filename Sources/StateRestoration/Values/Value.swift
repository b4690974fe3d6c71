/// Any stored value, with its type found out while reading: for commands and tools, which show
/// values that they know nothing of.
public enum Value: Sendable, Equatable {
    /// A truth value.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// A text.
    case string(String)
    /// Bytes.
    case data([UInt8])
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    /// Sixteen bytes.
    case uuid([UInt8])
    /// A half-open range.
    case range(Range<Int>)
    /// Values in order.
    case array([Value])
    /// Values by key.
    case dictionary([String: Value])
    /// A reference to another object, by its path; nil if that object has no record.
    case reference(RestorationPath?)

    package init(
        reading reader: inout ValueReader, depth: Int = 0,
        path: (RecordNumber) -> RestorationPath?
    ) throws(ValueError) {
        guard depth <= ValueReader.maximumDepth else { throw .nestedTooDeep }
        switch try reader.readTag() {
        case .false: self = .bool(false)
        case .true: self = .bool(true)
        case .integer: self = .integer(try reader.readZigzag())
        case .double: self = .double(Double(bitPattern: try reader.readFixed()))
        case .string: self = .string(try reader.readText())
        case .data: self = .data(Array(try reader.readBytes()))
        case .date: self = .date(Double(bitPattern: try reader.readFixed()))
        case .uuid: self = .uuid(Array(try reader.readSlice(16)))
        case .range: self = .range(try reader.readRange())
        case .array:
            var values: [Value] = []
            for _ in 0..<(try reader.readCount()) {
                values.append(try Value(reading: &reader, depth: depth + 1, path: path))
            }
            self = .array(values)
        case .dictionary:
            var values: [String: Value] = [:]
            for _ in 0..<(try reader.readCount()) {
                let key = try reader.readText()
                values[key] = try Value(reading: &reader, depth: depth + 1, path: path)
            }
            self = .dictionary(values)
        case .reference: self = .reference(path(try reader.readReference()))
        }
    }
}
