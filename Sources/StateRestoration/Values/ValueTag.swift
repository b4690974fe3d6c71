import ExactText

/// The first byte of a stored value. It identifies the value's type.
///
/// The numbers are part of the file format.
package enum ValueTag: UInt8, Sendable, CaseIterable {
    case `false` = 0
    case `true` = 1
    /// A zigzag varint.
    case integer = 2
    /// Eight bytes of an IEEE 754 number, little-endian.
    case double = 3
    /// A varint count and UTF-8 bytes.
    case string = 4
    /// A varint count and bytes.
    case data = 5
    /// Seconds since 2001-01-01 UTC, in the format of `double`.
    case date = 6
    /// Sixteen bytes.
    case uuid = 7
    /// Two zigzag varints: the lower bound and the exclusive upper bound.
    case range = 8
    /// A varint count and that many values.
    case array = 9
    /// A varint count, followed by that many pairs. Each pair is a string (a count and UTF-8 bytes) and a value.
    case dictionary = 10
    /// A varint that contains the number of a record.
    case reference = 11
    /// A varint, used only for integers above `Int64.max`.
    case unsigned = 12
    /// A varint count and UTF-8 bytes.
    case url = 13
    /// A varint count and that many zigzag varints.
    case indexPath = 14
    /// Two zigzag varints: the lower bound and the inclusive upper bound.
    case closedRange = 15
    /// A varint count and JSON in UTF-8.
    case codable = 16
    /// A saved `nil`, without further bytes.
    case null = 17

    /// Name of the type in error messages.
    package var name: String {
        switch self {
        case .false, .true: "Bool"
        case .integer, .unsigned: "integer"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .range: "range"
        case .closedRange: "closed range"
        case .array: "array"
        case .dictionary: "dictionary"
        case .reference: "reference"
        case .url: "URL"
        case .indexPath: "IndexPath"
        case .codable: "Codable"
        case .null: "nil"
        }
    }
}

extension ValueReader {
    /// Reads a value, and returns the name of its type for error messages, such as `[String]`.
    ///
    /// The name is `array` or `dictionary` if the elements have different types.
    package mutating func readTypeName(depth: Int = 0) throws(ValueError) -> String {
        let start = position
        let tag = try readTag()
        guard tag == .array || tag == .dictionary else {
            seek(to: start)
            try skipValue(depth: depth)
            return tag.name
        }
        let innerDepth = try Self.depth(inside: depth)
        var names: [String] = []
        for _ in 0..<(try readCount()) {
            if tag == .dictionary { _ = try readBytes() }
            let name = try readTypeName(depth: innerDepth)
            if names.count < 2, names.first != name { names.append(name) }
        }
        if names.count > 1 { return tag.name }
        guard let name = names.first else { return tag == .array ? "[]" : "[:]" }
        return tag == .array ? "[\(name)]" : "[String: \(name)]"
    }
}
