/// The order in which recorded objects are looked for: as they stand in the archive, parents first,
/// save that the members of a stack come from its bottom up (R8).
struct SearchOrder: ~Copyable {
    private struct Span {
        var next: Int
        let end: Int
        /// The member of a stack that the span begins with, and the stack's container.
        var member: (place: Int, container: Int)?
    }

    private let tree: RecordTree
    /// The spans still to come, the nearest last.
    private var spans: [Span]
    private var current = RecordTree.root

    init(_ tree: RecordTree) {
        self.tree = tree
        spans = [Span(next: 0, end: tree.count)]
    }

    /// The place of the next record to look for; nil: there is no other.
    mutating func next() -> Int? {
        while let last = spans.indices.last {
            if spans[last].next < spans[last].end {
                current = spans[last].next
                spans[last].next += 1
                return current
            }
            spans.removeLast()
        }
        return nil
    }

    /// Goes on with the members of the current record's stack, then with its other children.
    ///
    /// - Parameters:
    ///   - members: the places of the members, the bottom's first.
    ///   - leftOut: the children that are not looked for.
    mutating func descend(into members: [Int], leavingOut leftOut: [Int]) {
        let named = Set(members).union(leftOut)
        var others: [Range<Int>] = []
        var place = current + 1
        let end = tree.ends[current]
        while place < end {
            let next = tree.ends[place]
            if !named.contains(place) {
                if let last = others.last, last.upperBound == place {
                    others[others.count - 1] = last.lowerBound..<next
                } else {
                    others.append(place..<next)
                }
            }
            place = next
        }
        spans[spans.count - 1].next = end
        spans += others.reversed().map { Span(next: $0.lowerBound, end: $0.upperBound) }
        spans += members.reversed().map {
            Span(next: $0, end: tree.ends[$0], member: ($0, current))
        }
    }

    /// Leaves out what lies below the current record, and above it in a stack.
    ///
    /// - Returns: the places of those members, the lowest first.
    mutating func skip() -> [Int] {
        let top = spans.count - 1
        spans[top].next = tree.ends[current]
        guard let member = spans[top].member, member.place == current else { return [] }
        var cut: [Int] = []
        while let above = spans.dropLast(cut.count + 1).last?.member,
            above.container == member.container
        {
            cut.append(above.place)
        }
        spans.removeSubrange((top - cut.count)..<top)
        return cut
    }
}
