import StateRestoration
import Testing

/// Objects that a storyboard creates during a launch.
@Suite struct CreatedObjectTests {
    private static let origin = StoryboardOrigin(name: "Main", identifier: "page")

    private func page(value: Int? = nil) -> TestObject {
        let page = TestObject("page", value: value)
        page.restoration.storyboard = Self.origin
        return page
    }

    /// Returns an archive with a page and another controller.
    private func archive() throws -> MemoryArchive {
        let test = try TestScene.launched(
            TestObject("nav", [page(value: 1), TestObject("other")]))
        test.save()
        return test.archive
    }

    /// Launches and saves a scene whose storyboard creates the given page.
    ///
    /// - Parameter isLinked: Whether the root adds the page when the root decodes its state.
    private func launch(
        _ archive: MemoryArchive, creating page: TestObject, isLinked: Bool
    ) throws -> TestScene {
        let root = TestObject("nav", [TestObject("other")])
        if isLinked { root.decoding = { [unowned root] _ in root.add(page) } }
        let test = try TestScene.launched(
            root, archive: archive,
            storyboards: TestStoryboard(makers: [Self.origin: { page }]))
        #expect(test.unrestored == [])
        test.save()
        return test
    }

    @Test func `P14: a change to an object that a launch created is saved`() throws {
        let archive = try archive()
        let page = page()
        let test = try launch(archive, creating: page, isLinked: true)
        #expect(page.value == 1)
        page.change(to: 5)
        #expect(test.scene.needsPass)
        test.save()
        #expect(try archive.values(at: "nav/page")["value"] == .integer(5))
    }

    @Test
    func `R16: an object that a launch created is removed when it leaves after its first pass`()
        throws
    {
        let archive = try archive()
        let page = page()
        let test = try launch(archive, creating: page, isLinked: true)
        #expect(archive.paths == ["nav", "nav/other", "nav/page"])
        page.leave()
        test.save()
        #expect(archive.paths == ["nav", "nav/other"])
    }

    @Test func `R16: a record moves if its object is linked below another object after the launch`()
        throws
    {
        let archive = try archive()
        let page = page()
        let test = try launch(archive, creating: page, isLinked: false)
        #expect(archive.paths == ["nav", "nav/other", "nav/page"])
        test.delegate.root?.children[0].add(page)
        test.save()
        #expect(archive.paths == ["nav", "nav/other", "nav/other/page"])
        #expect(try archive.values(at: "nav/other/page")["value"] == .integer(1))
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `R10: an object belongs to its scene when it loads its children`() throws {
        let saved = try TestScene.launched(TestObject("nav"))
        saved.save()
        let root = TestObject("nav")
        let test = TestScene(TestDelegate(root), archive: saved.archive)
        var wasInScene: Bool?
        root.loading = { [unowned root, unowned scene = test.scene] in
            wasInScene = root.restoration.records === scene.records
        }
        try test.launch()
        #expect(wasInScene == true)
    }
}
