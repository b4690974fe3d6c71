/// An object with elements in an order, of which a person chooses: segments, tabs, pages, rows.
public protocol ElementChoosing: AnyObject {
    /// A person chooses elements; those chosen before are chosen no more.
    ///
    /// - Parameter indexes: the elements' places, counted from 0.
    /// - Throws: ``OperationError`` if there is no such element, or not so many can be chosen.
    func choose(_ indexes: [Int]) throws(OperationError)
}

/// A view with elements that a person taps, moves and deletes: a list. They are numbered from 0,
/// through all sections.
public protocol ListOperating: ElementChoosing {
    /// A person chooses elements by their names in the model; those chosen before are chosen no
    /// more.
    ///
    /// - Throws: ``OperationError`` if there is no such element, if the elements have no names, or
    ///   if not so many can be chosen.
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

extension RandomAccessCollection where Indices == Range<Int> {
    /// The index that a person chose, where exactly one can be chosen.
    ///
    /// - Parameter noun: what the elements are called.
    /// - Throws: ``OperationError`` if it is none, more than one, or one that no element has.
    func onlyIndex(of indexes: [Int], _ noun: String) throws(OperationError) -> Int {
        guard let index = indexes.first else {
            throw .notPossible("one \(noun) is always chosen: name one")
        }
        guard indexes.count == 1 else { throw .tooManyElements(given: indexes.count, most: 1) }
        guard self.indices.contains(index) else {
            throw .noSuchElement(index: index, count: count)
        }
        return index
    }
}
