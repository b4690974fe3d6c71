/// The objects that have been found for a scene's records so far.
final class RestoredObjects {
    let tree: RecordTree
    /// Object found for each record, or `nil` if none has been found.
    private var objects: [(any StateRestoring)?]
    /// Indexes of the records, keyed by number. The table is built when it is first needed.
    private lazy var recordIndices = RecordIndices(tree.recordNumbers)

    init(_ tree: RecordTree) {
        self.tree = tree
        objects = Array(repeating: nil, count: tree.count)
    }

    /// The object found for the record with the given index, or `nil` if none has been found.
    subscript(index: Int) -> (any StateRestoring)? {
        get { objects[index] }
        set { objects[index] = newValue }
    }

    /// Returns the object above a record, or `nil` if the record is a root or the object above it has not been found.
    func parent(of index: Int) -> (any StateRestoring)? {
        let parentIndex = tree.parentIndices[index]
        return parentIndex < 0 ? nil : objects[parentIndex]
    }

    /// Returns the index of the record with the given number, or `nil` if there is none.
    func index(of number: RecordNumber) -> Int? {
        recordIndices[number]
    }

    /// Returns the object found for the record with the given number, or `nil` if none has been found.
    func object(numbered number: RecordNumber) -> (any StateRestoring)? {
        index(of: number).flatMap { objects[$0] }
    }
}

/// Indexes of records, keyed by record number.
private struct RecordIndices {
    /// Index of the record with each record number, or -1 if no record has the number.
    ///
    /// Used if the numbers are dense, which they usually are.
    private var denseIndices: [Int32] = []
    private var sparseIndices: [RecordNumber: Int] = [:]

    init(_ numbers: [RecordNumber]) {
        let highestNumber = Int(numbers.reduce(0) { max($0, $1.rawValue) })
        let hasDenseNumbers = highestNumber <= numbers.count * 8 && numbers.count < Int32.max
        if hasDenseNumbers { denseIndices = Array(repeating: -1, count: highestNumber + 1) }
        for (index, number) in numbers.enumerated().reversed() {
            if hasDenseNumbers {
                denseIndices[Int(number.rawValue)] = Int32(index)
            } else {
                sparseIndices[number] = index
            }
        }
    }

    subscript(number: RecordNumber) -> Int? {
        if denseIndices.isEmpty { return sparseIndices[number] }
        let index = Int(number.rawValue)
        return index < denseIndices.count && denseIndices[index] >= 0
            ? Int(denseIndices[index]) : nil
    }
}
