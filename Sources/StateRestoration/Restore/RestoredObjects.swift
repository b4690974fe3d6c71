/// The objects found so far for the records of a scene.
final class RestoredObjects {
    let tree: RecordTree
    private var objects: [(any StateRestoring)?]
    /// Made when the first reference is followed.
    private lazy var places = RecordPlaces(tree.numbers)

    init(_ tree: RecordTree) {
        self.tree = tree
        objects = Array(repeating: nil, count: tree.count)
    }

    /// The object that was found for the record at a place; nil if none was.
    subscript(place: Int) -> (any StateRestoring)? {
        get { objects[place] }
        set { objects[place] = newValue }
    }

    /// The object above a record; nil if the record is a root, or if that was not found.
    func parent(of place: Int) -> (any StateRestoring)? {
        let parent = tree.parents[place]
        return parent < 0 ? nil : objects[parent]
    }

    /// The place of the record of this number; nil if there is none.
    func place(of number: RecordNumber) -> Int? {
        places[number]
    }

    /// The object that was found for the record of this number; nil if none was.
    func object(numbered number: RecordNumber) -> (any StateRestoring)? {
        place(of: number).flatMap { objects[$0] }
    }
}

/// The places of records by their numbers.
private struct RecordPlaces {
    /// Numbers are mostly dense: a place for each, -1 where there is none.
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
