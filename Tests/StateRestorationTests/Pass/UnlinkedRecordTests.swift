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

    @Test
    func `R16: an object at the path of a created object that is not linked keeps its record`()
        throws
    {
        let (test, root, page) = try TestScene.launchedWithUnlinkedPage()
        let number = test.archive.number(at: "nav/page")
        let otherPage = TestObject("page", value: 7, [TestObject("in", value: 7)])
        root.add(otherPage)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/page/in"])
        #expect(test.archive.number(at: "nav/page") == number)
        #expect(test.scene.records.unclaimedRecordCount == 0)
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
        otherPage.change(to: 8)
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(8))
        // The created object gets records of its own.
        page.restoration.identifier = "second"
        root.add(page)
        test.save()
        let paths = ["nav", "nav/page", "nav/page/in", "nav/second", "nav/second/in"]
        #expect(test.archive.paths == paths)
        #expect(test.archive.number(at: "nav/page") == number)
        #expect(test.save(isFull: true)?.isEmpty == true)
        #expect(test.archive.paths == paths)
    }

    @Test(arguments: [true, false])
    func `R16: a created object that moves before the first pass keeps its record`(
        isReferenced: Bool
    ) throws {
        let (test, root, page) = try TestScene.launchedWithUnlinkedPage()
        let number = test.archive.number(at: "nav/page")
        root.add(TestObject("page", value: 7))
        if isReferenced {
            test.delegate.encoding = { $0.encode(page, forKey: "page") }
        } else {
            root.add(TestObject("holder", [page]))
        }
        test.save()
        let path = isReferenced ? "page" : "nav/holder/page"
        #expect(test.archive.number(at: path) == number)
        #expect(try test.archive.values(at: path)["value"] == .integer(1))
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(7))
        #expect(
            test.archive.paths
                == (isReferenced
                    ? ["nav", "nav/page", "page", "page/in"]
                    : ["nav", "nav/holder", "nav/holder/page", "nav/holder/page/in", "nav/page"]))
    }

    @Test func `P7: a created object to which a restored value refers keeps its record`() throws {
        let origin = StoryboardOrigin(name: "Main", identifier: "page")
        func page(value: Int?) -> TestObject {
            let page = TestObject("page", value: value)
            page.restoration.storyboard = origin
            return page
        }
        let firstPage = page(value: 1)
        let firstRoot = TestObject("nav", [firstPage])
        firstRoot.reference = firstPage
        let first = try TestScene.launched(firstRoot)
        first.save()
        let number = first.archive.number(at: "nav/page")
        let (root, madePage) = (TestObject("nav"), page(value: nil))
        let test = try TestScene.launched(
            root, archive: first.archive,
            storyboards: TestStoryboard(makers: [origin: { madePage }]))
        #expect(root.reference === madePage)
        root.add(TestObject("page", value: 7))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "page"])
        #expect(test.archive.number(at: "page") == number)
        #expect(try test.archive.values(at: "page")["value"] == .integer(1))
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(7))
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
