import StateRestoration
import Testing

@Suite struct ObjectFinderTests {
    /// An object that counts how often its children are listed.
    private final class CountedObject: TestObject {
        var listings = 0

        override func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
            listings += 1
            super.forEachRestorationChild(body)
        }
    }

    @Test func `missing objects are looked up again as long as the lookup is cheap`() throws {
        let children = 1 << 14
        func tree(_ root: TestObject, missing: Int) -> TestObject {
            for number in 0..<missing {
                root.add(TestObject(RestorationIdentifier(recorded: "missing\(number)")))
            }
            return root
        }
        let saved = try TestScene.launched(tree(TestObject("nav"), missing: 40))
        saved.save()
        let root = CountedObject("nav")
        for _ in 0..<children { root.add(TestObject(nil)) }
        var classes = ClassRegistry()
        classes.register(CountedObject.self, as: "TestObject")
        let test = try TestScene.launched(root, archive: saved.archive, classes: classes)
        #expect(test.unrestored.count == 40)
        // The children are listed once. Afterward, at most 2^18 objects are listed again.
        #expect(root.listings <= 1 + (1 << 18) / children)
        #expect(root.listings > 1)
    }

    /// Returns an archive with the saved state of a scene that has the given root.
    private func archive(of root: TestObject) throws -> MemoryArchive {
        let test = try TestScene.launched(root, classes: .withMadeObject)
        test.save()
        return test.archive
    }

    // MARK: The delegate

    @Test func `R3: the delegate receives the path and the object's saved state`() throws {
        let archive = try archive(of: TestObject("nav", value: 1, [TestObject("page", value: 4)]))
        let page = TestObject(nil)
        var asked: [String] = []
        let root = TestObject("nav")
        let test = try TestScene.launched(root, archive: archive) {
            $0.finding = { path, coder in
                let value = try? coder.decode(Int.self, forKey: "value")
                asked.append("\(path) \(value ?? 0)")
                return path.components.count == 2 ? page : nil
            }
        }
        #expect(asked == ["nav 1", "nav/page 4"])
        #expect(test.unrestored == [])
        #expect([root.value, page.value] == [1, 4])
    }

    @Test func `R6: an object that the delegate creates gets its identifier without the ordinal`()
        throws
    {
        let saved = TestObject("nav", [TestObject("page", value: 1), TestObject("page", value: 2)])
        saved.allowsDuplicateChildIdentifiers = true
        let archive = try archive(of: saved)
        #expect(archive.paths == ["nav", "nav/page", "nav/page~2"])
        var made: [TestObject] = []
        _ = try TestScene.launched(TestObject("nav"), archive: archive) {
            $0.finding = { path, _ in
                guard path.components.count == 2 else { return nil }
                made.append(TestObject(nil))
                return made.last
            }
        }
        #expect(made.map(\.restoration.identifier) == ["page", "page"])
        #expect(made.map(\.value) == [1, 2])
    }

    // MARK: Existing objects

    @Test func `R3: an existing controller at exactly the recorded path is used`() throws {
        let archive = try archive(of: TestObject("nav", [TestObject("page", value: 4)]))
        let other = TestObject("other", [TestObject("page")])
        let page = TestObject("page")
        let test = try TestScene.launched(TestObject("nav", [other, page]), archive: archive)
        #expect(page.value == 4)
        #expect(other.children[0].decodings == 0)
        #expect(test.unrestored == [])
    }

    @Test func `R3: existing objects are found in any order`() throws {
        func tree(_ order: [Int]) -> TestObject {
            TestObject(
                "nav",
                order.map { TestObject(RestorationIdentifier(recorded: "page\($0)"), value: $0) })
        }
        let archive = try archive(of: tree(Array(0..<20)))
        let root = tree([7, 3, 19, 0, 12, 1, 18, 2, 17, 4, 16, 5, 15, 6, 14, 8, 13, 9, 11, 10])
        for child in root.children { child.value = nil }
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == [])
        #expect(root.children.map { "page\($0.value ?? -1)" } == root.children.map(\.label))
    }

    @Test func `R3: an object created while a sibling loads is found`() throws {
        let archive = try archive(
            of: TestObject("nav", [TestObject("a"), TestObject("b", value: 3)]))
        let first = TestObject("a")
        let root = TestObject("nav", [first])
        first.loading = { [unowned root] in root.add(TestObject("b")) }
        let test = try TestScene.launched(root, archive: archive)
        #expect(test.unrestored == [])
        #expect(root.children.last?.value == 3)
    }

    @Test func `R3: an object that gets its identifier while a sibling loads is found`() throws {
        let archive = try archive(
            of: TestObject("nav", [TestObject("a"), TestObject("b", value: 3)]))
        let first = TestObject("a")
        let second = TestObject(nil)
        first.loading = { second.restoration.identifier = "b" }
        let test = try TestScene.launched(TestObject("nav", [first, second]), archive: archive)
        #expect(test.unrestored == [])
        #expect(second.value == 3)
    }

    @Test func `R3: a nested view added while a sibling loads is found`() throws {
        let saved = TestObject("nav", [TestObject(nil, .view), TestObject("a")])
        let first = try TestScene.launched(saved)
        first.save()
        saved.children[0].add(TestObject("field", .view, value: 5))
        first.save()
        let page = TestObject("a")
        let view = TestObject(nil, .view)
        page.loading = { view.add(TestObject("field", .view)) }
        let test = try TestScene.launched(
            TestObject("nav", [view, page]), archive: first.archive)
        #expect(test.unrestored == [])
        #expect(view.children.first?.value == 5)
    }

    @Test func `R3: if the delegate replaces the root during the lookup, the new root is used`()
        throws
    {
        let archive = try archive(of: TestObject("nav", value: 4))
        let old = TestObject("nav")
        let new = TestObject("nav")
        let test = TestScene(TestDelegate(old), archive: archive)
        test.delegate.finding = { [unowned delegate = test.delegate] _, _ in
            delegate.root = new
            return nil
        }
        try test.launch()
        #expect(new.value == 4)
        #expect(old.decodings == 0)
    }

    @Test func `R3: an object registered while the root loads is found`() throws {
        let test = TestScene(TestDelegate(TestObject("nav")))
        let player = TestObject("player", .object, value: 6)
        test.delegate.launching = {
            try $0.registerObject(forStateRestoration: player, restorationIdentifier: "player")
        }
        try test.launch()
        test.save()
        let root = TestObject("nav")
        let late = TestObject(nil, .object)
        let next = TestScene(TestDelegate(root), archive: test.archive)
        root.loading = { [unowned next] in
            try? next.scene.registerObject(
                forStateRestoration: late, restorationIdentifier: "player")
        }
        try next.launch()
        #expect(next.unrestored == [])
        #expect(late.value == 6)
    }

    @Test func `P7: an orphan is found below its container without an identifier`() throws {
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

    @Test func `P7: if two objects share an identifier, the object of the saved kind is found`()
        throws
    {
        func tree() -> TestObject { TestObject(nil, [TestObject("leaf", value: 1)]) }
        let first = try TestScene.launched(tree())
        first.delegate.encoding = { [delegate = first.delegate] coder in
            coder.encode(delegate.root?.children[0], forKey: "leaf")
        }
        first.save()
        let page = TestObject("leaf")
        let owner = TestObject(nil)
        let other = TestObject(nil, .object)
        other.parentObject = owner
        let next = TestScene(TestDelegate(TestObject(nil, [page])), archive: first.archive)
        next.delegate.launching = {
            try $0.registerObject(forStateRestoration: other, restorationIdentifier: "leaf")
        }
        try next.launch()
        #expect(next.unrestored == [])
        #expect(page.value == 1)
        #expect(other.decodings == 0)
    }

    // MARK: The storyboard

    @Test func `R3: a controller that does not exist is created from its storyboard`() throws {
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
    func `R3: a controller that cannot be found is dropped with everything below it`(
        hasStoryboard: Bool
    ) throws {
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

    @Test func `R3: a storyboard's controller is not used if it has a different identifier`() throws
    {
        let origin = StoryboardOrigin(name: "Main", identifier: "detail")
        let page = TestObject("page")
        page.restoration.storyboard = origin
        let archive = try archive(of: TestObject("nav", [page]))
        let board = TestStoryboard(makers: [origin: { TestObject("renamed") }])
        let test = try TestScene.launched(TestObject("nav"), archive: archive, storyboards: board)
        #expect(test.unrestored == ["nav/page: storyboard-missing"])
    }
}
