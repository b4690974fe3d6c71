/// Why something that a person does to a view or a controller does not happen. Nothing changed then.
public enum OperationError: Error, Sendable, Equatable {
    /// There is no element of this index: they are counted from 0, and `count` there are.
    case noSuchElement(index: Int, count: Int)
    /// More elements than the most that can be chosen at once.
    case tooManyElements(given: Int, most: Int)
    /// The model has no element of this identifier.
    case noSuchModelIdentifier(String)
    /// It cannot be done here and now: a clause that tells why, and what to do.
    case notPossible(String)
}
