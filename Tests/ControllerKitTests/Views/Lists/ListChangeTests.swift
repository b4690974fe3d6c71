import FoundationEssentials
import Testing

@testable import ControllerKit

@Suite struct ListChangeTests {
    private static let elementCounts = [3, 0, 2]
    private static let indexPaths = elementCounts.enumerated().flatMap { section, count in
        (0..<count).map { IndexPath(row: $0, section: section) }
    }

    /// The elements of each section, identified by their original index paths.
    private var elements: [[IndexPath?]] {
        Self.elementCounts.enumerated().map { section, count in
            (0..<count).map { IndexPath(row: $0, section: section) }
        }
    }

    /// Expects that a change moves every element to its new index path.
    private func expect(_ change: ListChange, gives after: [[IndexPath?]]) {
        #expect(
            change.layoutWhenApplied(to: ListLayout(elementCounts: Self.elementCounts))
                == ListLayout(elementCounts: after.map(\.count)))
        for indexPath in Self.indexPaths {
            let now = after.enumerated().lazy.compactMap { section, elements in
                elements.firstIndex(of: indexPath).map { IndexPath(row: $0, section: section) }
            }.first
            #expect(change.indexPath(of: indexPath) == now, "\(indexPath)")
        }
    }

    @Test func `every deletion maps elements to their new index paths`() {
        for bits in 0..<(1 << Self.indexPaths.count) {
            let gone = Self.indexPaths.indices.filter { bits >> $0 & 1 == 1 }.map {
                Self.indexPaths[$0]
            }
            let after = elements.map { $0.filter { !gone.contains($0!) } }
            expect(.deletion(gone.reversed()), gives: after)
        }
    }

    @Test func `every insertion maps elements to their new index paths`() {
        for bits in 0..<(1 << 10) {
            // The new elements are identified by their index paths after the change.
            let new = (0..<10).filter { bits >> $0 & 1 == 1 }.map {
                IndexPath(row: $0 % 5, section: $0 / 5 * 2)
            }
            var after = elements
            var fits = true
            for indexPath in new where fits {
                fits = indexPath.row <= after[indexPath.section].count
                if fits { after[indexPath.section].insert(nil, at: indexPath.row) }
            }
            let change = ListChange.insertion(new.reversed())
            if fits {
                expect(change, gives: after)
            } else {
                #expect(
                    change.layoutWhenApplied(to: ListLayout(elementCounts: Self.elementCounts))
                        == nil)
            }
        }
    }

    @Test func `every move maps elements to their new index paths`() {
        for origin in Self.indexPaths {
            for section in Self.elementCounts.indices {
                for row in 0...(Self.elementCounts[section] - (section == origin.section ? 1 : 0)) {
                    var after = elements
                    after[origin.section].remove(at: origin.row)
                    after[section].insert(origin, at: row)
                    expect(
                        .move(from: origin, to: IndexPath(row: row, section: section)), gives: after
                    )
                }
            }
        }
    }

    @Test func `the element that takes the place of a deleted or moved element is found`() {
        let change = ListChange.deletion([
            IndexPath(row: 0, section: 0), IndexPath(row: 1, section: 0),
        ])
        #expect(
            change.indexPath(nearestTo: IndexPath(row: 1, section: 0))
                == IndexPath(row: 0, section: 0)
        )
        let move = ListChange.move(
            from: IndexPath(row: 0, section: 0), to: IndexPath(row: 2, section: 0))
        #expect(
            move.indexPath(nearestTo: IndexPath(row: 0, section: 0))
                == IndexPath(row: 0, section: 0))
    }

    @Test(arguments: [
        [[]], [[0]], [[0, 0, 0, 0, 0]], [[-1, 0]], [[0, -1]], [[0, Int.max]], [[Int.max, 0]],
        [[0, 0], [0, 0]], [[0, 0], [0, 9]], [[0, 0], [9, 0]],
    ])
    func `a change with invalid index paths cannot be applied`(indexPaths: [[Int]]) {
        let paths = indexPaths.map { IndexPath(indexes: $0) }
        let layout = ListLayout(elementCounts: Self.elementCounts)
        #expect(ListChange.deletion(paths).layoutWhenApplied(to: layout) == nil)
        #expect(ListChange.insertion(paths).layoutWhenApplied(to: layout) == nil)
        if let path = paths.first, paths.count == 1 {
            let first = IndexPath(row: 0, section: 0)
            #expect(ListChange.move(from: path, to: first).layoutWhenApplied(to: layout) == nil)
            #expect(ListChange.move(from: first, to: path).layoutWhenApplied(to: layout) == nil)
        }
    }
}
