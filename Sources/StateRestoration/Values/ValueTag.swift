import ExactText

/// The first byte of a stored value, telling what follows. The numbers are part of the format.
package enum ValueTag: UInt8, Sendable, CaseIterable {
    case `false` = 0
    case `true` = 1
    /// A zigzag varint.
    case integer = 2
    /// Eight bytes, IEEE 754, little endian.
    case double = 3
    /// A varint count and UTF-8.
    case string = 4
    /// A varint count and bytes.
    case data = 5
    /// Seconds since 2001-01-01 UTC as a `double`'s eight bytes.
    case date = 6
    /// Sixteen bytes.
    case uuid = 7
    /// Two zigzag varints: lower bound, upper bound (exclusive).
    case range = 8
    /// A varint count and that many values.
    case array = 9
    /// A varint count and that many pairs of a string (count and UTF-8) and a value.
    case dictionary = 10
    /// A varint: the number of a record.
    case reference = 11
    /// A varint. Written for integers above `Int64.max` alone.
    case unsigned = 12
    /// A varint count and UTF-8.
    case url = 13
    /// A varint count and that many zigzag varints.
    case indexPath = 14
    /// Two zigzag varints: lower bound, upper bound (inclusive).
    case closedRange = 15
    /// A varint count and UTF-8: JSON.
    case codable = 16
    /// Nothing follows: a value that may be nil, and was.
    case null = 17

    /// The word that error sentences use for the type.
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
    /// The type of the next value as sentences show it, such as `[String]`; `array` and
    /// `dictionary` if their values are not all of one type. Passes over the value.
    package mutating func readTypeName(depth: Int = 0) throws(ValueError) -> String {
        let start = position
        let tag = try readTag()
        guard tag == .array || tag == .dictionary else {
            seek(to: start)
            try skipValue(depth: depth)
            return tag.name
        }
        let inside = try Self.depth(inside: depth)
        var names: [String] = []
        for _ in 0..<(try readCount()) {
            if tag == .dictionary { _ = try readBytes() }
            let name = try readTypeName(depth: inside)
            if names.count < 2, names.first != name { names.append(name) }
        }
        if names.count > 1 { return tag.name }
        guard let name = names.first else { return tag == .array ? "[]" : "[:]" }
        return tag == .array ? "[\(name)]" : "[String: \(name)]"
    }
}
