/// What shows a model's elements as rows: a table, a collection. The rows are counted through all
/// sections from 0.
public protocol RowOperating: AnyObject {
    /// A person taps a row, which chooses it.
    ///
    /// - Throws: ``OperationError/noSuchElement(index:count:)``, or
    ///   ``OperationError/notPossible(_:)`` if rows take no taps now.
    func tapElement(at index: Int) throws(OperationError)

    /// A person chooses rows by the model's identifiers of what they show; those chosen before are
    /// chosen no more.
    ///
    /// - Throws: ``OperationError/noSuchModelIdentifier(_:)``, or ``OperationError`` if not so many
    ///   can be chosen, or the rows have no such identifiers.
    func choose(modelIdentifiers: [String]) throws(OperationError)

    /// A person moves a row to another place.
    ///
    /// - Parameters:
    ///   - from: where the row is.
    ///   - to: where it is afterwards.
    /// - Throws: ``OperationError/noSuchElement(index:count:)``, or
    ///   ``OperationError/notPossible(_:)`` if the row stays.
    func moveElement(from: Int, to: Int) throws(OperationError)

    /// A person deletes a row.
    ///
    /// - Throws: ``OperationError/noSuchElement(index:count:)``, or
    ///   ``OperationError/notPossible(_:)`` if the row stays.
    func deleteElement(at index: Int) throws(OperationError)
}
