import FoundationEssentials
import Testing

@testable import ControllerKit

@Suite struct ListLayoutTests {
    @Test(arguments: [[], [0], [3], [0, 2, 0, 0, 3, 0], [1, 1, 1]])
    func `elements are numbered across all sections`(elementCounts: [Int]) {
        let layout = ListLayout(elementCounts: elementCounts)
        let places = elementCounts.enumerated().flatMap { section, count in
            (0..<count).map { IndexPath(row: $0, section: section) }
        }
        #expect(layout.count == places.count)
        #expect(layout.elementCounts == elementCounts)
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
        let layout = ListLayout(elementCounts: [3, 0])
        #expect(layout.number(of: IndexPath(indexes: indexes)) == nil)
        #expect(!layout.contains(IndexPath(indexes: indexes)))
    }

    @Test func `invalid counts are clamped to the limits`() {
        #expect(ListLayout(elementCounts: [-5, 2]).elementCounts == [0, 2])
        let layout = ListLayout(elementCounts: [Int.max, Int.max, 1])
        #expect(layout.elementCounts == [ListLayout.maximumElementCount, 0, 0])
        let sections = ListLayout(
            elementCounts: repeatElement(0, count: ListLayout.maximumSectionCount + 1))
        #expect(sections.elementCounts.count == ListLayout.maximumSectionCount)
    }

    @Test func `an index path provides its section, row and item`() {
        let path = IndexPath(row: 4, section: 2)
        #expect([path.section, path.row, path.item] == [2, 4, 4])
        #expect(path == IndexPath(item: 4, section: 2))
        #expect(path == IndexPath(indexes: [2, 4]))
    }
}
