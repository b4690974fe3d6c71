/// A JSON value as the checks need it: numbers keep their text, objects the order and repetition of
/// their keys.
indirect enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One key of an object with its value.
    struct Member: Sendable, Equatable {
        let name: String
        let value: JSONValue
    }

    /// The whole number that a JSON number stands for, also when it is written as `1.0` or `1e2`;
    /// nil if it is none of 64 bits.
    static func wholeNumber(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }
}
