/// JSON writer that produces UTF-8 with unescaped slashes and no white space.
///
/// Generated types use it to write their values, with sorted keys.
public struct JSONWriter: Sendable {
    /// Text written so far.
    @usableFromInline
    var bytes: [UInt8] = []
    /// Whether the writer has received a number that JSON cannot represent.
    private var hasInvalidNumber = false

    /// Creates an empty writer.
    public init() {}

    /// Returns the text.
    /// - Throws: ``JSONWritingError`` if a number that JSON cannot represent was written.
    public func finish() throws(JSONWritingError) -> [UInt8] {
        if hasInvalidNumber { throw JSONWritingError() }
        return bytes
    }

    /// Begins an object.
    public mutating func beginObject() { bytes.append(UInt8(ascii: "{")) }

    /// Ends an object.
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Begins an array.
    public mutating func beginArray() { bytes.append(UInt8(ascii: "[")) }

    /// Ends an array.
    public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Writes the comma before a member or an element, unless the member or element is the first.
    public mutating func separate() {
        switch bytes.last {
        case UInt8(ascii: "{"), UInt8(ascii: "["): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// Writes an object member whose name needs no escape sequences.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    /// Writes an object member whose name needs no escape sequences, or nothing if the value is `nil`.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: (some JSONWritable)?) {
        guard let value else { return }
        key(name)
        value.write(to: &self)
    }

    @usableFromInline
    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a member's name in an object with arbitrary keys.
    public mutating func key(_ name: String) {
        separate()
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes `null`.
    public mutating func null() { bytes.append(contentsOf: "null".utf8) }

    /// Writes a Boolean.
    public mutating func bool(_ value: Bool) {
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) {
        if (0...9).contains(value) {
            bytes.append(0x30 + UInt8(value))
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
    }

    /// Writes a number with the fewest digits that identify it uniquely. If the number is not finite, ``finish()``
    /// throws an error.
    public mutating func double(_ value: Double) {
        guard value.isFinite else {
            hasInvalidNumber = true
            return null()
        }
        let text = value.description.utf8
        bytes.append(
            contentsOf: text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text[...])
    }

    /// Writes a string.
    public mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { writeEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            bytes.append(contentsOf: text[start..<index])
            start = index + 1
            escape(byte)
        }
        bytes.append(contentsOf: text[start...])
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            let digit = byte & 0x0F
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(byte < 0x10 ? 0x30 : 0x31)
            bytes.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
        }
    }

    /// Writes text that is already JSON.
    mutating func writeRaw(_ text: [UInt8]) { bytes.append(contentsOf: text) }
}

/// Error for an infinite number or NaN, which JSON cannot represent.
public struct JSONWritingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Description of the error, without a full stop.
    public var description: String { "JSON cannot represent a number that is not finite" }

    init() {}
}

/// Type whose values can be written as JSON.
public protocol JSONWritable {
    /// Writes the value at the writer's position.
    func write(to writer: inout JSONWriter)
}

extension Bool: JSONWritable {
    /// Writes `true` or `false`.
    public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int: JSONWritable {
    /// Writes the integer.
    public func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension Int64: JSONWritable {
    /// Writes the integer.
    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: JSONWritable {
    /// Writes the number with the fewest digits that identify it uniquely.
    public func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension String: JSONWritable {
    /// Writes the string.
    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Writes `nil` as `null`.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        if let value = self { value.write(to: &writer) } else { writer.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes the elements.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self {
            writer.separate()
            element.write(to: &writer)
        }
        writer.endArray()
    }
}

extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
    /// Writes the members, sorted by the bytes of their keys.
    @inlinable
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.key(key)
            value.write(to: &writer)
        }
        writer.endObject()
    }
}
