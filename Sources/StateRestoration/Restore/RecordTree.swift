import StateRecords

/// How a scene's records lie in each other, told by their places in the archive's order: every
/// parent stands before its children, and what lies below a record stands right behind it.
///
/// Total: a record whose parent does not stand where it should, or that lies too deep, is lost.
final class RecordTree {
    /// In place of a parent: the record is a root.
    static let root = -1
    /// In place of a parent: there is none, and nothing below the record is known.
    static let lost = -2
    /// As many identifiers as a path can have (I2).
    static let maximumDepth = (RestorationPath.maximumBytes + 1) / 2

    /// The records, each behind its parent.
    private let records: RecordList
    /// Where each record is among them.
    private let indices: [Int]
    /// The number of each record.
    let numbers: [RecordNumber]
    /// The place of the record above each, ``root`` or ``lost``.
    let parents: [Int]
    /// The place behind all that lies below each.
    let ends: [Int]

    /// Records of a kind that this version does not know are left out.
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

    /// How many records there are.
    var count: Int { indices.count }

    /// The header of a record.
    func header(of place: Int) -> ObjectHeader {
        records.fields(at: indices[place]) { $0.header }
    }

    /// The number of the name of the storyboard that a record's object was made from; 0: none.
    func storyboard(of place: Int) -> UInt32 {
        records.fields(at: indices[place]) { $0.names[2] }
    }

    /// The values of a record.
    func values(of place: Int) -> SavedValues { SavedValues(of: indices[place], in: records) }

    /// The identifier in a record.
    fileprivate func identifier(of place: Int) -> RestorationIdentifier {
        RestorationIdentifier(
            recorded: records.fields(at: indices[place]) {
                String(decoding: $0.identifier, as: UTF8.self)
            })
    }

    /// The places of the records below one.
    func subtree(below place: Int) -> Range<Int> { (place + 1)..<ends[place] }

    /// The path of a record.
    func path(of place: Int) -> RestorationPath {
        RestorationPath(components(to: place, reserving: 0))
    }

    /// The path as it is written; of one that is too long as much as shows that it is.
    func writtenPath(of place: Int) -> String {
        var text = ""
        for step in chain(to: place) where text.utf8.count <= RestorationPath.maximumBytes {
            if !text.isEmpty { text += "/" }
            text += identifier(of: step).text
        }
        return text
    }

    /// Place of the record at a path, compared by its bytes (I5), or `nil` if there is none.
    func place(at path: String) -> Int? {
        (0..<parents.count).first { place in
            parents[place] != Self.lost && writtenPath(of: place).utf8.elementsEqual(path.utf8)
        }
    }

    /// The identifiers from the root to a record, with room for more.
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

    /// The places from the root to a record.
    private func chain(to place: Int) -> [Int] {
        sequence(first: place) { self.parents[$0] }.prefix { $0 >= 0 }.reversed()
    }
}

/// The paths of records that are asked for in the order of the archive: of siblings, which follow
/// each other, only the last identifier is another.
struct RecordPaths {
    private let tree: RecordTree
    private var components: [RestorationIdentifier] = []
    /// The place of the record above the one asked for last.
    private var parent = RecordTree.lost

    init(_ tree: RecordTree) {
        self.tree = tree
    }

    /// The path of a record.
    mutating func path(of place: Int) -> RestorationPath {
        if components.isEmpty || tree.parents[place] != parent {
            components = tree.path(of: place).components
            parent = tree.parents[place]
        } else {
            // In place, unless somebody has kept the path before.
            components[components.count - 1] = tree.identifier(of: place)
        }
        return RestorationPath(components)
    }
}
