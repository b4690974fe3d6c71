import StateRestoration
import Testing

/// Root paths that several objects need, or that one object gives up for another (I3, P7).
@Suite struct RootPathTests {
    /// Returns objects with the given identifiers and the same value.
    private func objects(_ identifiers: [RestorationIdentifier], value: Int) -> [TestObject] {
        identifiers.map { TestObject($0, value: value) }
    }

    @Test func `P7: an orphan gets a path that another orphan gives up in the same pass`() throws {
        let first = TestObject("x", value: 1)
        let root = TestObject("nav")
        root.refer(to: [first])
        let test = try TestScene.launched(root)
        test.save()
        first.restoration.identifier = "y"
        root.refer(to: [first, TestObject("x", value: 2)])
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths == ["nav", "x", "y"])
        #expect(try test.archive.values(at: "x")["value"] == .integer(2))
    }

    @Test func `P7: an orphan gets the path of an orphan that becomes a child in the same pass`()
        throws
    {
        let first = TestObject("x", value: 1)
        let root = TestObject("nav")
        root.refer(to: [first])
        let test = try TestScene.launched(root)
        test.save()
        let parent = TestObject("a", [first])
        parent.reference = TestObject("x", value: 2)
        root.refer(to: [first, parent])
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths == ["a", "a/x", "nav", "x"])
        #expect(try test.archive.values(at: "x")["value"] == .integer(2))
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `I3 and P7: omitted orphans get all paths that become free in a pass`() throws {
        let (first, second) = (objects(["a", "b"], value: 1), objects(["a", "b"], value: 2))
        let root = TestObject("nav")
        root.refer(to: first + second)
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 2)
        root.refer(to: second)
        test.save()
        #expect(test.archive.paths == ["a", "b", "nav"])
        for path in ["a", "b"] {
            #expect(try test.archive.values(at: path)["value"] == .integer(2))
        }
    }

    @Test func `I3 and P7: an omitted orphan gets a free path even if another orphan is new`()
        throws
    {
        let second = TestObject("field", value: 2)
        let root = TestObject("nav")
        root.refer(to: [TestObject("field", value: 1), second])
        let test = try TestScene.launched(root)
        test.save()
        root.refer(to: [second, TestObject("other")])
        test.save()
        #expect(test.archive.paths == ["field", "nav", "other"])
        #expect(try test.archive.values(at: "field")["value"] == .integer(2))
    }

    @Test func `I3 and P7: an omitted orphan gets a free path even if a child left before`() throws
    {
        let page = TestObject("page")
        let second = TestObject("field", value: 2)
        let root = TestObject("nav", [page])
        root.refer(to: [TestObject("field", value: 1), second])
        let test = try TestScene.launched(root)
        test.save()
        page.leave()
        root.refer(to: [second])
        test.save()
        #expect(test.archive.paths == ["field", "nav"])
        #expect(try test.archive.values(at: "field")["value"] == .integer(2))
    }

    @Test
    func `P7: an omitted orphan with a new identifier is removed together with its last reference`()
        throws
    {
        let second = TestObject("field")
        let root = TestObject("nav")
        root.refer(to: [TestObject("field"), second])
        let test = try TestScene.launched(root)
        test.save()
        second.restoration.identifier = "other"
        test.save()
        #expect(test.archive.paths == ["field", "nav", "other"])
        root.refer(to: [second])
        test.save()
        #expect(test.archive.paths == ["nav", "other"])
        root.refer(to: [])
        test.save()
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `I3: an omitted orphan with a new identifier is not listed after its siblings`()
        throws
    {
        let (first, second) = (TestObject("field"), TestObject("field"))
        let root = TestObject(
            "nav", [TestObject(nil, [first]), TestObject(nil, [second, TestObject("other")])])
        root.refer(to: [first, second])
        let test = try TestScene.launched(root)
        test.save()
        second.restoration.identifier = "other"
        #expect(TreeSurvey(test.scene).address(of: second) == "nav/@TestObject~2/other")
    }

    @Test func `I3 and P7: orphans keep their paths after the roots have been listed again`() throws
    {
        let orphans = objects(["a", "b"], value: 1)
        let root = TestObject("nav")
        root.refer(to: orphans)
        let test = try TestScene.launched(root)
        test.save()
        let registered = TestObject(nil, .object)
        try test.scene.registerObject(forStateRestoration: registered, restorationIdentifier: "c")
        test.save()
        root.refer(to: orphans + objects(["a", "b"], value: 2))
        #expect(test.save()?.diagnostics.count == 2)
        #expect(test.archive.paths == ["a", "b", "c", "nav"])
        withExtendedLifetime(registered) {}
    }

    @Test func `I3 and P12: a registered object takes the path of an orphan`() throws {
        let root = TestObject("nav")
        root.reference = TestObject("x", value: 1)
        let test = try TestScene.launched(root)
        test.save()
        let registered = TestObject(nil, .object, value: 2)
        try test.scene.registerObject(forStateRestoration: registered, restorationIdentifier: "x")
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths == ["nav", "x"])
        #expect(try test.archive.values(at: "x")["value"] == .integer(2))
        withExtendedLifetime(registered) {}
    }

    @Test func `an object below an orphan is not listed again for each other new orphan`() throws {
        let leaf = TestObject("leaf", value: 1)
        let page = TestObject("page", [leaf])
        let root = TestObject("nav", [page])
        root.refer(to: [page])
        let test = try TestScene.launched(root)
        test.save()
        page.leave()
        leaf.change(to: 2)
        let others = (0..<20).map { TestObject(RestorationIdentifier(recorded: "other\($0)")) }
        root.refer(to: [page] + others)
        #expect(test.save()?.diagnostics == [])
        #expect(try test.archive.values(at: "page/leaf")["value"] == .integer(2))
    }

    @Test func `P18: a full pass removes unreachable orphans in at most eight steps`() throws {
        let paths = (0..<10).map { "r\($0)" }
        let gap = TestObject(nil)
        var registered: [TestObject?] = []
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        for path in paths {
            let object = TestObject(nil, .object, value: 1)
            object.parentObject = gap
            try test.scene.registerObject(
                forStateRestoration: object,
                restorationIdentifier: RestorationIdentifier(recorded: path))
            registered.append(object)
        }
        test.save()
        // Each of these orphans waits for the path of a registered object. When an orphan is
        // saved, the next registered object is deallocated, which frees another path.
        let waiting = objects(paths.map { RestorationIdentifier(recorded: $0) }, value: 2)
        for (index, object) in waiting.enumerated() {
            object.encoding = { _ in if index < 9 { registered[index + 1] = nil } }
        }
        root.refer(to: waiting)
        test.save()
        func savedCount() throws -> Int {
            try paths.count { try test.archive.values(at: $0)["value"] == .integer(2) }
        }
        #expect(try savedCount() == 0)
        registered[0] = nil
        test.save(isFull: true)
        #expect(try savedCount() == 8)
        test.save(isFull: true)
        #expect(try savedCount() == 10)
        withExtendedLifetime(gap) {}
    }
}
