import ExactText

/// Something that cannot be saved in an object's state (P9).
///
/// Encoding does not throw it: the pass goes on, and reports it. The value that was saved last under
/// the key stays.
public struct StateEncodingError: Error, Equatable, CustomStringConvertible {
    /// The reason for which it cannot be saved.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Cause: Sendable, Equatable {
        /// The key has a value already; the first one is saved.
        case keyWrittenTwice
        /// The key begins with `@`, as the library's own do.
        case reservedKey
        /// The object that is referred to has no restoration identifier (P8).
        case referenceWithoutIdentifier
        /// Arrays and dictionaries in it are nested more than 64 deep.
        case nestedTooDeep
        /// It takes more bytes than the limit.
        case tooLarge(bytes: Int, limit: Int)
        /// A `Codable` value threw while it was encoded.
        case codable(reason: String)
        /// A ``Restorable`` property that its class does not list.
        case restorableNotListed(property: String)
    }

    /// The object's restoration path.
    public let object: String
    /// The key.
    public let key: String
    /// The reason for which it cannot be saved.
    public let cause: Cause
    /// Whether a value was saved under the key before, and stays.
    public let keepsEarlierValue: Bool

    init(object: String, key: String, cause: Cause, keepsEarlierValue: Bool = false) {
        self.object = object
        self.key = key
        self.cause = cause
        self.keepsEarlierValue = keepsEarlierValue
    }

    /// What to do about a value that is too large, as the end of a sentence.
    package static let sizeRemedy =
        "; raise limits.state in the configuration and run `reprisectl reload`, or save less"

    /// One sentence naming object and key, and what to do.
    public var description: String {
        let name = "\(object): \"\(key)\""
        let sentence =
            switch cause {
            case .keyWrittenTwice: "\(name) was encoded twice: the first value is saved"
            case .reservedKey:
                "\(name) is not saved: keys that begin with @ belong to the library; choose another"
            case .referenceWithoutIdentifier:
                "\(name) refers to an object that is not preserved: "
                    + "give that object a restoration identifier"
            case .nestedTooDeep:
                "\(name) is not saved: it is nested more than \(ValueReader.maximumDepth) deep"
            case .tooLarge(let bytes, let limit):
                "\(name) is not saved: it takes \(bytes) bytes, and the limit is \(limit)"
                    + Self.sizeRemedy
            case .codable(let reason): "\(name) is not saved: \(reason)"
            case .restorableNotListed(let property):
                "\(name) is not saved: list $\(property) in restorables(_:)"
            }
        return keepsEarlierValue ? "\(sentence); the previously saved value stays" : sentence
    }
}
