/// What has elements that a person taps, moves and deletes: a list. They are numbered from 0, through
/// all sections.
public protocol ListOperating: ElementChoosing {
    /// A person chooses elements by their names in the model; those chosen before are chosen no more.
    ///
    /// - Throws: ``OperationError`` if there is no such element, if the elements have no names, or if
    ///   not so many can be chosen.
    func choose(modelIdentifiers: [String]) throws(OperationError)

    /// A person taps an element.
    ///
    /// - Throws: ``OperationError/noSuchElement(index:count:)``.
    func tapElement(at index: Int) throws(OperationError)

    /// A person moves an element.
    ///
    /// - Parameters:
    ///   - index: where it is.
    ///   - destination: where it is afterwards.
    /// - Throws: ``OperationError`` if there is no such place, or the element cannot be moved.
    func moveElement(from index: Int, to destination: Int) throws(OperationError)

    /// A person deletes an element.
    ///
    /// - Throws: ``OperationError`` if there is no such element, or it cannot be deleted.
    func deleteElement(at index: Int) throws(OperationError)
}
