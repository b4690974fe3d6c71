/// How a store's objects lie in each other, and where the record of each one is.
struct ObjectTree: Sendable {
    /// An object among its siblings. Places are counted from 1; place 0 holds the roots.
    private struct Node {
        var span = Segments.Span.empty
        var previous: Int32 = 0
        var next: Int32 = 0
        var firstChild: Int32 = 0
        var lastChild: Int32 = 0

        /// In place of the sibling before: the object is below no parent, because that has not come
        /// yet. Its number then stands in place of the next sibling.
        static let orphan: Int32 = -1
    }

    private var nodes = [Node()]
    private var numbers = NumberTable()
    private var free: [Int32] = []
    /// Objects whose parents have not come yet, and such as were orphans.
    private var orphans: [Int32] = []

    /// How many objects there are.
    var count: Int { numbers.count }

    /// All places, also those that no object has.
    var places: Range<Int32> { 1..<Int32(nodes.count) }

    /// The bytes of the record at a place.
    subscript(place: Int32) -> Segments.Span {
        get { nodes[Int(place)].span }
        set { nodes[Int(place)].span = newValue }
    }

    /// The place of an object; nil if there is none of that number.
    func place(of number: UInt32) -> Int32? { numbers[number].map { Int32($0) } }

    /// The places of the objects that lie below no other one.
    var roots: [Int32] {
        var roots: [Int32] = []
        var place = nodes[0].firstChild
        while place != 0 {
            roots.append(place)
            place = nodes[Int(place)].next
        }
        return roots
    }

    /// Goes through the places of an object and of everything below it, each after its parent.
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

    /// Adds an object behind its siblings.
    ///
    /// - Parameter parent: the number of its parent, which may come later; 0: it lies below none.
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

    /// Puts an object behind the children of another parent.
    mutating func move(_ place: Int32, from before: UInt32, to parent: UInt32) {
        unlink(place, from: before)
        link(place, below: parent)
    }

    /// Forgets an object that is unlinked, or whose parent is.
    mutating func remove(_ number: UInt32) {
        guard let place = place(of: number) else { return }
        numbers[number] = nil
        nodes[Int(place)] = Node()
        free.append(place)
    }

    /// Puts the objects below their parents that came before these.
    mutating func linkOrphans() {
        if orphans.isEmpty { return }
        let waiting = orphans
        orphans = []
        for place in waiting where nodes[Int(place)].previous == Node.orphan {
            link(place, below: UInt32(bitPattern: nodes[Int(place)].next))
        }
    }

    /// Takes an object, with everything below it, away from its parent.
    mutating func unlink(_ place: Int32, from parent: UInt32) {
        let previous = nodes[Int(place)].previous
        if previous == Node.orphan {
            nodes[Int(place)].previous = 0
            nodes[Int(place)].next = 0
            return
        }
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

    /// The place of a parent; 0 for that of the roots, nil if it has not come yet.
    private func place(ofParent number: UInt32) -> Int? {
        number == 0 ? 0 : numbers[number].map(Int.init)
    }
}
