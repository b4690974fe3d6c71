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

    @Test(arguments: [true, false])
    func `R16: an object at the path of a created object that is preserved elsewhere is saved`(
        refersToPage: Bool
    ) throws {
        let (test, root, page) = try TestScene.launchedWithUnlinkedPage()
        root.add(TestObject("page", value: 7, [TestObject("in", value: 8)]))
        // No restored value contains this reference.
        root.reference = refersToPage ? page : page.children[0]
        test.save()
        let ownPath = refersToPage ? "page/in" : "in"
        let ownPaths = refersToPage ? ["page", "page/in"] : ["in"]
        #expect(
            test.archive.paths == (["nav", "nav/page", "nav/page/in"] + ownPaths).sorted())
        #expect(try test.archive.values(at: ownPath)["value"] == .integer(1))
        #expect(try test.archive.values(at: "nav/page/in")["value"] == .integer(8))
        if refersToPage {
            #expect(try test.archive.values(at: "page")["value"] == .integer(1))
            #expect(try test.archive.values(at: "nav/page")["value"] == .integer(7))
        }
        #expect(test.save(isFull: true)?.isEmpty == true)
        let restored = TestObject("nav", [TestObject("page", [TestObject("in")])])
        let again = try TestScene.launched(restored, archive: test.archive)
        #expect(again.unrestored.allSatisfy { !$0.hasPrefix("nav") })
        #expect(restored.children[0].children[0].value == 8)
    }

    @Test(arguments: [true, false])
    func `R16: an object that replaces a linked object after the restoration saves its own state`(
        isReferenced: Bool
    ) throws {
        func root(_ children: [TestObject]) -> TestObject {
            isReferenced ? StackObject("nav", children) : TestObject("nav", children)
        }
        func page(value: Int?) -> TestObject { board("page", value: value) }
        let firstPage = page(value: 1)
        firstPage.add(TestObject("in", value: 2))
        let first = try TestScene.launched(root([firstPage]))
        first.save()
        let (secondRoot, madePage) = (root([]), page(value: nil))
        madePage.add(TestObject("in"))
        if !isReferenced {
            secondRoot.decoding = { [unowned secondRoot] _ in secondRoot.add(madePage) }
        }
        let test = try TestScene.launched(
            secondRoot, archive: first.archive,
            storyboards: TestStoryboard(makers: [Self.origin: { madePage }])
        ) { delegate in
            delegate.launched = { _ in
                #expect(madePage.value == 1)
                #expect(secondRoot.children.map(\.label) == ["page"])
                madePage.leave()
                secondRoot.add(TestObject("page", value: 7))
            }
        }
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(7))
        #expect(test.scene.records.unclaimedRecordCount == 0)
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `R16: a created object that is omitted after a move does not share its former path`()
        throws
    {
        let (test, root, page) = try TestScene.launchedWithUnlinkedPage()
        root.add(TestObject("page", value: 7))
        root.add(TestObject("holder", [TestObject("page", value: 9), page]))
        test.save()
        // The record of the omitted object's child remains, below the object that took its path.
        #expect(
            test.archive.paths
                == ["nav", "nav/holder", "nav/holder/page", "nav/page", "nav/page/in"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(7))
        #expect(try test.archive.values(at: "nav/holder/page")["value"] == .integer(9))
        #expect(test.scene.records.unclaimedRecordCount == 1)
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `R16: nothing remains of an expired record, and a linked object is saved again`()
        throws
    {
        let first = try TestScene.launched(board("nav", value: 1, [TestObject("page", value: 2)]))
        first.save()
        var last: (test: TestScene, made: TestObject)?
        for launch in 1...11 {
            let made = board("nav", [TestObject("page")])
            let test = try TestScene.launched(
                TestObject("other"), archive: first.archive,
                storyboards: TestStoryboard(makers: [Self.origin: { made }]))
            test.save()
            #expect(test.scene.records.unclaimedRecordCount == (launch <= 10 ? 2 : 0))
            last = (test, made)
        }
        let (test, made) = try #require(last)
        #expect(test.archive.paths == ["other"])
        test.delegate.root?.add(made)
        test.save()
        #expect(test.archive.paths == ["other", "other/nav", "other/nav/page"])
        #expect(try test.archive.values(at: "other/nav/page")["value"] == .integer(2))
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
