import ExactText

/// An error that describes why a user operation on a view or a controller failed.
///
/// A failed operation changes nothing.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum OperationError: Error, Sendable, Equatable {
    /// No element has this zero-based index.
    ///
    /// `count` is the number of elements.
    case noSuchElement(index: Int, count: Int)
    /// More elements were specified than can be selected at once.
    case tooManyElements(given: Int, maximum: Int)
    /// The model has no element with this identifier.
    case noSuchModelIdentifier(String)
    /// The operation is not possible at the moment.
    ///
    /// The text states the reason and what the user can do.
    case notPossible(String)
}
