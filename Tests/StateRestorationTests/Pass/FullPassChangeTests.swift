import StateRecords
import StateRestoration
import Testing

/// Changes that the next full pass saves, before any incremental pass does.
@Suite struct FullPassChangeTests {
    @Test func `P2: a full pass saves a changed object that has a new sibling`() throws {
        let page = TestObject("page", value: 1)
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root)
        test.save()
        root.add(TestObject("new", value: 2))
        page.change(to: 9)
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav", "nav/new", "nav/page"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(9))
    }

    @Test func `I4: a full pass finds the new parent of a registered object`() throws {
        let (old, new) = (TestObject("a"), TestObject("b"))
        let object = TestObject(nil, .object, value: 1)
        object.parentObject = old
        let test = try TestScene.launched(TestObject("nav", [old, new]))
        try test.scene.registerObject(
            forStateRestoration: object, restorationIdentifier: "player")
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/a/player", "nav/b"])
        object.parentObject = new
        test.save(isFull: true)
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "nav/b/player"])
        withExtendedLifetime(object) {}
    }

    @Test func `R16: a referenced object takes over the number of an unclaimed record`() throws {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", [TestObject("in", value: 2)])]))
        first.save()
        let number = try #require(first.archive.number(at: "nav/page/in"))
        let page = TestObject("page")
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root, archive: first.archive)
        test.save()
        let new = TestObject("in", value: 9)
        page.add(new)
        root.reference = new
        root.invalidateRestorableState()
        test.save(isFull: true)
        #expect(test.archive.number(at: "nav/page/in") == number)
        #expect(try test.archive.values(at: "nav/page/in")["value"] == .integer(9))
        #expect(test.archive.paths == ["nav", "nav/page", "nav/page/in"])
    }

    @Test func `P18: an object that is encoded twice in one pass is written with its last value`()
        throws
    {
        let inner = TestObject("inner", value: 1)
        var count: Int64 = 0
        inner.encoding = {
            count += 1
            $0.encode(count, forKey: "count")
        }
        let first = TestObject("z", [inner])
        let second = TestObject("z")
        second.reference = inner
        let root = TestObject("nav", [TestObject(nil, [first]), TestObject(nil, [second])])
        root.reference = first
        let test = try TestScene.launched(root)
        test.save()
        #expect(count == 1)
        // The object is removed with the first object, and recorded again for the second object.
        root.reference = second
        root.invalidateRestorableState()
        inner.change(to: 9)
        let numbers = try #require(test.save()).objects.map(\.header.number)
        #expect(count == 3)
        #expect(Set(numbers).count == numbers.count)
        #expect(test.archive.paths == ["inner", "nav", "z"])
        #expect(
            try test.archive.values(at: "inner") == ["value": .integer(9), "count": .integer(3)])
    }

    @Test func `P20: a change that an object marks during a recheck is not a missed invalidation`()
        throws
    {
        let page = TestObject("page", value: 1)
        let root = TestObject("nav", [page])
        let test = try TestScene.launched(root)
        test.save()
        root.encoding = { _ in page.change(to: 9) }
        test.scene.markNeedsFullScan()
        let output = try #require(test.save(.slice(10)))
        #expect(output.encodedObjectCount == 2)
        #expect(output.missedInvalidationCount == 0)
        #expect(output.diagnostics == [])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(9))
    }

    @Test func `P20: a pass that rechecks objects also saves marked objects after the recheck`()
        throws
    {
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        #expect(test.scene.isFullyScanned)
        page.change(to: 2)
        let output = try #require(test.save(.slice(10)))
        #expect(output.encodedObjectCount == 1)
        #expect(output.missedInvalidationCount == 0)
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(2))
    }

    @Test(arguments: [true, false])
    func `P13: a restoration class is reported only if it is not registered`(isRegistered: Bool)
        throws
    {
        let page = MadeObject("page")
        page.restoration.restorationClass = MadeObject.self
        let board = TestObject("board")
        board.restoration.storyboard = StoryboardOrigin(name: "Main", identifier: "board")
        let test = try TestScene.launched(
            TestObject("nav", [page, board]),
            classes: isRegistered ? .withMadeObject : ClassRegistry())
        let diagnostic = PassDiagnostic.restorationClassUnregistered(
            path: RestorationPath(["nav", "page"]), name: "MadeObject")
        #expect(test.save()?.diagnostics == (isRegistered ? [] : [diagnostic]))
        #expect(
            diagnostic.description
                == "the restoration class MadeObject of nav/page is not registered, and will not "
                + "be found at the next launch: register it in the application's class registry")
    }
}
