import StateRecords
import Testing

@testable import StateRestoration

@Suite struct UnclaimedRecordListTests {
    private func header(
        _ number: UInt32, below parent: UInt32, _ identifier: String
    ) -> ObjectHeader {
        ObjectHeader(number: number, parent: parent, kind: 1, identifier: identifier)
    }

    private func position(
        _ parent: UInt32, _ identifier: RestorationIdentifier
    ) -> RecordPosition {
        RecordPosition(parent: RecordNumber(parent), identifier: identifier)
    }

    @Test func `R16: a record that moves below another record leaves its old position`() {
        var records = UnclaimedRecords()
        records.insert(header(3, below: 2, "a"), failedLaunchCount: 4)
        records.insert(header(4, below: 2, "b"), failedLaunchCount: 0)
        records.insert(header(5, below: 4, "c"), failedLaunchCount: 0)
        let moved = records.move(below: RecordNumber(2), to: RecordNumber(9), except: ["b"])
        #expect(moved == [header(3, below: 9, "a")])
        let (count, failedLaunchCounts) = (records.count, records.failedLaunchCounts)
        #expect(count == 1)
        #expect(failedLaunchCounts == [RecordNumber(3): 4])
        #expect(records.entry(at: position(9, "a"))?.header == moved.first)
        #expect(records.entry(at: position(2, "a")) == nil)
    }

    @Test func `R16: the records below several records are removed at any depth`() {
        var records = UnclaimedRecords()
        for parent in 2...9 as ClosedRange<UInt32> {
            records.insert(header(parent * 10, below: parent, "a"), failedLaunchCount: 0)
            records.insert(header(parent * 10 + 1, below: parent * 10, "b"), failedLaunchCount: 0)
        }
        let parents = Set((2...8).map { RecordNumber($0) })
        let removed = records.removeAll(below: parents)
        let identifiers: [RestorationIdentifier] = ["a"]
        #expect(removed == Dictionary(uniqueKeysWithValues: parents.map { ($0, identifiers) }))
        #expect(records.recordNumbers == [RecordNumber(90), RecordNumber(91)])
    }
}
