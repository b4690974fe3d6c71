import FoundationEssentials
import Testing

@testable import ControllerKit

@Suite struct ListChangeTests {
    private static let counts = [3, 0, 2]
    private static let places = counts.enumerated().flatMap { section, count in
        (0..<count).map { IndexPath(row: $0, section: section) }
    }

    /// The elements of each section, identified by their original index paths.
    private var elements: [[IndexPath?]] {
        Self.counts.enumerated().map { section, count in
            (0..<count).map { IndexPath(row: $0, section: section) }
        }
    }

    /// Expects that a change moves every element to its new index path.
    private func expect(_ change: ListChange, gives after: [[IndexPath?]]) {
        #expect(
            change.applied(to: ListLayout(counts: Self.counts))
                == ListLayout(counts: after.map(\.count)))
        for place in Self.places {
            let now = after.enumerated().lazy.compactMap { section, elements in
                elements.firstIndex(of: place).map { IndexPath(row: $0, section: section) }
            }.first
            #expect(change.place(of: place) == now, "\(place)")
        }
    }

    @Test func `every deletion is followed`() {
        for bits in 0..<(1 << Self.places.count) {
            let gone = Self.places.indices.filter { bits >> $0 & 1 == 1 }.map { Self.places[$0] }
            let after = elements.map { $0.filter { !gone.contains($0!) } }
            expect(.deletion(gone.reversed()), gives: after)
        }
    }

    @Test func `every insertion is followed`() {
        for bits in 0..<(1 << 10) {
            // The new elements are identified by their index paths after the change.
            let new = (0..<10).filter { bits >> $0 & 1 == 1 }.map {
                IndexPath(row: $0 % 5, section: $0 / 5 * 2)
            }
            var after = elements
            var fits = true
            for place in new where fits {
                fits = place.row <= after[place.section].count
                if fits { after[place.section].insert(nil, at: place.row) }
            }
            let change = ListChange.insertion(new.reversed())
            if fits {
                expect(change, gives: after)
            } else {
                #expect(change.applied(to: ListLayout(counts: Self.counts)) == nil)
            }
        }
    }

    @Test func `every move is followed`() {
        for origin in Self.places {
            for section in Self.counts.indices {
                for row in 0...(Self.counts[section] - (section == origin.section ? 1 : 0)) {
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

    @Test func `what comes to the place of a deleted element is found`() {
        let change = ListChange.deletion([
            IndexPath(row: 0, section: 0), IndexPath(row: 1, section: 0),
        ])
        #expect(
            change.place(ofWhatIsAt: IndexPath(row: 1, section: 0)) == IndexPath(row: 0, section: 0)
        )
        let move = ListChange.move(
            from: IndexPath(row: 0, section: 0), to: IndexPath(row: 2, section: 0))
        #expect(
            move.place(ofWhatIsAt: IndexPath(row: 0, section: 0)) == IndexPath(row: 0, section: 0))
    }

    @Test(arguments: [
        [[]], [[0]], [[0, 0, 0, 0, 0]], [[-1, 0]], [[0, -1]], [[0, Int.max]], [[Int.max, 0]],
        [[0, 0], [0, 0]],
    ])
    func `a change that cannot be does not fit`(places: [[Int]]) {
        let paths = places.map { IndexPath(indexes: $0) }
        let layout = ListLayout(counts: Self.counts)
        #expect(ListChange.deletion(paths).applied(to: layout) == nil)
        #expect(ListChange.insertion(paths).applied(to: layout) == nil)
        if let path = paths.first, paths.count == 1 {
            let first = IndexPath(row: 0, section: 0)
            #expect(ListChange.move(from: path, to: first).applied(to: layout) == nil)
            #expect(ListChange.move(from: first, to: path).applied(to: layout) == nil)
        }
    }
}
