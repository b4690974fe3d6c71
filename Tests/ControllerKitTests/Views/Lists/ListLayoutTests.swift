import FoundationEssentials
import Testing

@testable import ControllerKit

@Suite struct ListLayoutTests {
    @Test(arguments: [[], [0], [3], [0, 2, 0, 0, 3, 0], [1, 1, 1]])
    func `elements are numbered across all sections`(counts: [Int]) {
        let layout = ListLayout(counts: counts)
        let places = counts.enumerated().flatMap { section, count in
            (0..<count).map { IndexPath(row: $0, section: section) }
        }
        #expect(layout.count == places.count)
        #expect(layout.counts == counts)
        #expect((0..<layout.count).map(layout.indexPath) == places)
        #expect(places.map(layout.number) == Array(0..<layout.count))
        #expect(layout.indexPath(of: layout.count) == nil)
        #expect(layout.indexPath(of: -1) == nil)
    }

    @Test(arguments: [
        [], [0], [0, 0, 0, 0, 0], [-1, 0], [0, -1], [2, 0], [0, 3], [Int.max, 0], [0, Int.max],
        [Int.min, Int.min],
    ])
    func `V3: an invalid index path identifies no element`(indexes: [Int]) {
        let layout = ListLayout(counts: [3, 0])
        #expect(layout.number(of: IndexPath(indexes: indexes)) == nil)
        #expect(!layout.contains(IndexPath(indexes: indexes)))
    }

    @Test func `invalid counts are clamped to the limits`() {
        #expect(ListLayout(counts: [-5, 2]).counts == [0, 2])
        let layout = ListLayout(counts: [Int.max, Int.max, 1])
        #expect(layout.counts == [ListLayout.maximumElements, 0, 0])
        let sections = ListLayout(counts: repeatElement(0, count: ListLayout.maximumSections + 1))
        #expect(sections.counts.count == ListLayout.maximumSections)
    }

    @Test func `an index path provides its section, row and item`() {
        let path = IndexPath(row: 4, section: 2)
        #expect([path.section, path.row, path.item] == [2, 4, 4])
        #expect(path == IndexPath(item: 4, section: 2))
        #expect(path == IndexPath(indexes: [2, 4]))
    }
}
