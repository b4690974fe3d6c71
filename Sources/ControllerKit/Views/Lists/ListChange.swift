internal import FoundationEssentials

/// An insertion, a deletion or a move of elements in a list.
struct ListChange {
    /// Index paths that the removed and moved elements had before the change.
    private let removed: [IndexPath]
    /// Index paths that the added and moved elements have after the change.
    private let added: [IndexPath]

    private init(removed: [IndexPath] = [], added: [IndexPath] = []) {
        self.removed = removed.sorted()
        self.added = added.sorted()
    }

    /// Returns a change that inserts elements at the given index paths.
    static func insertion(_ indexPaths: [IndexPath]) -> ListChange {
        ListChange(added: indexPaths)
    }

    /// Returns a change that deletes the elements at the given index paths.
    static func deletion(_ indexPaths: [IndexPath]) -> ListChange {
        ListChange(removed: indexPaths)
    }

    /// Returns a change that moves an element.
    ///
    /// The destination is the element's index path after the move.
    static func move(from origin: IndexPath, to destination: IndexPath) -> ListChange {
        ListChange(removed: [origin], added: [destination])
    }

    /// Returns the layout after the change, or `nil` if the change does not fit the layout.
    func applied(to layout: ListLayout) -> ListLayout? {
        guard Set(removed).count == removed.count, Set(added).count == added.count,
            removed.allSatisfy(layout.contains), added.allSatisfy({ $0.count == 2 })
        else { return nil }
        var counts = layout.counts
        for indexPath in removed { counts[indexPath.section] -= 1 }
        for indexPath in added {
            guard counts.indices.contains(indexPath.section) else { return nil }
            counts[indexPath.section] += 1
        }
        let result = ListLayout(counts: counts)
        return added.allSatisfy(result.contains) ? result : nil
    }

    /// Returns the new index path of an element, or `nil` if the element was deleted.
    ///
    /// The change must fit the layout.
    func indexPath(of old: IndexPath) -> IndexPath? {
        let index = removed.before(old)
        guard index < removed.count, removed[index] == old else { return indexPath(nearestTo: old) }
        // Only a move both removes and adds an element.
        return added.first
    }

    /// Returns the new index path of an element.
    ///
    /// If the element was removed, returns the index path of the element that is now in its position.
    func indexPath(nearestTo old: IndexPath) -> IndexPath {
        let row = old.row - (removed.before(old) - removed.before(old.sectionStart))
        let first = added.before(old.sectionStart)
        // Each added element that precedes this element moves it down, so that more added elements can precede it.
        let shift = (first..<added.count).partitioningIndex { index in
            added[index].section > old.section || added[index].row - (index - first) > row
        }
        return IndexPath(row: row + shift - first, section: old.section)
    }
}

extension IndexPath {
    fileprivate var sectionStart: IndexPath { IndexPath(row: 0, section: section) }
}

extension [IndexPath] {
    /// Returns the number of index paths in this sorted array that precede the given index path.
    fileprivate func before(_ indexPath: IndexPath) -> Int {
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
