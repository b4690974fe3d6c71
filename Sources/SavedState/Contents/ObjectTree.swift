/// Tree of the objects in a store, with each object's record.
struct ObjectTree: Sendable {
    /// Node for an object, with links to its siblings and children.
    ///
    /// The indexes of objects start at 1. The node at index 0 is the parent of the roots.
    private struct Node {
        var span = RecordSegments.Span.empty
        var previousSibling: Int32 = 0
        var nextSibling: Int32 = 0
        var firstChild: Int32 = 0
        var lastChild: Int32 = 0

        /// Value of `previousSibling` in the node of an object whose parent has not been added yet.
        ///
        /// In such a node, `nextSibling` contains the parent's number.
        static let orphanMarker: Int32 = -1
    }

    private var nodes = [Node()]
    private var indexesByNumber = NumberTable()
    private var freeIndexes: [Int32] = []
    /// Indexes of objects that were added before their parents. Some of these objects may have been linked to a parent
    /// since then.
    private var orphanIndexes: [Int32] = []

    /// Number of objects.
    var count: Int { indexesByNumber.count }

    /// All indexes, including unused indexes.
    var indexes: Range<Int32> { 1..<Int32(nodes.count) }

    /// Span that contains the payload of the record at an index.
    subscript(index: Int32) -> RecordSegments.Span {
        get { nodes[Int(index)].span }
        set { nodes[Int(index)].span = newValue }
    }

    /// Returns the index of an object, or `nil` if no object has this number.
    func index(of number: UInt32) -> Int32? { indexesByNumber[number].map { Int32($0) } }

    /// Indexes of the objects that have no parent.
    var rootIndexes: [Int32] {
        var rootIndexes: [Int32] = []
        var index = nodes[0].firstChild
        while index != 0 {
            rootIndexes.append(index)
            index = nodes[Int(index)].nextSibling
        }
        return rootIndexes
    }

    /// Calls a closure with the index of an object and with the index of each of its descendants.
    ///
    /// Each object follows its parent.
    func forEachIndex(below root: UInt32, _ body: (Int32) -> Void) {
        guard let start = index(of: root) else { return }
        var pendingIndexes = [start]
        while let index = pendingIndexes.popLast() {
            body(index)
            var child = nodes[Int(index)].lastChild
            while child != 0 {
                pendingIndexes.append(child)
                child = nodes[Int(child)].previousSibling
            }
        }
    }

    // MARK: Changing

    /// Adds an object as its parent's last child.
    ///
    /// - Parameter parent: Number of the parent, or 0 for a root. The parent may be added later.
    mutating func add(_ number: UInt32, _ span: RecordSegments.Span, below parent: UInt32) {
        let index = freeIndexes.popLast() ?? Int32(nodes.count)
        if index == nodes.count {
            nodes.append(Node(span: span))
        } else {
            nodes[Int(index)] = Node(span: span)
        }
        indexesByNumber[number] = UInt32(index)
        link(index, below: parent)
    }

    /// Moves an object to a different parent, as the parent's last child.
    mutating func move(_ index: Int32, from previousParent: UInt32, to parent: UInt32) {
        unlink(index, from: previousParent)
        link(index, below: parent)
    }

    /// Removes an object. The object or one of its ancestors must already be unlinked.
    mutating func remove(_ number: UInt32) {
        guard let index = index(of: number) else { return }
        indexesByNumber[number] = nil
        nodes[Int(index)] = Node()
        freeIndexes.append(index)
    }

    /// Links objects to parents that were added after them.
    mutating func linkOrphans() {
        if orphanIndexes.isEmpty { return }
        let pendingOrphans = orphanIndexes
        orphanIndexes = []
        for index in pendingOrphans where nodes[Int(index)].previousSibling == Node.orphanMarker {
            link(index, below: UInt32(bitPattern: nodes[Int(index)].nextSibling))
        }
    }

    /// Unlinks an object, together with its descendants, from its parent.
    ///
    /// The caller must then relink or remove the object.
    mutating func unlink(_ index: Int32, from parent: UInt32) {
        let previousSibling = nodes[Int(index)].previousSibling
        if previousSibling == Node.orphanMarker { return }
        guard let parentIndex = self.index(ofParent: parent) else { return }
        let nextSibling = nodes[Int(index)].nextSibling
        if previousSibling == 0 {
            nodes[parentIndex].firstChild = nextSibling
        } else {
            nodes[Int(previousSibling)].nextSibling = nextSibling
        }
        if nextSibling == 0 {
            nodes[parentIndex].lastChild = previousSibling
        } else {
            nodes[Int(nextSibling)].previousSibling = previousSibling
        }
    }

    private mutating func link(_ index: Int32, below parent: UInt32) {
        guard let parentIndex = self.index(ofParent: parent) else {
            nodes[Int(index)].previousSibling = Node.orphanMarker
            nodes[Int(index)].nextSibling = Int32(bitPattern: parent)
            return orphanIndexes.append(index)
        }
        let lastSibling = nodes[parentIndex].lastChild
        nodes[Int(index)].previousSibling = lastSibling
        nodes[Int(index)].nextSibling = 0
        if lastSibling == 0 {
            nodes[parentIndex].firstChild = index
        } else {
            nodes[Int(lastSibling)].nextSibling = index
        }
        nodes[parentIndex].lastChild = index
    }

    /// Returns the index of a parent, or `nil` if the parent has not been added yet. The index is 0 for the parent of
    /// the roots.
    private func index(ofParent number: UInt32) -> Int? {
        number == 0 ? 0 : indexesByNumber[number].map(Int.init)
    }
}
