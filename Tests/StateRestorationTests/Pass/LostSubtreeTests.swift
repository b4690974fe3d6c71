import StateRestoration
import Testing

/// Subtrees that leave, and references from, to and within these subtrees.
@Suite struct LostSubtreeTests {
    @Test func `references within a subtree that leaves do not preserve its objects`() throws {
        let kept = [TestObject("a"), TestObject("b")]
        let lost = [TestObject("a"), TestObject("b")]
        let inner = TestObject("inner")
        inner.encoding = { $0.encode(lost, forKey: "lost") }
        let outer = TestObject("outer", [inner] + lost)
        let root = TestObject("nav", [outer])
        root.encoding = { $0.encode(kept, forKey: "kept") }
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics == [])
        #expect(
            test.archive.paths == [
                "a", "b", "nav", "nav/outer", "nav/outer/a", "nav/outer/b", "nav/outer/inner",
            ])
        outer.leave()
        // If the references counted, the objects would need the paths of the orphans.
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths == ["a", "b", "nav"])
    }

    @Test func `P5: an object to which a subtree also referred is removed with its last reference`()
        throws
    {
        let (shared, other) = (TestObject("shared"), TestObject("other"))
        let inner = TestObject("inner")
        inner.encoding = { $0.encode([other, shared], forKey: "both") }
        let outer = TestObject("outer", [inner])
        let root = TestObject("nav", [outer])
        root.reference = shared
        let test = try TestScene.launched(root)
        test.save()
        #expect(
            test.archive.paths == ["nav", "nav/outer", "nav/outer/inner", "other", "shared"])
        outer.leave()
        test.save()
        #expect(test.archive.paths == ["nav", "shared"])
        root.reference = nil
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `R16: unclaimed records below every object that leaves are removed and reported`()
        throws
    {
        let first = try TestScene.launched(
            TestObject(
                "nav",
                [
                    TestObject("outer", [TestObject("x"), TestObject("page", [TestObject("y")])])
                ]))
        first.save()
        let outer = TestObject("outer", [TestObject("page")])
        let second = try TestScene.launched(TestObject("nav", [outer]), archive: first.archive)
        second.save()
        #expect(second.scene.records.unclaimedRecordCount == 2)
        outer.leave()
        #expect(
            second.save()?.diagnostics == [
                .unclaimedRemoved(path: RestorationPath(["nav", "outer"]), identifiers: ["x"]),
                .unclaimedRemoved(
                    path: RestorationPath(["nav", "outer", "page"]), identifiers: ["y"]),
            ])
        #expect(second.scene.records.unclaimedRecordCount == 0)
        #expect(first.archive.paths == ["nav"])
    }

    @Test func `R16: the report about removed unclaimed records contains the full path`() throws {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", [TestObject("in")])]))
        first.save()
        let page = TestObject("page")
        let second = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        second.save()
        page.leaveReportingChange()
        #expect(
            second.save()?.diagnostics == [
                .unclaimedRemoved(path: RestorationPath(["nav", "page"]), identifiers: ["in"])
            ])
    }
}
