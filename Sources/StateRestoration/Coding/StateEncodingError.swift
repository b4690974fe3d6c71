import ExactText

/// A problem with saving a value in an object's state (P9).
///
/// Encoding does not throw this error. The error is reported, and the pass continues. If ``keepsPreviousValue`` is
/// `true`, the previously saved value is kept.
public struct StateEncodingError: Error, Equatable, CustomStringConvertible {
    /// Reason why a value cannot be saved.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Cause: Sendable, Equatable {
        /// The key already has a value. The first value is saved.
        case keyWrittenTwice
        /// The key begins with `@`, which is reserved for the library.
        case reservedKey
        /// The referenced object has no restoration identifier (P8).
        case referenceWithoutIdentifier
        /// Arrays and dictionaries in the value are nested more than 64 levels deep.
        case nestedTooDeep
        /// The value is larger than the limit.
        case tooLarge(bytes: Int, limit: Int)
        /// A `Codable` value threw an error while it was encoded.
        case codable(reason: String)
        /// The class does not list a ``Restorable`` property.
        case restorableNotListed(property: String)
    }

    /// Restoration path of the object.
    public let objectPath: String
    /// Key of the value.
    public let key: String
    /// Reason why the value cannot be saved.
    public let cause: Cause
    /// Whether the value that was previously saved under the key is kept.
    public let keepsPreviousValue: Bool

    init(objectPath: String, key: String, cause: Cause, keepsPreviousValue: Bool = false) {
        self.objectPath = objectPath
        self.key = key
        self.cause = cause
        self.keepsPreviousValue = keepsPreviousValue
    }

    /// Remedy for a value that is too large, worded for the end of a sentence.
    package static let sizeRemedy =
        "; save less, or raise the limit (PreservationSettings.limits, or limits.state in the configuration of a daemon)"

    /// Sentence that identifies the object and the key, and states the remedy if there is one.
    public var description: String {
        let name = "\(objectPath): \"\(key)\""
        let sentence =
            switch cause {
            case .keyWrittenTwice: "\(name) was encoded twice: the first value is saved"
            case .reservedKey:
                "\(name) is not saved: keys that begin with @ are reserved for the library; choose another key"
            case .referenceWithoutIdentifier:
                "\(name) refers to an object that is not preserved: "
                    + "give that object a restoration identifier"
            case .nestedTooDeep:
                "\(name) is not saved: it is nested more than \(ValueReader.maximumDepth) levels deep"
            case .tooLarge(let bytes, let limit):
                "\(name) is not saved: it takes \(bytes) bytes, and the limit is \(limit)"
                    + Self.sizeRemedy
            case .codable(let reason): "\(name) is not saved: \(reason)"
            case .restorableNotListed(let property):
                "\(name) is not saved: list $\(property) in restorables(_:)"
            }
        return keepsPreviousValue ? "\(sentence); the previously saved value is retained" : sentence
    }
}
