import StateRestoration
import Testing

/// Siblings with equal identifiers, of which one keeps the path (I3).
@Suite struct SiblingPrecedenceTests {
    private func saved(_ root: TestObject) throws -> TestScene {
        let test = try TestScene.launched(root)
        test.save()
        return test
    }

    @Test(arguments: [true, false])
    func `I3: only view controllers with the same identifier are numbered`(isViewFirst: Bool) throws
    {
        let (view, controller) = (TestObject("x", .view), TestObject("x"))
        let root = TestObject("nav", isViewFirst ? [view, controller] : [controller, view])
        root.allowsDuplicateChildIdentifiers = true
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths == ["nav", "nav/x"])
    }

    @Test func `I3: a later sibling with a new identifier does not take over a path`() throws {
        let (page, other) = (TestObject("page", value: 1), TestObject("other", value: 2))
        let test = try saved(TestObject("nav", [page, other]))
        other.restoration.identifier = "page"
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths == ["nav", "nav/page"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
    }

    @Test func `I3: an object that moves does not take over the path of its new sibling`() throws {
        let moving = TestObject("page", value: 2)
        let root = TestObject(
            "nav", [TestObject("page", value: 1), TestObject("box", [moving])])
        let test = try saved(root)
        root.add(moving)
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths == ["nav", "nav/box", "nav/page"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
    }

    @Test func `I3: an object that is omitted below a parent that also leaves is removed`()
        throws
    {
        let moving = TestObject("page")
        let (old, new) = (TestObject("old", [moving]), TestObject("new", [TestObject("page")]))
        let test = try saved(TestObject("nav", [old, new]))
        // The pass lists the new parent's children before it finds that the new parent has left.
        new.leave()
        new.add(moving)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/old"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `I3: an omitted sibling is listed as omitted if a new parent also omits it`()
        throws
    {
        let omitted = TestObject("page")
        let old = TestObject("old", [TestObject("page"), omitted])
        let new = TestObject("new", [TestObject("page")])
        let test = try saved(TestObject("nav", [old, new]))
        new.add(omitted)
        test.save()
        #expect(
            test.archive.paths == ["nav", "nav/new", "nav/new/page", "nav/old", "nav/old/page"])
        let entry = TreeSurvey(test.scene).entries().first { $0.object === omitted }
        #expect(entry?.omission == .siblingHasSameIdentifier)
    }

    @Test func `I3: an omitted sibling that leaves is not preserved elsewhere`() throws {
        let omitted = TestObject("page")
        let test = try saved(TestObject("nav", [TestObject("page"), omitted]))
        omitted.leave()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `I2: an only child whose path was too long is no longer reported after it leaves`()
        throws
    {
        let long = try RestorationIdentifier(validating: String(repeating: "x", count: 255))
        let last = TestObject("last")
        var tree = TestObject(long, [last])
        for _ in 1..<16 { tree = TestObject(long, [tree]) }
        let test = try saved(tree)
        #expect(test.scene.records.omissionDiagnostic != nil)
        last.leave()
        test.save()
        #expect(test.scene.records.omissionDiagnostic == nil)
    }

    @Test func `I3: an omitted sibling is found at its path if no other object has the name`()
        throws
    {
        let (preserved, omitted) = (TestObject("page"), TestObject("page"))
        let test = try saved(TestObject("nav", [preserved, omitted]))
        preserved.leave()
        #expect(TreeSurvey(test.scene).object(at: "nav/page") === omitted)
        #expect(TreeSurvey(test.scene).object(at: "nav/page~2") == nil)
    }

    @Test func `I3: before the first pass, siblings have addresses in their order`() throws {
        let pages = [TestObject("page"), TestObject("page")]
        let test = try TestScene.launched(TestObject("nav", pages))
        let survey = TreeSurvey(test.scene)
        #expect(survey.object(at: "nav/page") === pages[0])
        #expect(survey.object(at: "nav/page~2") === pages[1])
    }
}
