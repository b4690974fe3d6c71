internal import FoundationEssentials

/// How the elements of a list came to other places.
struct ListChange {
    /// The places of elements that went away or were moved, as they were before.
    private let removed: [IndexPath]
    /// The places of elements that came or were moved, as they are afterwards.
    private let added: [IndexPath]

    private init(removed: [IndexPath] = [], added: [IndexPath] = []) {
        self.removed = removed.sorted()
        self.added = added.sorted()
    }

    /// Elements are at these places that were not there before.
    static func insertion(_ places: [IndexPath]) -> ListChange {
        ListChange(added: places)
    }

    /// The elements that were at these places are gone.
    static func deletion(_ places: [IndexPath]) -> ListChange {
        ListChange(removed: places)
    }

    /// An element went from a place to one that is told as it is afterwards.
    static func move(from origin: IndexPath, to destination: IndexPath) -> ListChange {
        ListChange(removed: [origin], added: [destination])
    }

    /// The layout after the change; nil if the change does not fit it.
    func applied(to layout: ListLayout) -> ListLayout? {
        guard Set(removed).count == removed.count, Set(added).count == added.count,
            removed.allSatisfy(layout.contains), added.allSatisfy({ $0.count == 2 })
        else { return nil }
        var counts = layout.counts
        for place in removed { counts[place.section] -= 1 }
        for place in added {
            guard counts.indices.contains(place.section) else { return nil }
            counts[place.section] += 1
        }
        let result = ListLayout(counts: counts)
        return added.allSatisfy(result.contains) ? result : nil
    }

    /// Where an element is now; nil if it is gone. The change must have fitted the layout.
    func place(of old: IndexPath) -> IndexPath? {
        let index = removed.before(old)
        guard index < removed.count, removed[index] == old else { return place(ofWhatIsAt: old) }
        // Only a move takes away and adds.
        return added.first
    }

    /// Where what stood at a place is now or, if that was taken away, what came there instead.
    func place(ofWhatIsAt old: IndexPath) -> IndexPath {
        let row = old.row - (removed.before(old) - removed.before(old.sectionStart))
        let first = added.before(old.sectionStart)
        // Elements added before shift it, and so those added further on may stand before it.
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
    /// How many of the sorted places are before another.
    fileprivate func before(_ place: IndexPath) -> Int {
        indices.partitioningIndex { self[$0] >= place }
    }
}

extension Range<Int> {
    /// The first index at which a condition holds that holds from there on.
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
