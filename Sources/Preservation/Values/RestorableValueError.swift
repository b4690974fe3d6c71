import ExactText

/// Why a value or a collection cannot be declared, or a collection not be changed so.
public struct RestorableValueError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of mistakes.
    public struct Code: Sendable, Hashable {
        private let name: String

        /// The application was launched before.
        public static let declaredTooLate = Code(name: "declared-too-late")
        /// Another value has the identifier, as its own or as an alias.
        public static let declaredTwice = Code(name: "declared-twice")
        /// It cannot be an identifier (I5).
        public static let invalidIdentifier = Code(name: "invalid-identifier")
        /// A collection has an element of this `id`, or one whose `id` reads the same.
        public static let elementExists = Code(name: "element-exists")
        /// The `id` of an element of a collection was changed.
        public static let elementIdentifierChanged = Code(name: "element-identifier-changed")
    }

    /// The kind of mistake.
    public let code: Code
    /// The identifier, or alias, that was given; of an element its `id` as text.
    public let identifier: String
    private let reason: String

    init(_ code: Code, _ identifier: String, _ reason: String = "") {
        self.code = code
        self.identifier = identifier
        self.reason = reason
    }

    /// One sentence: what is wrong, and what to do.
    public var description: String {
        switch code {
        case .declaredTooLate:
            """
            The value "\(identifier)" is declared after its application was launched: declare it before \
            the application is run.
            """
        case .declaredTwice:
            """
            The value "\(identifier)" is declared twice, or is the alias of another one: use the one that \
            was made first, or give it another identifier.
            """
        case .elementExists:
            """
            The collection has an element with the id "\(identifier)", or one whose id has the \
            same text: change that element, or remove it first.
            """
        case .elementIdentifierChanged:
            """
            The id "\(identifier)" of an element of a collection was changed to "\(reason)": remove the \
            element, and add one of the other id.
            """
        default: reason
        }
    }
}
