/// Tree of a store's objects, with the record of each object.
struct ObjectTree: Sendable {
    /// Object with links to its siblings and children. Indexes start at 1, and the node at index 0 holds the roots.
    private struct Node {
        var span = Segments.Span.empty
        var previous: Int32 = 0
        var next: Int32 = 0
        var firstChild: Int32 = 0
        var lastChild: Int32 = 0

        /// Value of `previous` for an object whose parent has not been added yet.
        ///
        /// `next` then contains the number of the parent.
        static let orphan: Int32 = -1
    }

    private var nodes = [Node()]
    private var numbers = NumberTable()
    private var free: [Int32] = []
    /// Objects whose parents had not been added yet. Some of them may have been linked to their parents since.
    private var orphans: [Int32] = []

    /// Number of objects.
    var count: Int { numbers.count }

    /// All indexes, including unused indexes.
    var places: Range<Int32> { 1..<Int32(nodes.count) }

    /// Bytes of the record at an index.
    subscript(place: Int32) -> Segments.Span {
        get { nodes[Int(place)].span }
        set { nodes[Int(place)].span = newValue }
    }

    /// Returns the index of an object, or `nil` if no object has this number.
    func place(of number: UInt32) -> Int32? { numbers[number].map { Int32($0) } }

    /// Indexes of the objects without a parent.
    var roots: [Int32] {
        var roots: [Int32] = []
        var place = nodes[0].firstChild
        while place != 0 {
            roots.append(place)
            place = nodes[Int(place)].next
        }
        return roots
    }

    /// Calls a closure with the indexes of an object and of all objects below it.
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

    /// Moves an object to the end of another parent's children.
    mutating func move(_ place: Int32, from before: UInt32, to parent: UInt32) {
        unlink(place, from: before)
        link(place, below: parent)
    }

    /// Removes an object after it or its parent was unlinked.
    mutating func remove(_ number: UInt32) {
        guard let place = place(of: number) else { return }
        numbers[number] = nil
        nodes[Int(place)] = Node()
        free.append(place)
    }

    /// Links objects to parents that were added after them.
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
    /// The object must then be linked again, or removed.
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

    /// Returns the index of a parent, 0 for the parent of the roots, or `nil` if the parent has not been added
    /// yet.
    private func place(ofParent number: UInt32) -> Int? {
        number == 0 ? 0 : numbers[number].map(Int.init)
    }
}
