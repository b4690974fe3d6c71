import StateRecords

/// Hierarchy of a scene's records, indexed in the order of the archive.
///
/// Every parent precedes its children, and the records below a record follow it directly. A record is lost if
/// it does not follow its parent in this order, or if it is nested too deeply.
final class RecordTree {
    /// Parent index of a root.
    static let root = -1
    /// Parent index of a lost record. The records below a lost record are also lost.
    static let lost = -2
    /// Maximum number of identifiers in a path (I2).
    static let maximumDepth = (RestorationPath.maximumBytes + 1) / 2

    /// Records of the scene, each after its parent.
    private let records: RecordList
    /// Index in `records` of each record in the tree.
    private let indices: [Int]
    /// Number of each record.
    let numbers: [RecordNumber]
    /// Index of each record's parent, or ``root`` or ``lost``.
    let parents: [Int]
    /// End index of the records below each record.
    let ends: [Int]

    /// Creates the tree.
    ///
    /// Records whose kind this version does not know are omitted.
    init(_ saved: SavedScene) {
        records = saved.records
        var indices: [Int] = []
        var numbers: [RecordNumber] = []
        var parents: [Int] = []
        var ends: [Int] = []
        indices.reserveCapacity(records.count)
        numbers.reserveCapacity(records.count)
        parents.reserveCapacity(records.count)
        ends.reserveCapacity(records.count)
        var open: [(number: RecordNumber, place: Int)] = []
        func close(downTo depth: Int, before place: Int) {
            while open.count > depth { ends[open.removeLast().place] = place }
        }
        let scene = saved.number
        for (index, span) in records.spans.enumerated().dropFirst() where span.type == .object {
            let (number, parent, kind) = records.fields(at: index) {
                (RecordNumber($0.number), RecordNumber($0.parent), $0.kind)
            }
            guard RestorationKind(rawValue: kind) != nil else { continue }
            let place = indices.count
            indices.append(index)
            numbers.append(number)
            parents.append(Self.lost)
            ends.append(place + 1)
            var depth = open.count
            if parent == scene {
                depth = 0
            } else {
                while depth > 0, open[depth - 1].number != parent { depth -= 1 }
                if depth == 0 || depth == Self.maximumDepth { continue }
            }
            close(downTo: depth, before: place)
            parents[place] = open.last?.place ?? Self.root
            open.append((number, place))
        }
        close(downTo: 0, before: indices.count)
        self.indices = indices
        self.numbers = numbers
        self.parents = parents
        self.ends = ends
    }

    /// Number of records.
    var count: Int { indices.count }

    /// Returns the header of a record.
    func header(of place: Int) -> ObjectHeader {
        records.fields(at: indices[place]) { $0.header }
    }

    /// Returns the name number of the storyboard that created a record's object, or 0 if no storyboard created it.
    func storyboard(of place: Int) -> UInt32 {
        records.fields(at: indices[place]) { $0.names[2] }
    }

    /// Returns the values of a record.
    func values(of place: Int) -> SavedValues { SavedValues(of: indices[place], in: records) }

    /// Returns the identifier in a record.
    fileprivate func identifier(of place: Int) -> RestorationIdentifier {
        RestorationIdentifier(
            recorded: records.fields(at: indices[place]) {
                String(decoding: $0.identifier, as: UTF8.self)
            })
    }

    /// Returns the indexes of the records below a record.
    func subtree(below place: Int) -> Range<Int> { (place + 1)..<ends[place] }

    /// Returns the path of a record.
    func path(of place: Int) -> RestorationPath {
        RestorationPath(components(to: place, reserving: 0))
    }

    /// Returns the path of a record in its written form.
    ///
    /// A path that is too long is truncated after the first identifier that exceeds the maximum length.
    func writtenPath(of place: Int) -> String {
        var text = ""
        for step in chain(to: place) where text.utf8.count <= RestorationPath.maximumBytes {
            if !text.isEmpty { text += "/" }
            text += identifier(of: step).text
        }
        return text
    }

    /// Returns the index of the record at a path, compared by its bytes (I5), or `nil` if there is none.
    func place(at path: String) -> Int? {
        (0..<parents.count).first { place in
            parents[place] != Self.lost && writtenPath(of: place).utf8.elementsEqual(path.utf8)
        }
    }

    /// Returns the identifiers from the root to a record, with reserved capacity for more.
    private func components(to place: Int, reserving count: Int) -> [RestorationIdentifier] {
        var components: [RestorationIdentifier] = []
        if place < 0 {
            components.reserveCapacity(count)
        } else {
            components = self.components(to: parents[place], reserving: count + 1)
            components.append(identifier(of: place))
        }
        return components
    }

    /// Returns the indexes of the records from the root to a record.
    private func chain(to place: Int) -> [Int] {
        sequence(first: place) { self.parents[$0] }.prefix { $0 >= 0 }.reversed()
    }
}

/// Paths of records that are requested in the order of the archive.
///
/// Siblings follow one another, and their paths differ only in the last identifier.
struct RecordPaths {
    private let tree: RecordTree
    private var components: [RestorationIdentifier] = []
    /// Parent index of the most recently requested record.
    private var parent = RecordTree.lost

    init(_ tree: RecordTree) {
        self.tree = tree
    }

    /// Returns the path of a record.
    mutating func path(of place: Int) -> RestorationPath {
        if components.isEmpty || tree.parents[place] != parent {
            components = tree.path(of: place).components
            parent = tree.parents[place]
        } else {
            // This replaces the identifier in place, unless another owner still holds the previous path.
            components[components.count - 1] = tree.identifier(of: place)
        }
        return RestorationPath(components)
    }
}
