import ExactText
import StateRestoration

/// Error in the declaration of a value or collection, or in an update or transaction.
public struct RestorableValueError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of error.
    public struct Code: Sendable, Hashable {
        private let name: String

        /// The application has already been launched.
        public static let declaredTooLate = Code(name: "declared-too-late")
        /// Another value has the same identifier or alias.
        public static let declaredTwice = Code(name: "declared-twice")
        /// The text is not valid as an identifier (I5).
        public static let invalidIdentifier = Code(name: "invalid-identifier")
        /// The collection already contains an element with the same `id`, or with an `id` that has the same text.
        public static let elementExists = Code(name: "element-exists")
        /// An update changed the `id` of an element in a collection.
        public static let elementIdentifierChanged = Code(name: "element-identifier-changed")
        /// The collection does not contain an element with the `id`.
        public static let noSuchElement = Code(name: "no-such-element")
        /// The index is out of range.
        public static let indexOutOfRange = Code(name: "index-out-of-range")
        /// The saved state of an element does not contain a value, because the value could not be encoded.
        public static let elementWithoutValue = Code(name: "element-without-value")
        /// A transaction received the same value or collection twice.
        public static let usedTwice = Code(name: "used-twice")
        /// A transaction received a value or collection that belongs to another application.
        public static let otherApplication = Code(name: "other-application")
        /// A value changed by a transaction cannot be encoded, or exceeds the limits for values.
        public static let notSavable = Code(name: "not-savable")
    }

    /// Kind of error.
    public let code: Code
    /// Rejected identifier or alias, or the `id` of an element as text.
    public let identifier: String
    private let reason: String

    init(_ code: Code, _ identifier: String, _ reason: String = "") {
        self.code = code
        self.identifier = identifier
        self.reason = reason
    }

    /// Sentence that describes the error and its remedy.
    public var description: String {
        let identifier = identifier.escapingControlCharacters
        return switch code {
        case .declaredTooLate:
            """
            The value "\(identifier)" was declared after its application was launched: declare it before \
            you run the application.
            """
        case .declaredTwice:
            """
            The identifier "\(identifier)" already belongs to another value, as its identifier or as an alias: use \
            that value, or choose another identifier.
            """
        case .elementExists:
            """
            The collection already contains an element with the id "\(identifier)", or with an id whose text is the \
            same: change that element, or remove it first.
            """
        case .elementIdentifierChanged:
            """
            The id of an element cannot change from "\(identifier)" to "\(reason.escapingControlCharacters)": remove the element, and add \
            an element with the new id.
            """
        case .noSuchElement:
            """
            No element with the id "\(identifier)" can be moved, because the collection contains no such element: \
            append or insert the element, or check the id.
            """
        case .indexOutOfRange:
            "The index \(identifier) is out of range: the collection has \(reason)."
        case .elementWithoutValue:
            """
            The element "\(identifier)" of a collection was saved without its value, because the value could not be \
            encoded or was too large.
            """
        case .usedTwice:
            "The transaction received \"\(identifier)\" twice: pass each value and each collection once."
        case .otherApplication:
            """
            "\(identifier)" belongs to another application: a transaction can change values and collections of \
            only one application.
            """
        case .notSavable:
            """
            Nothing was changed, because the new value of "\(identifier)" cannot be saved: \(reason).
            """
        default: reason
        }
    }
}
