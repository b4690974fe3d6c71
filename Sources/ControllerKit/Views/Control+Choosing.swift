extension Control {
    /// The one element that a person chooses of a control.
    ///
    /// - Parameter count: how many there are.
    /// - Throws: ``OperationError`` if the control is disabled, if there is no such element, or if
    ///   not exactly one is chosen.
    func chosenIndex(_ indexes: [Int], of count: Int) throws(OperationError) -> Int {
        try requireEnabled()
        guard let index = indexes.first else {
            throw .notPossible("one is always chosen: choose another")
        }
        guard indexes.count == 1 else { throw .tooManyElements(given: indexes.count, most: 1) }
        guard 0..<count ~= index else { throw .noSuchElement(index: index, count: count) }
        return index
    }
}
