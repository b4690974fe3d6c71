import ExactText

/// Error for a saved value that cannot be decoded as requested (R14).
public struct StateDecodingError: Error, Equatable, CustomStringConvertible {
    /// Reason why a value cannot be decoded.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Cause: Sendable, Equatable {
        /// The saved value has a different type.
        case typeMismatch(saved: String, requested: String)
        /// A `Codable` type rejects the saved value.
        case refused(type: String, reason: String)
        /// The saved bytes are not a valid value.
        case malformed(reason: String)
    }

    /// Restoration path of the object.
    public let objectPath: String
    /// Key of the value.
    public let key: String
    /// Reason why the value cannot be decoded.
    public let cause: Cause

    /// Sentence that identifies the object and the key, and states the cause.
    public var description: String {
        switch cause {
        case .typeMismatch(let saved, let requested):
            "\(objectPath): \"\(key)\" was saved as \(saved) but decoded as \(requested)"
        case .refused(let type, let reason):
            "\(objectPath): \"\(key)\" does not match the type \(type): \(reason)"
        case .malformed(let reason):
            "\(objectPath): \"\(key)\" cannot be read: \(reason)"
        }
    }
}

/// Several errors that occurred while one object decoded its state.
///
/// The last error may be one that the object itself threw.
package struct StateDecodingErrors: Error, CustomStringConvertible {
    /// All errors, in the order in which they occurred.
    package let errors: [any Error]

    /// Descriptions of the errors, separated by semicolons.
    package var description: String {
        errors.map { String(describing: $0) }.joined(separator: "; ")
    }
}
