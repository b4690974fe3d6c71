import Testing

@testable import StateRestoration

@Suite struct SceneRecordsTests {
    @Test func `unread keys are recorded for at most as many objects as a report lists`() {
        let records = SceneRecords(names: NameTable(), numbering: RecordNumberGenerator())
        records.recordUnreadKeyNumbers([], of: RecordNumber(1))
        #expect(records.unreadKeyNumbers.isEmpty)
        for number in 1...RestorationReport.maximumEntries + 2 {
            records.recordUnreadKeyNumbers([7], of: RecordNumber(UInt32(number)))
        }
        #expect(records.unreadKeyNumbers.count == RestorationReport.maximumEntries)
    }

    @Test func `R16: a change below an object that could not decode replaces its retained state`()
        throws
    {
        let saved = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("below", value: 2)])]))
        saved.save()
        let below = TestObject("below")
        let page = TestObject("page", [below])
        page.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(TestObject("nav", [page]), archive: saved.archive)
        #expect(test.unrestored == ["nav/page: decode-failed"])
        test.save()
        page.value = 9
        below.change(to: 5)
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(9))
        #expect(try test.archive.values(at: "nav/page/below")["value"] == .integer(5))
    }
}
