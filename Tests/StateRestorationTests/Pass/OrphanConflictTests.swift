import StateRestoration
import Testing

/// Orphans that need a path that another object has, gives up or is about to get (I3, P7).
@Suite(.timeLimit(.minutes(10))) struct OrphanConflictTests {
    /// Returns a saved scene with the given root.
    private func saved(_ root: TestObject) throws -> TestScene {
        let test = try TestScene.launched(root)
        test.save()
        return test
    }

    private func value(_ test: TestScene, _ path: String) throws -> StoredValue? {
        try test.archive.values(at: path)["value"]
    }

    @Test func `I3 and P7: an object takes over the path of the orphan above it, which is removed`()
        throws
    {
        let inner = TestObject("field", value: 2)
        let outer = TestObject("field", value: 1, [inner])
        let page = TestObject("page")
        let root = TestObject("nav", [page])
        root.refer(to: [outer])
        let test = try saved(root)
        page.refer(to: [inner])
        test.save()
        #expect(test.archive.paths == ["field", "field/field", "nav", "nav/page"])
        root.refer(to: [])
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths == ["field", "nav", "nav/page"])
        #expect(try value(test, "field") == .integer(2))
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P7: an orphan returns below its parent, which only the orphan preserves`() throws {
        let child = TestObject("c")
        let parent = TestObject("p", [child])
        let container = TestObject("g", [parent])
        let root = TestObject("nav", [container])
        child.reference = parent
        root.reference = child
        let test = try saved(root)
        #expect(test.archive.paths == ["nav", "nav/g", "nav/g/p", "nav/g/p/c"])
        container.restoration.identifier = nil
        test.save()
        #expect(test.archive.paths == ["nav", "p", "p/c"])
        #expect(test.save(isFull: true)?.isEmpty == true)
        child.reference = nil
    }

    @Test func `P7: an orphan becomes a child if its container gets an identifier during a pass`()
        throws
    {
        let leaf = TestObject("leaf")
        let gap = TestObject(nil, [leaf])
        let root = TestObject("nav", [gap])
        root.reference = leaf
        let test = try saved(root)
        #expect(test.archive.paths == ["leaf", "nav"])
        root.reference = nil
        root.encoding = { _ in gap.restoration.identifier = "gap" }
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/gap", "nav/gap/leaf"])
    }

    @Test func `P2: a full pass encodes an object that has just become an orphan`() throws {
        let child = TestObject("child", value: 1)
        let container = TestObject("g", [child])
        let root = TestObject("nav", [container])
        root.reference = child
        let test = try saved(root)
        container.restoration.identifier = nil
        child.change(to: 5)
        test.save(isFull: true)
        #expect(test.archive.paths == ["child", "nav"])
        #expect(try value(test, "child") == .integer(5))
    }

    @Test func `I3 and P7: an orphan whose new path is taken gets the path when it becomes free`()
        throws
    {
        let (first, second) = (TestObject("a", value: 1), TestObject("b", value: 2))
        let root = TestObject("nav")
        root.refer(to: [first, second])
        let test = try saved(root)
        #expect(test.archive.paths == ["a", "b", "nav"])
        second.restoration.identifier = "a"
        test.save()
        #expect(test.archive.paths == ["a", "nav"])
        #expect(try value(test, "a") == .integer(1))
        root.refer(to: [second])
        test.save()
        #expect(test.archive.paths == ["a", "nav"])
        #expect(try value(test, "a") == .integer(2))
    }

    @Test func `P7: an orphan with a new identifier gets the new path`() throws {
        let root = TestObject("nav")
        let orphan = TestObject("a", value: 1)
        root.reference = orphan
        let test = try saved(root)
        orphan.restoration.identifier = "b"
        test.save()
        #expect(test.archive.paths == ["b", "nav"])
        #expect(try value(test, "b") == .integer(1))
    }

    /// Saves a scene that refers to two objects with the same identifier below unnamed objects.
    private func conflict(
        _ others: [TestObject] = []
    ) throws -> (test: TestScene, root: TestObject, containers: [TestObject]) {
        let fields = [TestObject("field", value: 1), TestObject("field", value: 2)]
        let containers = fields.map { TestObject(nil, [$0]) }
        let root = TestObject("nav", containers + others)
        root.refer(to: fields)
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 1)
        #expect(try value(test, "field") == .integer(1))
        return (test, root, containers)
    }

    @Test func `I3 and P7: the path of an orphan that becomes a child is free for another orphan`()
        throws
    {
        let (test, _, containers) = try conflict()
        containers[0].restoration.identifier = "gap"
        test.save()
        #expect(test.archive.paths == ["field", "nav", "nav/gap", "nav/gap/field"])
        #expect(try value(test, "field") == .integer(2))
        #expect(try value(test, "nav/gap/field") == .integer(1))
    }

    @Test func `I3 and P7: the path of an orphan that becomes an omitted sibling is free`() throws {
        let (test, root, containers) = try conflict([TestObject("field", value: 3)])
        root.add(containers[0].children[0])
        test.save()
        #expect(test.archive.paths == ["field", "nav", "nav/field"])
        #expect(try value(test, "field") == .integer(2))
        #expect(try value(test, "nav/field") == .integer(3))
    }

    @Test func `I3: an omitted orphan is not reported again as long as its path is taken`() throws {
        let moving = TestObject("moving")
        let (old, new) = (TestObject("old", [moving]), TestObject("new"))
        let (test, _, _) = try conflict([old, new])
        new.add(moving)
        #expect(test.save()?.diagnostics == [])
        let settings = TestObject(nil, .object)
        try test.scene.registerObject(
            forStateRestoration: settings, restorationIdentifier: "settings")
        #expect(test.save()?.diagnostics == [])
        #expect(
            test.archive.paths == [
                "field", "nav", "nav/new", "nav/new/moving", "nav/old", "settings",
            ])
        withExtendedLifetime(settings) {}
    }

    @Test func `P7: an orphan does not take another orphan's old path if a third orphan has it`()
        throws
    {
        let orphan = TestObject("x", value: 1)
        let moving = TestObject("x", value: 2)
        let container = TestObject("g", [moving])
        let root = TestObject("nav", [container])
        root.refer(to: [orphan, moving])
        let test = try saved(root)
        #expect(test.archive.paths == ["nav", "nav/g", "nav/g/x", "x"])
        moving.restoration.identifier = "y"
        container.restoration.identifier = nil
        moving.reference = TestObject("x", value: 3)
        moving.invalidateRestorableState()
        #expect(test.save()?.diagnostics.count == 1)
        #expect(test.archive.paths == ["nav", "x", "y"])
        #expect(try value(test, "x") == .integer(1))
    }

    @Test func `I3 and P7: the first of two new orphans gets the path of an orphan that lost it`()
        throws
    {
        let (renamed, other) = (TestObject("field", value: 1), TestObject("other", value: 2))
        let root = TestObject("nav")
        root.refer(to: [renamed, other])
        let test = try saved(root)
        #expect(test.archive.paths == ["field", "nav", "other"])
        renamed.restoration.identifier = "other"
        let new = [TestObject("field", value: 3), TestObject("field", value: 4)]
        root.refer(to: [renamed, other] + new)
        test.save()
        #expect(test.archive.paths == ["field", "nav", "other"])
        #expect(try value(test, "field") == .integer(3))
        #expect(try value(test, "other") == .integer(2))
    }

    @Test func `P5: an orphan that becomes the window's root stays saved`() throws {
        let orphan = TestObject("orphan", value: 1)
        let root = TestObject("nav")
        root.reference = orphan
        let test = try saved(root)
        test.delegate.root = orphan
        test.save()
        #expect(test.archive.paths == ["orphan"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P5 and P20: a former root that the new root refers to is checked by full passes`()
        throws
    {
        let old = TestObject("old", value: 1)
        let test = try saved(old)
        let new = TestObject("new")
        new.reference = old
        test.delegate.root = new
        test.save()
        #expect(test.archive.paths == ["new", "old"])
        old.value = 5
        test.save(isFull: true)
        #expect(try value(test, "old") == .integer(5))
        new.reference = nil
        new.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["new"])
    }

    @Test
    func `P18: objects that refer only to each other stay in the archive until the next full pass`()
        throws
    {
        let child = TestObject("c")
        let orphan = TestObject("x", [child])
        child.reference = orphan
        let root = TestObject("nav")
        root.reference = orphan
        let test = try saved(root)
        let paths = ["nav", "x", "x/c"]
        #expect(test.archive.paths == paths)
        root.reference = nil
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == paths)
        let settings = TestObject(nil, .object)
        try test.scene.registerObject(
            forStateRestoration: settings, restorationIdentifier: "a")
        test.save()
        #expect(test.archive.paths == ["a"] + paths)
        test.save(isFull: true)
        #expect(test.archive.paths == ["a", "nav"])
        child.reference = nil
        withExtendedLifetime(settings) {}
    }

    @Test func `P8: a reference does not preserve an object that leaves and is deallocated`() throws
    {
        let root = TestObject("nav")
        let test: TestScene
        weak var gone: TestObject?
        do {
            let child = TestObject("child")
            gone = child
            root.add(child)
            root.encoding = { [weak child] in $0.encode(child, forKey: "child") }
            test = try saved(root)
            #expect(test.archive.paths == ["nav", "nav/child"])
            child.leave()
        }
        #expect(gone == nil)
        test.save()
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `P12: a registered child that shares its identifier with a sibling keeps its path`()
        throws
    {
        let pages = [TestObject("page", value: 1), TestObject("page", value: 2)]
        let root = TestObject("nav", pages)
        root.allowsDuplicateChildIdentifiers = true
        let test = try saved(root)
        let paths = ["nav", "nav/page", "nav/page~2"]
        #expect(test.archive.paths == paths)
        try test.scene.registerObject(
            forStateRestoration: pages[1], restorationIdentifier: "page")
        test.save()
        #expect(test.archive.paths == paths)
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P7: an object whose record was removed is preserved by a later reference`() throws {
        let child = TestObject("child", value: 1)
        let root = TestObject("nav", [child])
        let test = try saved(root)
        child.leave()
        test.save()
        #expect(test.archive.paths == ["nav"])
        root.reference = child
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["child", "nav"])
        #expect(try value(test, "child") == .integer(1))
    }
}
