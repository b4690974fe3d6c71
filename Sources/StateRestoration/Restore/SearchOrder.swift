/// The order in which a launch searches for recorded objects.
///
/// The search follows the order of the archive, parents first. The members of a stack are an exception: they follow one
/// another, from the bottom up (R8).
struct SearchOrder: ~Copyable {
    private struct Span {
        /// Index of the next record in the span to search for.
        var nextIndex: Int
        /// Index after the last record in the span.
        let endIndex: Int
        /// Indexes of the stack member at the beginning of the span and of the stack's container, or `nil` if the span
        /// does not begin with a stack member.
        var member: (index: Int, containerIndex: Int)?
    }

    private let tree: RecordTree
    /// Remaining spans. The last span is processed next.
    private var spans: [Span]
    /// Index of the record that was returned last.
    private var currentIndex = RecordTree.noParent

    init(_ tree: RecordTree) {
        self.tree = tree
        spans = [Span(nextIndex: 0, endIndex: tree.count)]
    }

    /// Returns the index of the next record to search for, or `nil` after the last record.
    mutating func next() -> Int? {
        while let lastSpanIndex = spans.indices.last {
            if spans[lastSpanIndex].nextIndex < spans[lastSpanIndex].endIndex {
                currentIndex = spans[lastSpanIndex].nextIndex
                spans[lastSpanIndex].nextIndex += 1
                return currentIndex
            }
            spans.removeLast()
        }
        return nil
    }

    /// Continues with the members of the current record's stack, then with the record's other children.
    ///
    /// - Parameters:
    ///   - memberIndices: The indexes of the members, from the bottom of the stack.
    ///   - skippedIndices: The indexes of the children to skip.
    mutating func descend(into memberIndices: [Int], skipping skippedIndices: [Int]) {
        let excludedIndices = Set(memberIndices).union(skippedIndices)
        var otherRanges: [Range<Int>] = []
        var index = currentIndex + 1
        let endIndex = tree.subtreeEnds[currentIndex]
        while index < endIndex {
            let nextSibling = tree.subtreeEnds[index]
            if !excludedIndices.contains(index) {
                if let last = otherRanges.last, last.upperBound == index {
                    otherRanges[otherRanges.count - 1] = last.lowerBound..<nextSibling
                } else {
                    otherRanges.append(index..<nextSibling)
                }
            }
            index = nextSibling
        }
        spans[spans.count - 1].nextIndex = endIndex
        spans += otherRanges.reversed().map {
            Span(nextIndex: $0.lowerBound, endIndex: $0.upperBound)
        }
        spans += memberIndices.reversed().map {
            Span(nextIndex: $0, endIndex: tree.subtreeEnds[$0], member: ($0, currentIndex))
        }
    }

    /// Skips the records below the current record and, if the current record is a stack member, the members above it.
    ///
    /// - Returns: The indexes of the skipped members, the lowest member first.
    mutating func skipSubtree() -> [Int] {
        let lastSpanIndex = spans.count - 1
        spans[lastSpanIndex].nextIndex = tree.subtreeEnds[currentIndex]
        guard let member = spans[lastSpanIndex].member, member.index == currentIndex else {
            return []
        }
        var skippedIndices: [Int] = []
        while let upperMember = spans.dropLast(skippedIndices.count + 1).last?.member,
            upperMember.containerIndex == member.containerIndex
        {
            skippedIndices.append(upperMember.index)
        }
        spans.removeSubrange((lastSpanIndex - skippedIndices.count)..<lastSpanIndex)
        return skippedIndices
    }
}
