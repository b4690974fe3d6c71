import StateRestoration
import Testing

@Suite struct RecordedClassTests {
    private func archive(
        of root: TestObject, classes: ClassRegistry = ClassRegistry()
    ) throws -> MemoryArchive {
        let test = try TestScene.launched(root, classes: classes)
        test.save()
        return test.archive
    }

    @Test func `R4: an object of another class does not decode the state`() throws {
        var classes = ClassRegistry()
        classes.register(OtherObject.self)
        let archive = try archive(of: TestObject("nav", [OtherObject("page", value: 1)]))
        let root = TestObject("nav", [TestObject("page")])
        let test = try TestScene.launched(root, archive: archive, classes: classes)
        #expect(test.unrestored == ["nav/page: class-mismatch"])
        #expect(root.children[0].decodings == 0)
        let detail = test.report.unrestored.first?.detail
        #expect(
            detail
                == "it was saved as OtherObject, but the object found has the class TestObject")
    }

    @Test(arguments: ["class", "delegate", "storyboard"])
    func `R4: a returned or created object must be an instance of the recorded class`(
        finder: String
    ) throws {
        var classes = ClassRegistry()
        classes.register(OtherObject.self)
        classes.register(MadeObject.self)
        let origin = StoryboardOrigin(name: "Main", identifier: "page")
        let page = OtherObject("page", value: 1)
        if finder == "class" { page.restoration.restorationClass = MadeObject.self }
        page.restoration.storyboard = origin
        let archive = try archive(of: TestObject("nav", [page]), classes: classes)
        let given = TestObject("page")
        let test = try TestScene.launched(
            TestObject("nav"), archive: archive,
            storyboards: TestStoryboard(makers: [origin: { given }]), classes: classes
        ) {
            $0.making = { _, _ in given }
            $0.finding = { path, _ in
                finder == "delegate" && path.components.count == 2 ? given : nil
            }
        }
        #expect(test.unrestored == ["nav/page: class-mismatch"])
        #expect(given.decodings == 0)
    }

    @Test(arguments: [true, false])
    func `R4: an object of a subclass decodes the state`(isRegistered: Bool) throws {
        var classes = ClassRegistry()
        if isRegistered { classes.register(OtherObject.self) }
        let archive = try archive(of: TestObject("nav", [OtherObject("page", value: 1)]))
        let root = TestObject("nav", [DerivedObject("page")])
        let test = try TestScene.launched(root, archive: archive, classes: classes)
        #expect(test.unrestored == [])
        #expect(root.children[0].value == 1)
    }

    @Test func `R4: an object of another kind does not decode the state`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 1)]))
        let view = TestObject(nil, .view)
        let test = try TestScene.launched(TestObject("nav"), archive: archive) {
            $0.finding = { path, _ in path.components.count == 2 ? view : nil }
        }
        #expect(test.unrestored == ["nav/page: class-mismatch"])
        #expect(
            test.report.unrestored.first?.detail
                == "it was saved as a view controller, but the object found is a view")
        #expect(view.restoration.identifier == nil)
    }

    @Test
    func
        `R5: an object of an unknown class is dropped with its subtree, and siblings are restored`()
        throws
    {
        var classes = ClassRegistry()
        classes.register(OtherObject.self, as: "Former")
        let archive = try archive(
            of: TestObject(
                "nav",
                [
                    TestObject("before", value: 1),
                    OtherObject("page", value: 2, [TestObject("in", value: 3)]),
                    TestObject("after", value: 4),
                ]), classes: classes)
        let root = TestObject(
            "nav",
            [
                TestObject("before"), OtherObject("page", [TestObject("in")]), TestObject("after"),
            ])
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == ["nav/page: class-missing", "nav/page/in: parent-dropped"])
        #expect(test.report.unrestored.first?.detail.contains("saved as Former") == true)
        #expect(root.children.map(\.value) == [1, nil, 4])
        #expect(root.children[1].children[0].decodings == 0)
    }
}
