internal import FoundationEssentials

/// An insertion, a deletion or a move of elements in a list.
struct ListChange {
    /// Index paths that the removed and moved elements had before the change.
    private let removedIndexPaths: [IndexPath]
    /// Index paths that the added and moved elements have after the change.
    private let addedIndexPaths: [IndexPath]

    private init(removedIndexPaths: [IndexPath] = [], addedIndexPaths: [IndexPath] = []) {
        self.removedIndexPaths = removedIndexPaths.sorted()
        self.addedIndexPaths = addedIndexPaths.sorted()
    }

    /// Returns a change that inserts elements at the given index paths.
    static func insertion(_ indexPaths: [IndexPath]) -> ListChange {
        ListChange(addedIndexPaths: indexPaths)
    }

    /// Returns a change that deletes the elements at the given index paths.
    static func deletion(_ indexPaths: [IndexPath]) -> ListChange {
        ListChange(removedIndexPaths: indexPaths)
    }

    /// Returns a change that moves an element.
    ///
    /// The destination is the element's index path after the move.
    static func move(from origin: IndexPath, to destination: IndexPath) -> ListChange {
        ListChange(removedIndexPaths: [origin], addedIndexPaths: [destination])
    }

    /// Returns the layout after the change, or `nil` if the change does not fit the layout.
    func layoutWhenApplied(to layout: ListLayout) -> ListLayout? {
        guard Set(removedIndexPaths).count == removedIndexPaths.count,
            Set(addedIndexPaths).count == addedIndexPaths.count,
            removedIndexPaths.allSatisfy(layout.contains),
            addedIndexPaths.allSatisfy({ $0.count == 2 })
        else { return nil }
        var elementCounts = layout.elementCounts
        for indexPath in removedIndexPaths { elementCounts[indexPath.section] -= 1 }
        for indexPath in addedIndexPaths {
            guard elementCounts.indices.contains(indexPath.section) else { return nil }
            elementCounts[indexPath.section] += 1
        }
        let result = ListLayout(elementCounts: elementCounts)
        return addedIndexPaths.allSatisfy(result.contains) ? result : nil
    }

    /// Returns the new index path of an element, or `nil` if the element was deleted.
    ///
    /// The change must fit the layout.
    func indexPath(of oldIndexPath: IndexPath) -> IndexPath? {
        let index = removedIndexPaths.countBefore(oldIndexPath)
        guard index < removedIndexPaths.count, removedIndexPaths[index] == oldIndexPath else {
            return indexPath(nearestTo: oldIndexPath)
        }
        // Only a move both removes and adds an element.
        return addedIndexPaths.first
    }

    /// Returns the new index path of an element.
    ///
    /// If the element was removed, returns the index path of the element that is now in its position.
    func indexPath(nearestTo oldIndexPath: IndexPath) -> IndexPath {
        let row =
            oldIndexPath.row
            - (removedIndexPaths.countBefore(oldIndexPath)
                - removedIndexPaths.countBefore(oldIndexPath.sectionStart))
        let firstAddedIndex = addedIndexPaths.countBefore(oldIndexPath.sectionStart)
        // Each added element that precedes this element moves it down by one row, so that further added elements may
        // also precede it.
        let shift = (firstAddedIndex..<addedIndexPaths.count).partitioningIndex { index in
            addedIndexPaths[index].section > oldIndexPath.section
                || addedIndexPaths[index].row - (index - firstAddedIndex) > row
        }
        return IndexPath(row: row + shift - firstAddedIndex, section: oldIndexPath.section)
    }
}

extension IndexPath {
    fileprivate var sectionStart: IndexPath { IndexPath(row: 0, section: section) }
}

extension [IndexPath] {
    /// Returns the number of index paths in this sorted array that precede the given index path.
    fileprivate func countBefore(_ indexPath: IndexPath) -> Int {
        indices.partitioningIndex { self[$0] >= indexPath }
    }
}

extension Range<Int> {
    /// Returns the first index for which a condition holds, or the upper bound if there is none.
    ///
    /// If the condition holds for an index, it must also hold for all later indices.
    func partitioningIndex(where holds: (Int) -> Bool) -> Int {
        var low = lowerBound
        var high = upperBound
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
