/// Objects found so far for the records of a scene.
final class RestoredObjects {
    let tree: RecordTree
    private var objects: [(any StateRestoring)?]
    /// Index of the records by number, built when the first reference is resolved.
    private lazy var places = RecordPlaces(tree.numbers)

    init(_ tree: RecordTree) {
        self.tree = tree
        objects = Array(repeating: nil, count: tree.count)
    }

    /// The object found for the record with the given index, or `nil` if no object was found.
    subscript(place: Int) -> (any StateRestoring)? {
        get { objects[place] }
        set { objects[place] = newValue }
    }

    /// Returns the object above a record, or `nil` if the record is a root or the object above it was not found.
    func parent(of place: Int) -> (any StateRestoring)? {
        let parent = tree.parents[place]
        return parent < 0 ? nil : objects[parent]
    }

    /// Returns the index of the record with the given number, or `nil` if there is none.
    func place(of number: RecordNumber) -> Int? {
        places[number]
    }

    /// Returns the object found for the record with the given number, or `nil` if no object was found.
    func object(numbered number: RecordNumber) -> (any StateRestoring)? {
        place(of: number).flatMap { objects[$0] }
    }
}

/// Indexes of records, keyed by record number.
private struct RecordPlaces {
    /// Index for each number, or -1 if no record has the number.
    ///
    /// This array is used if the numbers are dense, which they usually are.
    private var dense: [Int32] = []
    private var sparse: [RecordNumber: Int] = [:]

    init(_ numbers: [RecordNumber]) {
        let highest = Int(numbers.reduce(0) { max($0, $1.rawValue) })
        let isDense = highest <= numbers.count * 8 && numbers.count < Int32.max
        if isDense { dense = Array(repeating: -1, count: highest + 1) }
        for (place, number) in numbers.enumerated().reversed() {
            if isDense {
                dense[Int(number.rawValue)] = Int32(place)
            } else {
                sparse[number] = place
            }
        }
    }

    subscript(number: RecordNumber) -> Int? {
        if dense.isEmpty { return sparse[number] }
        let index = Int(number.rawValue)
        return index < dense.count && dense[index] >= 0 ? Int(dense[index]) : nil
    }
}
