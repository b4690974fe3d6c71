import StateRestoration
import Testing

@Suite struct RestorationRunTests {
    /// What a scene of this tree saves.
    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root)
        test.save()
        return test.archive
    }

    @Test func `R1: the order of a launch`() throws {
        func tree() -> TestObject {
            TestObject("nav", [TestObject("field", .view), TestObject("page", [TestObject("in")])])
        }
        let archive = try archive(of: tree())
        let journal = Journal()
        let test = TestScene(TestDelegate(tree().note(in: journal)), archive: archive)
        test.delegate.journal = journal
        try test.launch()
        let order = ["nav", "field", "page", "in"]
        #expect(
            journal.take()
                == ["willFinishLaunching", "shouldRestore"] + order.map { "load \($0)" }
                + order.map { "decode \($0)" } + ["didDecode"]
                + order.map { "finished \($0)" } + ["didFinishLaunching"])
        #expect(test.report.recorded == 4)
        #expect(test.report.restored == 4)
    }

    @Test func `R1: without an archive no other callback runs`() throws {
        let journal = Journal()
        let test = TestScene(TestDelegate(TestObject("nav").note(in: journal)))
        test.delegate.journal = journal
        try test.launch()
        #expect(journal.take() == ["willFinishLaunching", "didFinishLaunching"])
    }

    @Test func `R1 and P1: when the delegate refuses no other callback runs`() throws {
        let archive = try archive(of: TestObject("nav", value: 1, [TestObject("page")]))
        let journal = Journal()
        let test = TestScene(
            TestDelegate(TestObject("nav", value: 5).note(in: journal)), archive: archive)
        test.delegate.journal = journal
        test.delegate.restores = false
        try test.launch()
        #expect(journal.take() == ["willFinishLaunching", "shouldRestore", "didFinishLaunching"])
        #expect(test.report.isRefused)
        #expect(test.report.restored == 0)
        #expect(
            test.unrestored == ["nav: refused-by-delegate", "nav/page: refused-by-delegate"])
        #expect(archive.paths == ["nav", "nav/page"])
    }

    @Test func `R3: an existing controller at exactly that path is taken`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 4)]))
        let other = TestObject("other", [TestObject("page")])
        let page = TestObject("page")
        let test = try TestScene.launched(TestObject("nav", [other, page]), archive: archive)
        #expect(page.value == 4)
        #expect(other.children[0].decodings == 0)
        #expect(test.unrestored == [])
    }

    @Test func `R3: what does not exist is made by its storyboard`() throws {
        let origin = StoryboardOrigin(name: "Main", identifier: "detail")
        let page = TestObject("page", value: 4, [TestObject("field", .view, value: 5)])
        page.restoration.storyboard = origin
        let archive = try archive(of: TestObject("nav", [page]))
        var made: [TestObject] = []
        let board = TestStoryboard(makers: [
            origin: {
                let object = TestObject("page")
                object.loading = { [unowned object] in object.add(TestObject("field", .view)) }
                made.append(object)
                return object
            }
        ])
        let test = try TestScene.launched(TestObject("nav"), archive: archive, storyboards: board)
        #expect(made.map(\.value) == [4])
        #expect(made.first?.children.map(\.value) == [5])
        #expect(test.unrestored == [])
        #expect(test.report.restored == 3)
        let existing = TestObject("nav", [TestObject("page")])
        _ = try TestScene.launched(existing, archive: archive, storyboards: board)
        #expect(made.count == 1)
    }

    @Test(arguments: [true, false])
    func `R3: else it is dropped, and so is what lies below it`(hasStoryboard: Bool) throws {
        let page = TestObject("page", [TestObject("field", .view)])
        if hasStoryboard {
            page.restoration.storyboard = StoryboardOrigin(name: "Main", identifier: "gone")
        }
        let archive = try archive(
            of: TestObject("nav", value: 1, [page, TestObject("after", value: 2)]))
        let root = TestObject("nav", [TestObject("after")])
        let test = try TestScene.launched(root, archive: archive)
        let reason = hasStoryboard ? "storyboard-missing" : "no-object"
        #expect(
            test.unrestored == ["nav/page: \(reason)", "nav/page/field: parent-dropped"])
        #expect(root.value == 1)
        #expect(root.children[0].value == 2)
    }

    @Test func `R3: a storyboard that gives another identifier is no help`() throws {
        let origin = StoryboardOrigin(name: "Main", identifier: "detail")
        let page = TestObject("page")
        page.restoration.storyboard = origin
        let archive = try archive(of: TestObject("nav", [page]))
        let board = TestStoryboard(makers: [origin: { TestObject("renamed") }])
        let test = try TestScene.launched(TestObject("nav"), archive: archive, storyboards: board)
        #expect(test.unrestored == ["nav/page: storyboard-missing"])
    }

    @Test func `R4: an object of another class is not decoded`() throws {
        let archive = try archive(of: TestObject("nav", [OtherObject("page", value: 1)]))
        let root = TestObject("nav", [TestObject("page")])
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == ["nav/page: class-mismatch"])
        #expect(root.children[0].decodings == 0)
        let detail = test.report.unrestored[0].detail
        #expect(detail == "a OtherObject was saved, and a TestObject is there")
    }

    @Test func `R4: one of a subclass is`() throws {
        let archive = try archive(of: TestObject("nav", [OtherObject("page", value: 1)]))
        var classes = ClassRegistry()
        classes.register(OtherObject.self)
        let root = TestObject("nav", [DerivedObject("page")])
        let test = try TestScene.launched(root, archive: archive, classes: classes)
        #expect(test.unrestored == [])
        #expect(root.children[0].value == 1)
    }

    @Test func `P7: an orphan is found below its gap`() throws {
        func tree() -> TestObject { TestObject("nav", [TestObject(nil, [TestObject("leaf")])]) }
        let root = tree()
        let leaf = root.children[0].children[0]
        leaf.value = 6
        root.reference = leaf
        let archive = try archive(of: root)
        let next = tree()
        let test = try TestScene.launched(next, archive: archive)
        #expect(test.unrestored == [])
        #expect(next.reference === next.children[0].children[0])
        #expect(next.reference?.value == 6)
        #expect(test.save()?.isEmpty == true)
    }

    @Test func `R9: a decoded reference may not have decoded yet`() throws {
        func tree() -> TestObject { TestObject("nav", value: 1, [TestObject("page", value: 2)]) }
        let root = tree()
        root.reference = root.children[0]
        let archive = try archive(of: root)
        let next = TestObject("nav", [TestObject("page")])
        var seen: [Int?] = []
        next.decoding = { [unowned next] _ in seen.append(next.reference?.value) }
        _ = try TestScene.launched(next, archive: archive)
        #expect(seen == [nil])
        #expect(next.reference?.value == 2)
    }

    @Test func `R9: a reference to what was not restored is nil`() throws {
        let root = TestObject("nav", [TestObject("page")])
        root.reference = root.children[0]
        let archive = try archive(of: root)
        let next = TestObject("nav")
        _ = try TestScene.launched(next, archive: archive)
        #expect(next.decodings == 1)
        #expect(next.reference == nil)
    }

    @Test func `R10: an object's children are loaded before they are looked for`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 3)]))
        let root = TestObject("nav")
        root.loading = { [unowned root] in root.add(TestObject("page")) }
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == [])
        #expect(root.children[0].value == 3)
    }

    @Test func `R3: one that came into being while a sibling was loaded is taken`() throws {
        let archive = try archive(
            of: TestObject("nav", [TestObject("a"), TestObject("b", value: 3)]))
        let first = TestObject("a")
        let root = TestObject("nav", [first])
        first.loading = { [unowned root] in root.add(TestObject("b")) }
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == [])
        #expect(root.children.last?.value == 3)
    }

    @Test func `R12: an object without a record gets neither decode nor finished`() throws {
        let archive = try archive(of: TestObject("nav"))
        let new = TestObject("new")
        let unnamed = TestObject(nil)
        let root = TestObject("nav", [new, unnamed])
        _ = try TestScene.launched(root, archive: archive)
        #expect([root.decodings, new.decodings, unnamed.decodings] == [1, 0, 0])
        #expect([root.finishes, new.finishes, unnamed.finishes] == [1, 0, 0])
    }

    @Test func `R14: an object that cannot be decoded is reported, and the rest is restored`()
        throws
    {
        let archive = try archive(
            of: TestObject(
                "nav",
                [
                    TestObject("bad", [TestObject("below", value: 1)]), TestObject("torn"),
                    TestObject("good", value: 2),
                ]))
        try archive.replaceValues(at: "nav/torn", with: [0xFF])
        let bad = TestObject("bad", [TestObject("below")])
        bad.decoding = { _ in throw Refusal() }
        let root = TestObject("nav", [bad, TestObject("torn"), TestObject("good")])
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == ["nav/bad: decode-failed", "nav/torn: decode-failed"])
        #expect(test.report.unrestored[0].detail == "refused for the test")
        #expect(test.report.restored == 3)
        #expect(bad.children[0].value == 1)
        #expect(root.children[2].value == 2)
        #expect(bad.finishes == 1)
    }
}
