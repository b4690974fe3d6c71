import Testing

@testable import StateRestoration

@Suite struct SceneRecordsTests {
    @Test func `unread keys are recorded for at most as many objects as a report lists`() {
        let records = SceneRecords(names: NameTable(), numbering: RecordNumberGenerator())
        records.recordUnreadKeys([], of: RecordNumber(1))
        #expect(records.unreadKeys.isEmpty)
        for number in 1...RestorationReport.maximumEntries + 2 {
            records.recordUnreadKeys([7], of: RecordNumber(UInt32(number)))
        }
        #expect(records.unreadKeys.count == RestorationReport.maximumEntries)
    }
}
