import Testing

@testable import StateRestoration

@Suite struct ReferenceTests {
    @Test func `P5: an object that the delegate refers to is preserved`() throws {
        let orphan = TestObject("orphan", value: 5)
        let test = try TestScene.launched(TestObject("nav"))
        test.save()
        #expect(!test.scene.records.hasReferences)
        test.delegate.encoding = { $0.encode(orphan, forKey: "it") }
        test.scene.invalidateApplicationState()
        test.save()
        #expect(test.scene.records.hasReferences)
        #expect(test.archive.paths == ["nav", "orphan"])
        #expect(try test.archive.sceneValues()["it"] == .reference(RestorationPath(["orphan"])))
    }

    @Test
    func `P7: a reference preserves an object below a container without an identifier as a root`()
        throws
    {
        let leaf = TestObject("leaf", value: 1)
        let root = TestObject("nav", [TestObject(nil, [leaf])])
        root.reference = leaf
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["leaf", "nav"])
    }

    @Test func `P7: a reference preserves an object below a root without an identifier`() throws {
        func tree() -> TestObject { TestObject(nil, [TestObject("leaf")]) }
        let test = try TestScene.launched(tree())
        test.delegate.root?.children[0].value = 1
        test.delegate.encoding = { [delegate = test.delegate] coder in
            coder.encode(delegate.root?.children[0], forKey: "leaf")
        }
        test.save()
        #expect(test.archive.paths == ["leaf"])
        let next = try TestScene.launched(tree(), archive: test.archive)
        #expect(next.unrestored == [])
        #expect(next.delegate.root?.children[0].value == 1)
    }

    @Test func `P7: a reference preserves a view below an unpreserved controller`() throws {
        func tree() -> TestObject {
            TestObject("nav", [TestObject(nil, [TestObject("field", .view)])])
        }
        let root = tree()
        let page = root.children[0]
        let field = page.children[0]
        field.value = 1
        root.reference = field
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["field", "nav"])
        let next = tree()
        let again = try TestScene.launched(next, archive: test.archive)
        #expect(again.unrestored == [])
        #expect(next.reference === next.children[0].children[0])
        #expect(next.reference?.value == 1)
        #expect(again.save()?.isEmpty == true)
        // A view is added to the field, and then the field's controller gets an identifier.
        field.add(TestObject("inner", .view, value: 2))
        test.save()
        #expect(test.archive.paths == ["field", "nav"])
        page.restoration.identifier = "page"
        test.save()
        #expect(
            test.archive.paths == ["nav", "nav/page", "nav/page/field", "nav/page/inner"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P7: an orphan below another orphan is saved below it, whichever is encoded first`()
        throws
    {
        for isLeafFirst in [true, false] {
            let leaf = TestObject("leaf")
            let middle = TestObject("middle", [leaf])
            let test = try TestScene.launched(TestObject("nav", [TestObject(nil, [middle])]))
            test.delegate.encoding = { coder in
                coder.encode(isLeafFirst ? [leaf, middle] : [middle, leaf], forKey: "them")
            }
            test.save()
            #expect(test.archive.paths == ["middle", "middle/leaf", "nav"])
            #expect(test.save(isFull: true)?.isEmpty == true)
        }
    }

    @Test func `P7 and P16: an orphan is saved below an ancestor that only the orphan refers to`()
        throws
    {
        let leaf = TestObject("leaf", [TestObject("field", .view)])
        let middle = TestObject("middle", [leaf])
        leaf.reference = middle
        let root = TestObject("nav", [TestObject(nil, [middle])])
        root.reference = leaf
        let test = try TestScene.launched(root)
        test.save()
        #expect(
            test.archive.paths == ["middle", "middle/leaf", "middle/leaf/field", "nav"])
        #expect(test.save(isFull: true)?.isEmpty == true)
        leaf.reference = nil
        leaf.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["leaf", "leaf/field", "nav"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `I3 and P7: only one of two orphans with the same identifier is preserved`() throws {
        let first = TestObject("field", label: "first", value: 1)
        let second = OtherObject("field", label: "second", value: 2)
        let root = TestObject("nav", [TestObject(nil, [first]), TestObject(nil, [second])])
        let test = try TestScene.launched(root)
        test.delegate.encoding = { $0.encode([first, second], forKey: "both") }
        let output = try #require(test.save())
        #expect(test.archive.paths == ["field", "nav"])
        #expect(
            output.sentences == [
                "two objects have the path field: TestObject is preserved, OtherObject is not; "
                    + "give it another identifier"
            ])
        test.delegate.encoding = { $0.encode([second, first], forKey: "both") }
        test.scene.invalidateApplicationState()
        test.save()
        #expect(try test.archive.values(at: "field")["value"] == .integer(1))
        test.delegate.encoding = { $0.encode(second, forKey: "both") }
        test.scene.invalidateApplicationState()
        test.save()
        #expect(test.archive.paths == ["field", "nav"])
        #expect(try test.archive.values(at: "field")["value"] == .integer(2))
    }

    @Test
    func `I3 and P7: one of two orphans is preserved even if a third object had their path before`()
        throws
    {
        let moving = TestObject("moving", value: 1)
        let removed = TestObject("field", value: 2)
        let other = TestObject("other", value: 3)
        let root = TestObject("nav")
        root.encoding = { $0.encode([moving, removed, other], forKey: "them") }
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["field", "moving", "nav", "other"])
        // `removed` cannot get its new path, and `moving` becomes a child of the new orphan.
        removed.restoration.identifier = "other"
        let second = TestObject("field", value: 5)
        let first = TestObject("field", value: 4, [moving])
        first.reference = second
        root.encoding = { $0.encode([moving, removed, other, first], forKey: "them") }
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["field", "field/moving", "nav", "other"])
        #expect(try test.archive.values(at: "field")["value"] == .integer(4))
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `I3 and P7: an orphan does not take the window root's path`() throws {
        let orphan = OtherObject("nav", value: 2)
        let root = TestObject("nav", value: 1)
        root.reference = orphan
        let test = try TestScene.launched(root)
        let output = try #require(test.save())
        #expect(test.archive.paths == ["nav"])
        #expect(output.diagnostics.count == 1)
    }

    @Test func `P8: an object is encoded once, however many objects refer to it`() throws {
        let shared = TestObject("shared")
        let first = TestObject("first")
        let second = TestObject("second")
        first.reference = shared
        second.reference = shared
        let test = try TestScene.launched(TestObject("nav", [first, second, shared]))
        #expect(test.save()?.encodedObjectCount == 4)
        #expect(shared.encodings == 1)
        #expect(test.archive.paths.count == 4)
    }

    @Test func `P8: references in arrays and dictionaries are restored`() throws {
        func tree() -> TestObject { TestObject("nav", [TestObject("a"), TestObject("b")]) }
        let root = tree()
        root.encoding = { [unowned root] coder in
            coder.encode([root.children[1], root.children[0]], forKey: "list")
            coder.encode(["x": root.children[0], "y": root.children[1]], forKey: "named")
        }
        let test = try TestScene.launched(root)
        test.save()
        let next = tree()
        var list: [TestObject?]?
        var named: [String: TestObject?]?
        next.decoding = { coder in
            list = try coder.decodeObjects(TestObject.self, forKey: "list")
            named = try coder.decodeNamedObjects(TestObject.self, forKey: "named")
        }
        _ = try TestScene.launched(next, archive: test.archive)
        #expect(list?.map(\.?.label) == ["b", "a"])
        #expect(named?.mapValues { $0?.label } == ["x": "a", "y": "b"])
    }

    @Test func `P8: references can form cycles`() throws {
        func tree() -> TestObject {
            TestObject("nav", [TestObject("a", value: 1), TestObject("b", value: 2)])
        }
        let root = tree()
        root.children[0].reference = root.children[1]
        root.children[1].reference = root.children[0]
        root.reference = root
        let test = try TestScene.launched(root)
        #expect(test.save()?.encodedObjectCount == 3)
        let next = tree()
        _ = try TestScene.launched(next, archive: test.archive)
        #expect(next.reference === next)
        #expect(next.children[0].reference === next.children[1])
        #expect(next.children[1].reference === next.children[0])
        for object in [root] + root.children { object.reference = nil }
        for object in [next] + next.children { object.reference = nil }
    }

    @Test func `P8: a reference to an object without an identifier has no target and is reported`()
        throws
    {
        let root = TestObject("nav", value: 1)
        root.reference = TestObject(nil)
        let test = try TestScene.launched(root)
        let output = try #require(test.save())
        #expect(
            try test.archive.values(at: "nav") == [
                "value": .integer(1), "reference": .reference(nil),
            ])
        #expect(
            output.diagnostics == [
                .value(
                    StateEncodingError(
                        objectPath: "nav", key: "reference", cause: .referenceWithoutIdentifier))
            ])
    }

    @Test func `a referenced object that gets an identifier is saved by the next pass`() throws {
        let root = TestObject("nav")
        let later = TestObject(nil)
        root.reference = later
        let test = try TestScene.launched(root)
        test.save()
        later.restoration.identifier = "later"
        #expect(test.scene.needsPass)
        test.save()
        #expect(test.archive.paths == ["later", "nav"])
    }

    @Test
    func `an identifier that a referenced object gets during a pass applies to the next pass`()
        throws
    {
        let later = TestObject(nil)
        let page = TestObject("page")
        let root = TestObject("nav", [page])
        root.reference = later
        let test = try TestScene.launched(root)
        test.save()
        page.encoding = { _ in later.restoration.identifier = "later" }
        page.invalidateRestorableState()
        test.save()
        #expect(test.scene.needsPass)
        test.save()
        #expect(test.archive.paths == ["later", "nav", "nav/page"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P8: problems in the delegate's coder are also reported`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        test.delegate.encoding = { coder in
            coder.encode(TestObject(nil), forKey: "it")
            coder.encode(1, forKey: "twice")
            coder.encode(2, forKey: "twice")
        }
        let output = try #require(test.save())
        #expect(output.diagnostics.count == 2)
        #expect(output.sentences.allSatisfy { $0.hasPrefix("application state: ") })
    }

    @Test func `an orphan is removed when no object refers to it any longer`() throws {
        let root = TestObject("nav")
        root.reference = TestObject("orphan", [TestObject("below")])
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["nav", "orphan", "orphan/below"])
        root.reference = nil
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["nav"])
    }

    @Test func `one pass removes all orphans that are no longer referred to`() throws {
        let root = TestObject("nav")
        let orphans = ["a", "b", "c"].map { TestObject(RestorationIdentifier(recorded: $0)) }
        root.encoding = { $0.encode(orphans, forKey: "orphans") }
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["a", "b", "c", "nav"])
        root.encoding = { $0.encode([orphans[1]], forKey: "orphans") }
        root.invalidateRestorableState()
        test.save()
        #expect(test.archive.paths == ["b", "nav"])
    }

    @Test
    func `P18: an object removed and recorded again in one pass is saved with its current value`()
        throws
    {
        let inner = TestObject("inner", value: 1)
        let first = TestObject("z", [inner])
        let second = TestObject("z")
        second.reference = inner
        let root = TestObject("nav", [TestObject(nil, [first]), TestObject(nil, [second])])
        root.reference = first
        let test = try TestScene.launched(root)
        test.save()
        root.reference = second
        root.invalidateRestorableState()
        inner.change(to: 9)
        test.save()
        #expect(test.archive.paths == ["inner", "nav", "z"])
        #expect(try test.archive.values(at: "inner")["value"] == .integer(9))
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P7: a referenced object stays preserved when two objects around it leave`()
        throws
    {
        let target = TestObject("target", value: 1)
        let inner = TestObject("inner")
        let outer = TestObject("outer", [inner, target])
        let last = TestObject("last")
        inner.reference = target
        last.reference = target
        let test = try TestScene.launched(TestObject("nav", [outer, last]))
        test.save()
        inner.leaveReportingChange()
        outer.leave()
        test.save()
        #expect(test.archive.paths == ["nav", "nav/last", "target"])
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `P7: a referenced object stays preserved when its parent leaves twice in a pass`()
        throws
    {
        let target = TestObject("target", value: 1)
        let page = TestObject("page", [target])
        page.reference = target
        let (adding, removing) = (TestObject("a"), TestObject("b"))
        let root = TestObject("nav", [page, adding, removing])
        root.reference = target
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "nav/page", "nav/page/target"])
        // The pass finds that the page has left, is back, and has left again.
        page.leave()
        adding.encoding = { [unowned root] _ in root.add(page) }
        removing.encoding = { _ in page.leave() }
        for object in [adding, removing] { object.invalidateRestorableState() }
        test.save()
        #expect(test.archive.paths == ["nav", "nav/a", "nav/b", "target"])
        #expect(try test.archive.values(at: "target")["value"] == .integer(1))
    }

    @Test
    func `P12: a registered object that another scene returns still preserves what it refers to`()
        throws
    {
        let registered = TestObject("registered")
        let page = TestObject("page")
        registered.reference = TestObject("orphan", value: 1)
        registered.parentObject = page
        page.reference = TestObject("lost", value: 2)
        let test = try TestScene.launched(TestObject("nav", [page]))
        try test.scene.registerObject(
            forStateRestoration: registered, restorationIdentifier: "registered")
        test.save()
        let paths = ["lost", "nav", "nav/page", "nav/page/registered", "orphan"]
        #expect(test.archive.paths == paths)
        let otherRoot = TestObject("other")
        let other = Scene(
            name: "other", launchReason: .pristine, delegate: TestDelegate(otherRoot),
            classes: ClassRegistry(),
            records: SceneRecords(
                names: test.scene.records.names, numbering: test.scene.records.numbering))
        try other.launch(restoring: nil)
        otherRoot.add(page)
        for _ in 1...2 {
            test.archive.write(try #require(other.preserve(.test, .everything())))
            test.save(isFull: true)
        }
        // A reference from another scene does not preserve an object.
        #expect(test.archive.paths == ["nav", "orphan", "other", "other/page", "registered"])
        #expect(test.scene.records.request.releasedOrphans.isEmpty)
    }

    @Test func `objects of an ended scene are released or can be used by another scene`() throws {
        weak var gone: TestObject?
        let kept = TestObject("kept", value: 1)
        do {
            let root = TestObject("nav", [TestObject("a"), TestObject("b")])
            gone = root
            let test = try TestScene.launched(root)
            test.delegate.encoding = { $0.encode(kept, forKey: "kept") }
            root.children[0].encoding = { [unowned root] in $0.encode(root, forKey: "root") }
            root.children[1].encoding = { [unowned root] in
                $0.encode(root.children[0], forKey: "a")
            }
            test.save()
            #expect(test.archive.paths.contains("kept"))
            test.scene.records.resetNodes()
        }
        #expect(gone == nil)
        let next = try TestScene.launched(kept)
        next.save()
        #expect(next.archive.paths == ["kept"])
        kept.change(to: 2)
        next.save()
        #expect(try next.archive.values(at: "kept")["value"] == .integer(2))
    }

    @Test func `P5: an object of an ended scene is preserved by a reference in another scene`()
        throws
    {
        let shared = TestObject("shared", value: 1)
        let root = TestObject("nav", [shared, TestObject("last")])
        root.reference = shared
        let first = try TestScene.launched(root)
        first.save()
        first.scene.records.resetNodes()
        root.reference = nil
        shared.leave()
        let next = TestObject("next")
        next.reference = shared
        let second = try TestScene.launched(next)
        second.save()
        #expect(second.archive.paths == ["next", "shared"])
        #expect(second.save(isFull: true)?.isEmpty == true)
    }
}
