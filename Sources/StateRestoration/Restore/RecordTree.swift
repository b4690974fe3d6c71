import StateRecords

/// Hierarchy of a scene's records, indexed in the order of the archive.
///
/// Every parent precedes its children, and each record is directly followed by all records below it. A record that
/// violates this order or is nested too deeply has no place in the tree and is lost.
final class RecordTree {
    /// Parent index of a root.
    static let noParent = -1
    /// Parent index of a lost record. All records below a lost record are also lost.
    static let missingParent = -2
    /// Maximum number of identifiers in a path (I2).
    static let maximumDepth = (RestorationPath.maximumBytes + 1) / 2

    /// The scene's records. Every parent precedes its children.
    private let records: RecordList
    /// Index of each record in `records`.
    private let recordIndices: [Int]
    /// Number of each record.
    let recordNumbers: [RecordNumber]
    /// For each record, the index of its parent, or ``noParent`` or ``missingParent``.
    let parentIndices: [Int]
    /// For each record, the index after the last record below it.
    let subtreeEnds: [Int]

    /// Creates the tree.
    ///
    /// Records of an unknown kind are omitted.
    init(_ savedScene: SavedScene) {
        records = savedScene.records
        var recordIndices: [Int] = []
        var recordNumbers: [RecordNumber] = []
        var parentIndices: [Int] = []
        var subtreeEnds: [Int] = []
        recordIndices.reserveCapacity(records.count)
        recordNumbers.reserveCapacity(records.count)
        parentIndices.reserveCapacity(records.count)
        subtreeEnds.reserveCapacity(records.count)
        var openAncestors: [(number: RecordNumber, index: Int)] = []
        func closeAncestors(downTo depth: Int, before index: Int) {
            while openAncestors.count > depth {
                subtreeEnds[openAncestors.removeLast().index] = index
            }
        }
        let sceneNumber = savedScene.number
        for (recordIndex, span) in records.spans.enumerated().dropFirst() where span.type == .object
        {
            let (number, parent, kind) = records.fields(at: recordIndex) {
                (RecordNumber($0.number), RecordNumber($0.parent), $0.kind)
            }
            guard RestorationKind(rawValue: kind) != nil else { continue }
            let index = recordIndices.count
            recordIndices.append(recordIndex)
            recordNumbers.append(number)
            parentIndices.append(Self.missingParent)
            subtreeEnds.append(index + 1)
            var depth = openAncestors.count
            if parent == sceneNumber {
                depth = 0
            } else {
                while depth > 0, openAncestors[depth - 1].number != parent { depth -= 1 }
                if depth == 0 || depth == Self.maximumDepth { continue }
            }
            closeAncestors(downTo: depth, before: index)
            parentIndices[index] = openAncestors.last?.index ?? Self.noParent
            openAncestors.append((number, index))
        }
        closeAncestors(downTo: 0, before: recordIndices.count)
        self.recordIndices = recordIndices
        self.recordNumbers = recordNumbers
        self.parentIndices = parentIndices
        self.subtreeEnds = subtreeEnds
    }

    /// Number of records.
    var count: Int { recordIndices.count }

    /// Returns the header of a record.
    func header(of index: Int) -> ObjectHeader {
        records.fields(at: recordIndices[index]) { $0.header }
    }

    /// Returns the number of the storyboard name in a record, or 0 if no storyboard created the record's object.
    func storyboardNameNumber(of index: Int) -> UInt32 {
        records.fields(at: recordIndices[index]) { $0.names[2] }
    }

    /// Returns the values of a record.
    func values(of index: Int) -> SavedValues { SavedValues(of: recordIndices[index], in: records) }

    /// Returns the identifier of a record.
    fileprivate func identifier(of index: Int) -> RestorationIdentifier {
        RestorationIdentifier(
            recorded: records.fields(at: recordIndices[index]) {
                String(decoding: $0.identifier, as: UTF8.self)
            })
    }

    /// Returns the indexes of the records below a record.
    func subtree(below index: Int) -> Range<Int> { (index + 1)..<subtreeEnds[index] }

    /// Returns the path of a record.
    func path(of index: Int) -> RestorationPath {
        RestorationPath(components(to: index, reserving: 0))
    }

    /// Returns the path of a record in its written form.
    ///
    /// A path that is too long is truncated after the identifier that exceeds the maximum length.
    func writtenPath(of index: Int) -> String {
        var text = ""
        for indexOnPath in indicesOnPath(to: index)
        where text.utf8.count <= RestorationPath.maximumBytes {
            if !text.isEmpty { text += "/" }
            text += identifier(of: indexOnPath).text
        }
        return text
    }

    /// Returns the index of the record at a path, or `nil` if there is none.
    ///
    /// Paths are compared byte by byte (I5).
    func index(at path: String) -> Int? {
        (0..<parentIndices.count).first { index in
            parentIndices[index] != Self.missingParent
                && writtenPath(of: index).utf8.elementsEqual(path.utf8)
        }
    }

    /// Returns the identifiers from the root to a record, in an array with capacity for additional identifiers.
    private func components(to index: Int, reserving count: Int) -> [RestorationIdentifier] {
        var components: [RestorationIdentifier] = []
        if index < 0 {
            components.reserveCapacity(count)
        } else {
            components = self.components(to: parentIndices[index], reserving: count + 1)
            components.append(identifier(of: index))
        }
        return components
    }

    /// Returns the indexes of the records from the root to a record.
    private func indicesOnPath(to index: Int) -> [Int] {
        sequence(first: index) { self.parentIndices[$0] }.prefix { $0 >= 0 }.reversed()
    }
}

/// A source of record paths that is fastest if paths are requested in the order of the archive.
///
/// Siblings tend to be adjacent in this order, and their paths differ only in the last identifier.
struct RecordPathCache {
    private let tree: RecordTree
    private var components: [RestorationIdentifier] = []
    /// Parent index of the record whose path was last requested.
    private var lastParentIndex = RecordTree.missingParent

    init(_ tree: RecordTree) {
        self.tree = tree
    }

    /// Returns the path of a record.
    mutating func path(of index: Int) -> RestorationPath {
        if components.isEmpty || tree.parentIndices[index] != lastParentIndex {
            components = tree.path(of: index).components
            lastParentIndex = tree.parentIndices[index]
        } else {
            // The identifier is replaced in place, unless other code still holds the previous path.
            components[components.count - 1] = tree.identifier(of: index)
        }
        return RestorationPath(components)
    }
}
