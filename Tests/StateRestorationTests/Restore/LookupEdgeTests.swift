import StateRecords
import StateRestoration
import Testing

/// Lookups in which the found object is in an unusual state or at an unusual position.
@Suite struct LookupEdgeTests {
    private func archive(
        of root: TestObject, classes: ClassRegistry = ClassRegistry()
    ) throws -> MemoryArchive {
        let test = try TestScene.launched(root, classes: classes)
        test.save()
        return test.archive
    }

    @Test func `R3: a storyboard is not used for a view`() throws {
        let origin = StoryboardOrigin(name: "Main", identifier: "field")
        let field = TestObject("field", .view, value: 1)
        field.restoration.storyboard = origin
        let archive = try archive(of: TestObject("nav", [field]))
        let test = try TestScene.launched(
            TestObject("nav"), archive: archive,
            storyboards: TestStoryboard(makers: [origin: { TestObject("field") }]))
        #expect(test.unrestored == ["nav/field: no-object"])
    }

    @Test func `R6 and R11: an object that is ignored does not get the restoration class`() throws {
        let saved = MadeObject("page", value: 4)
        saved.restoration.restorationClass = MadeObject.self
        let archive = try archive(of: TestObject("nav", [saved]), classes: .withMadeObject)
        let ignored = MadeObject("page")
        let test = try TestScene.launched(
            TestObject("nav", [MadeObject("page")]), archive: archive, classes: .withMadeObject
        ) {
            $0.making = { _, _ in ignored }
        }
        #expect(test.report.duplicates.map(\.path) == ["nav/page"])
        let isUnchanged = ignored.restoration.restorationClass == nil
        #expect(isUnchanged)
        #expect(ignored.decodings == 0)
    }

    @Test(arguments: [true, false])
    func `R3: a root that was attached to its scene before the restoration is restored`(
        hasIdentifier: Bool
    ) throws {
        let archive = try archive(of: TestObject("nav", value: 4))
        let root = TestObject(hasIdentifier ? "nav" : nil)
        let test = try TestScene.launched(root, archive: archive) {
            $0.launching = { $0.attachRoot() }
            $0.finding = { _, _ in hasIdentifier ? nil : root }
        }
        #expect(test.unrestored == [])
        #expect(root.value == 4)
        #expect(root.restoration.identifier == "nav")
    }

    @Test func `R15: a created object that becomes the window's root counts as restored`() throws {
        let archive = try archive(of: TestObject("nav", value: 4))
        let root = TestObject(nil)
        root.isInObjectTree = false
        let test = try TestScene.launched(nil, archive: archive) { delegate in
            delegate.finding = { _, _ in root }
            root.decoding = { [unowned delegate, unowned root] _ in delegate.root = root }
        }
        #expect(test.unrestored == [])
        #expect(test.report.restored == 1)
        #expect(root.value == 4)
    }

    @Test func `R15: an unrestored object below an object without a container is counted once`()
        throws
    {
        let page = MadeObject("page", [TestObject("in")])
        page.restoration.restorationClass = MadeObject.self
        let archive = try archive(of: TestObject("nav", [page]), classes: .withMadeObject)
        let test = try TestScene.launched(
            TestObject("nav"), archive: archive, classes: .withMadeObject
        ) {
            $0.making = { _, _ in
                let page = MadeObject("page")
                page.isInObjectTree = false
                return page
            }
        }
        #expect(test.unrestored == ["nav/page/in: no-object", "nav/page: no-object"])
        #expect(test.report.restored == 1)
        #expect(test.report.unclaimed == 2)
    }

    @Test func `I4: an object that is registered while its parent loads is found`() throws {
        let player = TestObject(nil, .object, value: 6)
        let owner = TestObject("nav")
        player.parentObject = owner
        let saved = TestScene(TestDelegate(owner))
        saved.delegate.launching = {
            try $0.registerObject(forStateRestoration: player, restorationIdentifier: "player")
        }
        try saved.launch()
        saved.save()
        #expect(saved.archive.paths == ["nav", "nav/player"])
        let root = TestObject("nav")
        let late = TestObject(nil, .object)
        late.parentObject = root
        let next = TestScene(TestDelegate(root), archive: saved.archive)
        root.loading = { [unowned next] in
            try? next.scene.registerObject(
                forStateRestoration: late, restorationIdentifier: "player")
        }
        try next.launch()
        #expect(next.unrestored == [])
        #expect(late.value == 6)
        withExtendedLifetime(player) {}
    }

    /// Returns a tree with an orphan below an unpreserved object that has an identifier.
    private func tree(value: Int? = nil) -> (root: TestObject, leaf: TestObject) {
        let leaf = TestObject("leaf", value: value)
        let gap = TestObject(nil, [TestObject("mid", [leaf])])
        return (TestObject("nav", [gap]), leaf)
    }

    @Test func `P7: an orphan is found below an object that is not preserved`() throws {
        let saved = tree(value: 6)
        saved.root.reference = saved.leaf
        let archive = try archive(of: saved.root)
        #expect(archive.paths == ["leaf", "nav"])
        let next = tree()
        let test = try TestScene.launched(next.root, archive: archive)
        #expect(test.unrestored == [])
        #expect(next.leaf.value == 6)
        #expect(next.root.reference === next.leaf)
    }

    @Test func `P7: two records with the path of an orphan restore one object`() throws {
        let saved = tree(value: 6)
        saved.root.reference = saved.leaf
        let archive = try archive(of: saved.root)
        let scene = try #require(archive.savedScene).changed { records in
            guard var copy = records.first(where: { $0.header.identifier == "leaf" }) else {
                return
            }
            copy.header.number = .max
            records.append(copy)
        }
        let next = tree()
        let test = TestScene(TestDelegate(next.root), archive: archive)
        try test.scene.launch(restoring: scene)
        #expect(test.unrestored == ["leaf: no-object"])
        #expect(next.leaf.decodings == 1)
    }

    @Test func `R9: a reference to a number between the numbers of records decodes as nil`() throws
    {
        let (unnamed, orphan) = (TestObject(nil), TestObject("orphan"))
        let root = TestObject("nav")
        root.encoding = { $0.encode([unnamed, orphan], forKey: "both") }
        let archive = try archive(of: root)
        let next = TestObject("nav")
        var labels: [String?]?
        next.decoding = {
            labels = try $0.decodeObjects(TestObject.self, forKey: "both")?.map(\.?.label)
        }
        let found = TestObject("orphan")
        let test = try TestScene.launched(next, archive: archive) {
            $0.finding = { path, _ in path.description == "orphan" ? found : nil }
        }
        #expect(test.unrestored == [])
        #expect(labels == [nil, "orphan"])
    }

    @Test func `R18: keys that the delegate reads do not count as read for another object`() throws
    {
        let field = TestObject("field", .view)
        field.encoding = { $0.encode(2, forKey: "note") }
        let root = TestObject("nav", [field])
        root.encoding = { $0.encode(1, forKey: "document") }
        let archive = try archive(of: root)
        let next = TestObject("nav", [TestObject("field", .view)])
        let test = try TestScene.launched(next, archive: archive) {
            $0.finding = { _, coder in
                _ = try coder.decode(Int.self, forKey: "document")
                return nil
            }
        }
        let objects = ObjectExplainer(test.scene).foundObjects()
        #expect(objects.map(\.path) == ["nav", "nav/field"])
        #expect(objects.map(\.unreadKeys) == [[], ["note"]])
    }

    @Test func `R15: a truncated detail fills the maximum size if a character ends there`() {
        let entry = UnrestoredObject(
            path: "a", code: .noObject, detail: "x" + String(repeating: "é", count: 3000))
        #expect(entry.detail == "x" + String(repeating: "é", count: 510) + "…")
        #expect(entry.detail.utf8.count == UnrestoredObject.maximumDetailBytes)
    }
}
