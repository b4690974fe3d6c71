/// Error for a message that violates the protocol. A server that receives such a message closes the connection, usually
/// without a reply.
public enum MessageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message is empty or contains only white space.
    case empty
    /// The message is not valid JSON. The associated value is the offset of the error.
    case notJSON(offset: Int)
    /// The string at this offset is not valid UTF-8.
    case notUTF8(offset: Int)
    /// A string contains the character U+0000 at this offset. The character would terminate a C string, and systemd's
    /// servers refuse it too.
    case nulCharacter(offset: Int)
    /// Arrays and objects are nested too deeply.
    case tooDeep
    /// The message is JSON, but not an object.
    case notObject
    /// The message has a top-level key that the protocol does not define.
    case unknownKey(String)
    /// The message contains the same top-level key twice.
    case repeatedKey(String)
    /// The value of a top-level key has the wrong type.
    case mistyped(String)
    /// The call has no `method`.
    case noMethod
    /// The call has both `oneway` and `more`.
    case onewayWithMore
    /// The message has more values than this limit, including the values in arrays and objects.
    case tooManyValues(limit: Int)
    /// The message has more bytes before its NUL than this limit.
    case tooLarge(limit: Int)

    /// Description of the error, without a full stop.
    public var description: String {
        switch self {
        case .empty: "the message is empty"
        case .notJSON(let offset): "the message is not valid JSON at byte \(offset)"
        case .notUTF8(let offset): "the string at byte \(offset) of the message is not UTF-8"
        case .nulCharacter(let offset):
            "the message has the character U+0000 at byte \(offset), which is not allowed"
        case .tooDeep:
            "the message is nested deeper than \(JSONReader.maximumDepth) levels"
        case .notObject: "the message is not a JSON object"
        case .unknownKey(let key): "the message has a key \"\(key)\" that Varlink does not define"
        case .repeatedKey(let key): "the message has the key \"\(key)\" twice"
        case .mistyped(let key): "the value of the message's key \"\(key)\" is of the wrong type"
        case .noMethod: "the call has no method"
        case .onewayWithMore: "the call sets both oneway and more, which cannot be combined"
        case .tooManyValues(let limit): "the message has more than \(limit) values"
        case .tooLarge(let limit): "the message is longer than the limit of \(limit) bytes"
        }
    }
}
