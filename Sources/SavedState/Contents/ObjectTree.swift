/// Tree of the objects in a store, with each object's record.
struct ObjectTree: Sendable {
    /// Object with links to its siblings and children. The indexes of objects start at 1. The node at index 0 is the
    /// parent of the roots.
    private struct Node {
        var span = Segments.Span.empty
        var previous: Int32 = 0
        var next: Int32 = 0
        var firstChild: Int32 = 0
        var lastChild: Int32 = 0

        /// Value of `previous` in an object whose parent has not been added yet.
        ///
        /// In such an object, `next` contains the parent's number.
        static let orphan: Int32 = -1
    }

    private var nodes = [Node()]
    private var numbers = NumberTable()
    private var free: [Int32] = []
    /// Indexes of objects that were added before their parents. Some of them may have been linked to a parent in the
    /// meantime.
    private var orphans: [Int32] = []

    /// Number of objects.
    var count: Int { numbers.count }

    /// All indexes, including unused indexes.
    var places: Range<Int32> { 1..<Int32(nodes.count) }

    /// Span that contains the payload of the record at an index.
    subscript(place: Int32) -> Segments.Span {
        get { nodes[Int(place)].span }
        set { nodes[Int(place)].span = newValue }
    }

    /// Returns the index of an object, or `nil` if no object has this number.
    func place(of number: UInt32) -> Int32? { numbers[number].map { Int32($0) } }

    /// Indexes of the objects that have no parent.
    var roots: [Int32] {
        var roots: [Int32] = []
        var place = nodes[0].firstChild
        while place != 0 {
            roots.append(place)
            place = nodes[Int(place)].next
        }
        return roots
    }

    /// Calls a closure with the index of an object and the indexes of all objects below it.
    ///
    /// Each object follows its parent.
    func forEachPlace(below root: UInt32, _ body: (Int32) -> Void) {
        guard let start = place(of: root) else { return }
        var waiting = [start]
        while let place = waiting.popLast() {
            body(place)
            var child = nodes[Int(place)].lastChild
            while child != 0 {
                waiting.append(child)
                child = nodes[Int(child)].previous
            }
        }
    }

    // MARK: Changing

    /// Adds an object after its siblings.
    ///
    /// - Parameter parent: Number of the parent, which may be added later, or 0 for a root.
    mutating func add(_ number: UInt32, _ span: Segments.Span, below parent: UInt32) {
        let place = free.popLast() ?? Int32(nodes.count)
        if place == nodes.count {
            nodes.append(Node(span: span))
        } else {
            nodes[Int(place)] = Node(span: span)
        }
        numbers[number] = UInt32(place)
        link(place, below: parent)
    }

    /// Moves an object to a different parent, after the parent's other children.
    mutating func move(_ place: Int32, from before: UInt32, to parent: UInt32) {
        unlink(place, from: before)
        link(place, below: parent)
    }

    /// Removes an object. The object, or an object above it, must have been unlinked before.
    mutating func remove(_ number: UInt32) {
        guard let place = place(of: number) else { return }
        numbers[number] = nil
        nodes[Int(place)] = Node()
        free.append(place)
    }

    /// Links objects to parents that have been added after them.
    mutating func linkOrphans() {
        if orphans.isEmpty { return }
        let waiting = orphans
        orphans = []
        for place in waiting where nodes[Int(place)].previous == Node.orphan {
            link(place, below: UInt32(bitPattern: nodes[Int(place)].next))
        }
    }

    /// Unlinks an object, together with all objects below it, from its parent.
    ///
    /// The caller must then link the object again or remove it.
    mutating func unlink(_ place: Int32, from parent: UInt32) {
        let previous = nodes[Int(place)].previous
        if previous == Node.orphan { return }
        guard let above = self.place(ofParent: parent) else { return }
        let next = nodes[Int(place)].next
        if previous == 0 {
            nodes[above].firstChild = next
        } else {
            nodes[Int(previous)].next = next
        }
        if next == 0 {
            nodes[above].lastChild = previous
        } else {
            nodes[Int(next)].previous = previous
        }
    }

    private mutating func link(_ place: Int32, below parent: UInt32) {
        guard let above = self.place(ofParent: parent) else {
            nodes[Int(place)].previous = Node.orphan
            nodes[Int(place)].next = Int32(bitPattern: parent)
            return orphans.append(place)
        }
        let last = nodes[above].lastChild
        nodes[Int(place)].previous = last
        nodes[Int(place)].next = 0
        if last == 0 {
            nodes[above].firstChild = place
        } else {
            nodes[Int(last)].next = place
        }
        nodes[above].lastChild = place
    }

    /// Returns the index of a parent, or `nil` if the parent has not been added yet. The index is 0 for the parent of
    /// the roots.
    private func place(ofParent number: UInt32) -> Int? {
        number == 0 ? 0 : numbers[number].map(Int.init)
    }
}
