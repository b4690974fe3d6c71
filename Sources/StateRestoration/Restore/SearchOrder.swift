/// Order in which recorded objects are searched for.
///
/// Records are in the order of the archive, parents first, except that the members of a stack follow one another from
/// the bottom up (R8).
struct SearchOrder: ~Copyable {
    private struct Span {
        var next: Int
        let end: Int
        /// Stack member with which the span begins, and the stack's container, or `nil` if the span does not begin with
        /// a stack member.
        var member: (index: Int, container: Int)?
    }

    private let tree: RecordTree
    /// Remaining spans. The last span is processed next.
    private var spans: [Span]
    private var current = RecordTree.root

    init(_ tree: RecordTree) {
        self.tree = tree
        spans = [Span(next: 0, end: tree.count)]
    }

    /// Returns the index of the next record to search for, or `nil` after the last record.
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

    /// Continues with the members of the current record's stack, then with its other children.
    ///
    /// - Parameters:
    ///   - members: The indexes of the members, from the bottom of the stack.
    ///   - skipped: The indexes of the children to skip.
    mutating func descend(into members: [Int], skipping skipped: [Int]) {
        let listed = Set(members).union(skipped)
        var others: [Range<Int>] = []
        var index = current + 1
        let end = tree.ends[current]
        while index < end {
            let next = tree.ends[index]
            if !listed.contains(index) {
                if let last = others.last, last.upperBound == index {
                    others[others.count - 1] = last.lowerBound..<next
                } else {
                    others.append(index..<next)
                }
            }
            index = next
        }
        spans[spans.count - 1].next = end
        spans += others.reversed().map { Span(next: $0.lowerBound, end: $0.upperBound) }
        spans += members.reversed().map {
            Span(next: $0, end: tree.ends[$0], member: ($0, current))
        }
    }

    /// Skips the records below the current record and, if the current record is a stack member, the members above it.
    ///
    /// - Returns: The indexes of the skipped members, the lowest member first.
    mutating func skip() -> [Int] {
        let top = spans.count - 1
        spans[top].next = tree.ends[current]
        guard let member = spans[top].member, member.index == current else { return [] }
        var skipped: [Int] = []
        while let above = spans.dropLast(skipped.count + 1).last?.member,
            above.container == member.container
        {
            skipped.append(above.index)
        }
        spans.removeSubrange((top - skipped.count)..<top)
        return skipped
    }
}
