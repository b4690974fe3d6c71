/// An object with ordered elements that the user can select, such as segments, tabs, pages or rows.
public protocol ElementSelecting: AnyObject {
    /// Selects elements on behalf of the user.
    ///
    /// The new selection replaces the previous selection.
    ///
    /// - Parameter indexes: The zero-based indexes of the elements.
    /// - Throws: ``OperationError`` if an element does not exist, or if too many elements are specified.
    func select(_ indexes: [Int]) throws(OperationError)
}

/// A view with elements that the user can tap, move and delete, such as a list.
///
/// Elements are identified by zero-based numbers that count across all sections.
public protocol ListInteracting: ElementSelecting {
    /// Selects the elements with the given model identifiers on behalf of the user.
    ///
    /// The new selection replaces the previous selection.
    ///
    /// - Throws: ``OperationError`` if an element does not exist, if the elements have no identifiers, or if too many
    ///   elements are specified.
    func select(modelIdentifiers: [String]) throws(OperationError)

    /// Taps an element on behalf of the user.
    ///
    /// - Throws: ``OperationError/noSuchElement(index:count:)`` if the element does not exist.
    func tapElement(at index: Int) throws(OperationError)

    /// Moves an element on behalf of the user.
    ///
    /// - Parameters:
    ///   - index: The number of the element before the move.
    ///   - destination: The number of the element after the move.
    /// - Throws: ``OperationError`` if a number is invalid or the element cannot be moved.
    func moveElement(from index: Int, to destination: Int) throws(OperationError)

    /// Deletes an element on behalf of the user.
    ///
    /// - Throws: ``OperationError`` if the element does not exist or cannot be deleted.
    func deleteElement(at index: Int) throws(OperationError)
}

extension RandomAccessCollection where Indices == Range<Int> {
    /// Returns the only given index, for an object in which exactly one element must be selected.
    ///
    /// - Parameter noun: The word for an element in error messages.
    /// - Throws: ``OperationError`` if there is not exactly one index, or if the index is invalid.
    func onlyIndex(of indexes: [Int], _ noun: String) throws(OperationError) -> Int {
        guard let index = indexes.first else {
            throw .notPossible("exactly one \(noun) must be selected")
        }
        guard indexes.count == 1 else { throw .tooManyElements(given: indexes.count, maximum: 1) }
        guard self.indices.contains(index) else {
            throw .noSuchElement(index: index, count: count)
        }
        return index
    }
}
