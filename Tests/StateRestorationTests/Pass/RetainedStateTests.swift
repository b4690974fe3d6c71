import StateRecords
import StateRestoration
import Testing

/// State that a launch could not restore, and that is retained until its object changes (R16).
@Suite struct RetainedStateTests {
    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root)
        test.save()
        return test.archive
    }

    @Test func `R16: state that could not be decoded is retained although a child is restored`()
        throws
    {
        let archive = try archive(
            of: TestObject(
                "nav", [TestObject("page", value: 1, [TestObject("below", value: 2)])]))
        let page = TestObject("page", [TestObject("below")])
        page.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(TestObject("nav", [page]), archive: archive)
        #expect(test.unrestored == ["nav/page: decode-failed"])
        #expect(page.children[0].value == 2)
        page.value = 9
        for _ in 1...3 {
            test.save(isFull: true)
            #expect(try archive.values(at: "nav/page")["value"] == .integer(1))
        }
        page.change(to: 3)
        test.save()
        #expect(try archive.values(at: "nav/page")["value"] == .integer(3))
    }

    @Test func `R16: an object that could not decode is saved when it moves`() throws {
        let archive = try archive(
            of: TestObject("nav", [TestObject("page", value: 1), TestObject("other")]))
        let (page, other) = (TestObject("page"), TestObject("other"))
        page.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(TestObject("nav", [page, other]), archive: archive)
        page.value = 9
        test.save()
        #expect(try archive.values(at: "nav/page")["value"] == .integer(1))
        other.add(page)
        test.save()
        #expect(archive.paths == ["nav", "nav/other", "nav/other/page"])
        #expect(try archive.values(at: "nav/other/page")["value"] == .integer(9))
    }

    @Test func `R16: a mark that an object sets while it decodes does not replace its state`()
        throws
    {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 1)]))
        let page = TestObject("page")
        page.decoding = { [unowned page] _ in
            page.change(to: 9)
            throw Refusal()
        }
        let test = try TestScene.launched(TestObject("nav", [page]), archive: archive)
        test.save()
        #expect(try archive.values(at: "nav/page")["value"] == .integer(1))
        page.change(to: 3)
        test.save()
        #expect(try archive.values(at: "nav/page")["value"] == .integer(3))
    }

    @Test func `P14: all objects that were invalidated during a launch can be invalidated again`()
        throws
    {
        let names: [RestorationIdentifier] = ["a", "b", "c"]
        let archive = try archive(of: TestObject("nav", names.map { TestObject($0, value: 1) }))
        let pages = names.map { TestObject($0) }
        for page in pages {
            page.decoding = { [unowned page] _ in page.invalidateRestorableState() }
        }
        let test = try TestScene.launched(TestObject("nav", pages), archive: archive)
        #expect(test.save()?.isEmpty == true)
        for page in pages { page.change(to: 5) }
        test.save()
        for name in names {
            #expect(try archive.values(at: "nav/\(name)")["value"] == .integer(5))
        }
    }

    @Test func `R16: the launch count of a record is removed when a new object claims the record`()
        throws
    {
        let archive = try archive(of: TestObject("nav", [TestObject("page")]))
        let root = TestObject("nav")
        let test = try TestScene.launched(root, archive: archive)
        test.save()
        #expect(try archive.sceneValues()["@unclaimed"] != nil)
        root.add(TestObject("page", value: 7))
        test.save()
        #expect(try archive.values(at: "nav/page")["value"] == .integer(7))
        #expect(try archive.sceneValues()["@unclaimed"] == nil)
    }

    @Test func `R16: every container keeps its references to members that were not restored`()
        throws
    {
        func tree(_ members: [[RestorationIdentifier]]) -> TestObject {
            let stacks = members.enumerated().map { number, names in
                StackObject(
                    RestorationIdentifier(recorded: "stack\(number)"), names.map { TestObject($0) })
            }
            return TestObject("nav", stacks)
        }
        let archive = try archive(of: tree([["a", "b"], ["c", "d"], ["e", "f"]]))
        let paths = (0...2).map { "nav/stack\($0)" }
        let saved = try paths.map { try archive.record(at: $0).values }
        let test = try TestScene.launched(tree([["a"], ["c"], ["e"]]), archive: archive)
        #expect(test.report.unclaimed == 3)
        test.save()
        #expect(try paths.map { try archive.record(at: $0).values } == saved)
        for path in paths {
            let explanation = ObjectExplainer(test.scene).explanation(
                of: path, passMetadata: .test)
            #expect(explanation.retainsUnresolvedReferences)
        }
    }
}
