/// Bytes that are no stored value.
package enum ValueError: Error, Equatable, Sendable, CustomStringConvertible {
    case truncated
    case unknownTag(UInt8)
    case numberTooLarge
    case invalidUTF8
    case nestedTooDeep
    case boundsReversed
    case keyTwice
    case invalidURL
    case invalidJSON

    package var description: String {
        switch self {
        case .truncated: "the value ends too early"
        case .unknownTag(let byte): "a value of the unknown type \(byte)"
        case .numberTooLarge: "a number that is too large"
        case .invalidUTF8: "a text that is not UTF-8"
        case .nestedTooDeep: "a value nested more than \(ValueReader.maximumDepth) deep"
        case .boundsReversed: "a range whose upper bound is below its lower bound"
        case .keyTwice: "a dictionary with one key twice"
        case .invalidURL: "a text that is no URL"
        case .invalidJSON: "a text that is not JSON"
        }
    }
}
