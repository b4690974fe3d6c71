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
