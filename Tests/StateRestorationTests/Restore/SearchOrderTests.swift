import StateRecords
import Testing

@testable import StateRestoration

/// Order in which a launch searches for recorded objects.
@Suite struct SearchOrderTests {
    @Test func `R8: members of a stack come first, followed by every other child once`() {
        let container = ObjectRecord(
            header: ObjectHeader(number: 2, parent: 1, kind: 1, identifier: "stack"), values: [])
        let children = (3...7).map { number in
            ObjectRecord(
                header: ObjectHeader(number: number, parent: 2, kind: 1, identifier: "\(number)"),
                values: [])
        }
        let scene = SavedScene.test(1).changed { $0 = [container] + children }
        var order = SearchOrder(RecordTree(scene))
        var found = [order.next()]
        order.descend(into: [4, 2], skipping: [])
        while let place = order.next() { found.append(place) }
        #expect(found == [0, 4, 2, 1, 3, 5])
    }

    @Test func `excluded children are skipped`() {
        let scene = SavedScene.test(1).changed {
            $0 = [(2, 1), (3, 2), (4, 2), (5, 2)].map { number, parent in
                ObjectRecord(
                    header: ObjectHeader(
                        number: number, parent: parent, kind: 1, identifier: "\(number)"),
                    values: [])
            }
        }
        var order = SearchOrder(RecordTree(scene))
        _ = order.next()
        order.descend(into: [], skipping: [2])
        #expect(order.next() == 1)
        #expect(order.next() == 3)
        #expect(order.next() == nil)
    }
}
