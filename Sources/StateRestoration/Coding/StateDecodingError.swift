import ExactText

/// A saved value that cannot be given as it was asked for (R14).
public struct StateDecodingError: Error, Equatable, CustomStringConvertible {
    /// The reason.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Cause: Sendable, Equatable {
        /// The saved value is of another type.
        case typeMismatch(saved: String, asked: String)
        /// A `Codable` type does not take the saved value.
        case refused(type: String, reason: String)
        /// The saved bytes are no value.
        case malformed(reason: String)
    }

    /// The object's restoration path.
    public let object: String
    /// The key.
    public let key: String
    /// The reason.
    public let cause: Cause

    /// One sentence naming object, key and both types.
    public var description: String {
        switch cause {
        case .typeMismatch(let saved, let asked):
            "\(object): \"\(key)\" was saved as \(saved) and is decoded as \(asked)"
        case .refused(let type, let reason):
            "\(object): \"\(key)\" was saved in another form of \(type): \(reason)"
        case .malformed(let reason):
            "\(object): \"\(key)\" cannot be read: \(reason)"
        }
    }
}

/// Several things of one object's state that could not be given, and what it threw itself.
package struct StateDecodingErrors: Error, CustomStringConvertible {
    package let errors: [any Error]

    /// Their sentences.
    package var description: String {
        errors.map { String(describing: $0) }.joined(separator: "; ")
    }
}
