/// Finds an object's large values, which are kept out of line, by their keys.
struct OutOfLineFinder {
    private let values: [ArraySlice<UInt8>]
    /// Where the next key is looked for first: objects mostly decode in the order in which they
    /// encoded.
    private var next = 0
    /// Before the value that was found last, until it is closed.
    private(set) var open: ValueReader?

    /// - Parameter values: each behind its key.
    init(_ values: [ArraySlice<UInt8>]) {
        self.values = values
    }

    /// Opens the value of a key. What does not begin with a key is nobody's.
    ///
    /// - Returns: its tag; nil if there is none.
    mutating func find(_ name: UInt64) throws(ValueError) -> ValueTag? {
        for index in [next..<values.count, 0..<next].joined() {
            guard let value = Self.value(of: name, in: values[index]) else { continue }
            var reader = value
            let tag = try reader.readTag()
            open = value
            next = index + 1
            return tag
        }
        return nil
    }

    private static func value(of name: UInt64, in bytes: ArraySlice<UInt8>) -> ValueReader? {
        var reader = ValueReader(bytes)
        do throws(ValueError) {
            return try reader.readVarint() == name ? reader : nil
        } catch {
            return nil
        }
    }

    /// The value that was found last is not read any more.
    ///
    /// - Returns: false if none was.
    @discardableResult
    mutating func close() -> Bool {
        defer { open = nil }
        return open != nil
    }
}
