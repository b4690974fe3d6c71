import ExactText
package import FoundationEssentials
package import StateRestoration
package import Varlink

/// Value in an object's state, in the JSON format used in replies.
///
/// Numbers, Booleans, strings, arrays, dictionaries and `Codable` values have their usual JSON format. Other types
/// are represented as follows:
///
/// - Bytes are a base64 string.
/// - A date is an RFC 3339 string in UTC, or a string with a number of seconds (see `dateText(_:)`).
/// - A URL is a string, and a UUID is a string of 36 characters.
/// - An index path is an array.
/// - A range is `{"lowerBound": 1, "upperBound": 3}`, and a closed range is `{"first": 1, "last": 3}`.
/// - A reference is `{"reference": "nav/parent"}`, or `{"reference": null}` for an object that is not recorded.
///
/// Numbers are never rounded. A number that is not finite, or that neither `Int64` nor `Double` can represent, is
/// written as a string.
package enum StateJSON: JSONReadable, JSONWritable, Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([StateJSON])
    case object([String: StateJSON])

    /// Creates `null`.
    package init() { self = .null }

    /// Reads any value except null.
    ///
    /// Values inside arrays and objects can be null. If the reader is not strict, as in a client, the entire value can
    /// be null, too.
    package static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
        if reader.isStrict, case .null = try reader.peekKind() { throw reader.mismatchError }
        return try readAny(from: &reader)
    }

    private static func readAny(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.consumeNull()
            return .null
        case .bool: return .bool(try reader.read(Bool.self))
        case .string: return .string(try reader.read(String.self))
        case .array: return .array(try reader.read([NestedValue].self).map(\.value))
        case .object: return .object(try reader.read([String: NestedValue].self).mapValues(\.value))
        case .number:
            let (integer, double) = try reader.readNumber()
            // An integer has no negative zero.
            if let integer, integer != 0 || double?.sign == .plus { return .integer(integer) }
            if let double { return .double(double) }
            throw reader.mismatchError
        }
    }

    /// Value inside an array or an object.
    private struct NestedValue: JSONReadable {
        let value: StateJSON

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Self {
            Self(value: try .readAny(from: &reader))
        }
    }

    /// Writes the value.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .integer(let value): writer.integer(value)
        case .double(let value):
            // The shortest digits that identify a double can represent a different integer.
            if let integer = value.exactInteger {
                writer.integer(integer)
            } else {
                writer.double(value)
            }
        case .string(let value): writer.string(value)
        case .array(let value): value.write(to: &writer)
        case .object(let value): value.write(to: &writer)
        }
    }

    /// Text that shows the value to the user on one line.
    ///
    /// If the value is a string, the text is the string itself, without quotes.
    package var singleLineText: String {
        if case .string(let text) = self { return text }
        return nestedText
    }

    private var nestedText: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): value.exactText
        case .string(let value): Self.quoted(value)
        case .array(let values): "[\(values.map(\.nestedText).joined(separator: ", "))]"
        case .object(let values):
            if case .integer(let lower) = values["lowerBound"],
                case .integer(let upper) = values["upperBound"], values.count == 2
            {
                "\(lower)..<\(upper)"
            } else if case .integer(let first) = values["first"],
                case .integer(let last) = values["last"], values.count == 2
            {
                "\(first)...\(last)"
            } else if case .string(let path) = values["reference"], values.count == 1 {
                "→ \(path)"
            } else {
                "{"
                    + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.nestedText)" }
                    .joined(separator: ", ") + "}"
            }
        }
    }

    /// Returns text in quotes, with escapes for all characters that would end the text or the line.
    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "'" ? "'" : $0.escaped(asASCII: false) }.joined()
            + "\""
    }
}

extension StateJSON {
    /// Stored value of the type that corresponds most closely to the JSON value.
    package var value: StoredValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.value))
        case .object(let values): .dictionary(values.mapValues(\.value))
        }
    }

    /// Creates the JSON form of a stored value.
    package init(_ value: StoredValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = .string("\(value)")
        case .double(let value):
            self = value.isFinite ? .double(value) : .string(value.exactText)
        case .string(let value): self = .string(value)
        case .data(let bytes): self = .string(Data(bytes).base64EncodedString())
        case .date(let seconds): self = .string(dateText(seconds))
        case .url(let text): self = .string(text)
        case .uuid(let bytes):
            let digits = bytes.map { (byte: UInt8) in
                (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
            let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
            self = .string(groups.map { digits[$0].joined() }.joined(separator: "-"))
        case .indexPath(let indexes): self = .array(indexes.map { .integer(Int64($0)) })
        case .range(let range):
            let bounds = ["lowerBound": range.lowerBound, "upperBound": range.upperBound]
            self = .object(bounds.mapValues { .integer(Int64($0)) })
        case .closedRange(let range):
            let bounds = ["first": range.lowerBound, "last": range.upperBound]
            self = .object(bounds.mapValues { .integer(Int64($0)) })
        case .array(let values): self = .array(values.map(StateJSON.init))
        case .dictionary(let values): self = .object(values.mapValues(StateJSON.init))
        case .codable(let text):
            // Text that is not valid JSON is returned unchanged.
            self = JSONValue(parsing: text).map(StateJSON.init) ?? .string(text)
        case .reference(let path):
            self = .object(["reference": path.map { .string($0.description) } ?? .null])
        }
    }
}

extension StateJSON {
    /// Creates a value from parsed JSON, in which numbers still have their original digits.
    private init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(StateJSON.init))
        case .object(let members):
            self = .object(
                Dictionary(
                    members.map { ($0.name, StateJSON($0.value)) },
                    uniquingKeysWith: { first, _ in first }))
        case .number(let text):
            if let double = Double(exactly: text) {
                self = double.exactInteger.map(StateJSON.integer) ?? .double(double)
            } else {
                self = Int64(text).map(StateJSON.integer) ?? .string(text)
            }
        }
    }

    /// Returns whether two values are equal. Doubles are compared by their bits, so that 0.0 and -0.0 differ (I5).
    package static func == (left: StateJSON, right: StateJSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.integer, _), (.double, _), (.string, _), (.array, _),
            (.object, _):
            false
        }
    }
}

/// Returns the RFC 3339 string, in UTC, for a time in microseconds since 1970-01-01 UTC.
package func rfc3339String(_ microseconds: Int64) -> String {
    rfc3339String(Date(microseconds: microseconds))
}

/// Returns the RFC 3339 string, in UTC, for a time.
package func rfc3339String(_ time: Date) -> String { time.formatted(Date.ISO8601FormatStyle()) }
