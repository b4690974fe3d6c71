/// A message that is not one of the protocol's; a server closes the connection that sent it,
/// without a reply.
public enum MessageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes between two NULs are none, or white space.
    case empty
    /// The bytes are not JSON from this offset on.
    case notJSON(offset: Int)
    /// A string is not UTF-8; the offset is where it starts.
    case notUTF8(offset: Int)
    /// A string has U+0000, which ends texts in C and is refused by systemd's servers too; the offset
    /// is where it stands.
    case null(offset: Int)
    /// Arrays and objects are nested too deep.
    case tooDeep
    /// The message is JSON but not an object.
    case notObject
    /// A top-level key that the protocol does not have.
    case unknownKey(String)
    /// A top-level key given twice.
    case repeatedKey(String)
    /// A top-level key whose value is of the wrong type.
    case mistyped(String)
    /// A call without `method`.
    case noMethod
    /// A call with both `oneway` and `more`.
    case onewayWithMore
    /// The message has more values than this limit, those within arrays and objects included.
    case tooManyValues(limit: Int)
    /// The message has more bytes than this limit without a NUL.
    case tooLarge(limit: Int)

    /// One sentence that says what is wrong with the message.
    public var description: String {
        switch self {
        case .empty: "the message is empty"
        case .notJSON(let offset): "the message is not JSON from byte \(offset) on"
        case .notUTF8(let offset): "the string at byte \(offset) of the message is not UTF-8"
        case .null(let offset):
            "the message has the character U+0000 at byte \(offset), which no text may have"
        case .tooDeep:
            "the message is nested deeper than \(JSONScanner.maximumDepth) levels"
        case .notObject: "the message is not a JSON object"
        case .unknownKey(let key): "the message has a key \"\(key)\" that Varlink does not know"
        case .repeatedKey(let key): "the message has the key \"\(key)\" twice"
        case .mistyped(let key): "the value of the message's key \"\(key)\" is of the wrong type"
        case .noMethod: "the call names no method"
        case .onewayWithMore: "the call asks for no reply and for several (oneway and more)"
        case .tooManyValues(let limit): "the message has more than \(limit) values"
        case .tooLarge(let limit): "the message is longer than the limit of \(limit) bytes"
        }
    }
}
