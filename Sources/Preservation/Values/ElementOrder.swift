/// Functions that assign positions to a collection's elements while changing few existing positions.
enum ElementOrder {
    /// Distance between the positions of two consecutively appended elements.
    static let positionGap = 1 << 32

    /// Returns the indexes of elements in the order of their positions. Elements with equal positions are ordered by
    /// their record numbers.
    ///
    /// This function is not generic. The compiler can therefore specialize the sort, which makes it several times as
    /// fast.
    ///
    /// - Returns: The indexes, and whether any elements have equal positions.
    static func order(
        of elements: [(position: Int, recordNumber: UInt32)]
    ) -> (indices: [Int], hasEqualPositions: Bool) {
        let indices = elements.indices.sorted { elements[$0] < elements[$1] }
        let hasEqualPositions = zip(indices, indices.dropFirst()).contains {
            elements[$0].position == elements[$1].position
        }
        return (indices, hasEqualPositions)
    }

    /// Returns evenly spaced positions between two positions, or `nil` if there is no room for them.
    ///
    /// - Parameters:
    ///   - count: The number of positions.
    ///   - before: The position of the preceding element, or `nil` if there is no preceding element.
    ///   - after: The position of the following element, or `nil` if there is no following element.
    /// - Returns: The first of the positions, and the distance between them.
    static func positions(
        _ count: Int, between before: Int?, and after: Int?
    ) -> (first: Int, gap: Int)? {
        let start: Int
        let gap: Int
        switch (before, after) {
        case (nil, nil): (start, gap) = (-positionGap, positionGap)
        case (let before?, nil): (start, gap) = (before, positionGap)
        case (nil, let after?):
            let (first, overflow) = after.subtractingReportingOverflow((count + 1) * positionGap)
            if overflow { return nil }
            (start, gap) = (first, positionGap)
        case (let before?, let after?):
            guard before < after else { return nil }
            // The distance between two positions may exceed `Int.max`.
            let distance = UInt(bitPattern: after &- before) / UInt(count + 1)
            if distance == 0 { return nil }
            (start, gap) = (before, Int(min(distance, UInt(Int.max / (count + 1)))))
        }
        let (_, overflow) = start.addingReportingOverflow(count * gap)
        return overflow ? nil : (start + gap, gap)
    }

    /// Returns the indexes of a longest strictly increasing subsequence of the given positions.
    ///
    /// The elements at these indexes can keep their positions when all elements are reordered.
    static func increasingIndices(of positions: [Int]) -> [Int] {
        /// For each length, the index of the lowest position that ends an increasing subsequence of that length.
        var lastIndices: [Int] = []
        var previousIndices: [Int?] = []
        for (index, position) in positions.enumerated() {
            var range = 0..<lastIndices.count
            while !range.isEmpty {
                let middle = (range.lowerBound + range.upperBound) / 2
                if positions[lastIndices[middle]] < position {
                    range = (middle + 1)..<range.upperBound
                } else {
                    range = range.lowerBound..<middle
                }
            }
            let length = range.lowerBound
            previousIndices.append(length > 0 ? lastIndices[length - 1] : nil)
            if length == lastIndices.count {
                lastIndices.append(index)
            } else {
                lastIndices[length] = index
            }
        }
        var result: [Int] = []
        var next = lastIndices.last
        while let index = next {
            result.append(index)
            next = previousIndices[index]
        }
        return result.reversed()
    }
}
