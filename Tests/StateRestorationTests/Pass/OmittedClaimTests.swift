import Testing

@testable import StateRestoration

/// Unclaimed records of objects that are added to another scene and omitted there.
@Suite struct OmittedClaimTests {
    private static let origin = StoryboardOrigin(name: "Main", identifier: "page")

    private func page(value: Int? = nil) -> TestObject {
        let page = TestObject("page", value: value)
        page.restoration.storyboard = Self.origin
        return page
    }

    /// Launches a scene whose storyboard creates a page that nothing links, and saves the scene.
    private func saved(creating page: TestObject) throws -> TestScene {
        let earlier = try TestScene.launched(
            TestObject("nav", [self.page(value: 1), TestObject("tab")]))
        earlier.save()
        let test = try TestScene.launched(
            TestObject("nav", [TestObject("tab")]), archive: earlier.archive,
            storyboards: TestStoryboard(makers: [Self.origin: { page }]))
        test.save()
        return test
    }

    /// Makes an incremental pass over another scene, and writes its output to the archive.
    private func save(_ scene: Scene, _ test: TestScene) throws {
        test.archive.write(try #require(scene.preserve(.test)))
    }

    @Test func `R16: a scene keeps the unclaimed record of an object that another scene omits`()
        throws
    {
        let page = page()
        let test = try saved(creating: page)
        #expect(test.scene.records.unclaimedCount == 1)
        let number = test.archive.number(at: "nav/page")
        #expect(number != nil)
        let otherRoot = TestObject("other", [TestObject("page", value: 7)])
        let other = Scene(
            name: "second", launchReason: .pristine, delegate: TestDelegate(otherRoot),
            classes: ClassRegistry(),
            records: SceneRecords(
                names: test.scene.records.names, numbering: test.scene.records.numbering))
        try other.launch(restoring: nil)
        try save(other, test)
        otherRoot.add(page)
        try save(other, test)
        #expect(test.scene.records.unclaimedCount == 1)
        let root = try #require(test.delegate.root)
        root.add(TestObject("page", value: 3))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/tab", "other", "other/page"])
        #expect(test.archive.number(at: "nav/page") == number)
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(3))
        #expect(try test.archive.values(at: "other/page")["value"] == .integer(7))
        #expect(test.scene.records.unclaimedCount == 0)
    }
}
