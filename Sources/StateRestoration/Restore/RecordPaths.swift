/// The paths of records that are asked for in the order of the archive: of siblings, which follow each
/// other, only the last identifier is another.
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
            components[components.count - 1] = tree.records[place].header.identifier
        }
        return RestorationPath(components)
    }
}
