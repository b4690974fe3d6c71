import StateRestoration
import Testing

/// Records of created objects, and state that is retained while other objects change (R16).
@Suite struct UnlinkedRecordTests {
    private static let origin = StoryboardOrigin(name: "Main", identifier: "board")

    /// Returns an object that a storyboard creates.
    private func board(
        _ identifier: RestorationIdentifier, value: Int? = nil, _ children: [TestObject] = []
    ) -> TestObject {
        let object = TestObject(identifier, value: value, children)
        object.restoration.storyboard = Self.origin
        return object
    }

    @Test func `R16: an object that is linked after its launch keeps its record if it fails`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav", [board("page", value: 1)]))
        first.save()
        let page = board("page")
        let root = TestObject("nav")
        let test = try TestScene.launched(
            root, archive: first.archive,
            storyboards: TestStoryboard(makers: [Self.origin: { page }]))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page"])
        #expect(page.restoration.record.number != RecordNumber.none)
        #expect(!StateInspection(test.scene).record(of: page) { _ in true })
        page.encoding = { _ in throw Refusal() }
        root.add(page)
        #expect(test.save()?.diagnostics.count == 1)
        #expect(try test.archive.values(at: "nav/page") == ["value": .integer(1)])
        #expect(StateInspection(test.scene).record(of: page) { $0 == .integer(1) })
    }

    @Test func `R16: a record below an object that was created but not linked does not expire`()
        throws
    {
        let first = try TestScene.launched(board("nav", [TestObject("page", value: 1)]))
        first.save()
        let archive = first.archive
        for _ in 1...10 { try TestScene.launched(board("nav"), archive: archive).save() }
        let made = board("nav", [TestObject("page")])
        let test = try TestScene.launched(
            TestObject("other"), archive: archive,
            storyboards: TestStoryboard(makers: [Self.origin: { made }]))
        #expect(test.unrestored == [])
        test.save()
        #expect(archive.paths == ["nav", "nav/page", "other"])
    }

    @Test func `R16: reordering objects below an object does not replace its retained state`()
        throws
    {
        func tree(value: Int?) -> TestObject {
            let children = [TestObject("x", value: value), TestObject("y", value: value)]
            return TestObject("page", value: value, [TestObject("below", children)])
        }
        let first = try TestScene.launched(TestObject("nav", [tree(value: 1)]))
        first.save()
        let page = tree(value: nil)
        page.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        #expect(test.unrestored == ["nav/page: decode-failed"])
        test.save()
        page.value = 9
        let below = page.children[0]
        below.add(below.children[0])
        test.save()
        #expect(below.children.map(\.label) == ["y", "x"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
    }
}
