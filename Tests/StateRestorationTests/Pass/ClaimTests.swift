import Testing

@testable import StateRestoration

/// Record numbers of created objects, and records of objects that move between scenes.
@Suite struct ClaimTests {
    private static let origin = StoryboardOrigin(name: "Main", identifier: "page")

    private func page(value: Int? = nil) -> TestObject {
        let page = TestObject("page", value: value)
        page.restoration.storyboard = Self.origin
        return page
    }

    /// Launches a scene whose storyboard creates a page with the value 1 that nothing links.
    private func launch(creating page: TestObject) throws -> TestScene {
        let saved = try TestScene.launched(
            TestObject("nav", [self.page(value: 1), TestObject("tab")]))
        saved.save()
        return try TestScene.launched(
            TestObject("nav", [TestObject("tab")]), archive: saved.archive,
            storyboards: TestStoryboard(makers: [Self.origin: { page }]))
    }

    @Test func `P18: retained state below an object is saved after the object is transferred back`()
        throws
    {
        let archive = MemoryArchive()
        func launch(_ page: TestObject, _ left: TestObject) throws -> TestScene {
            left.parentObject = page
            return try TestScene.launched(TestObject("nav", [page]), archive: archive) { delegate in
                delegate.launching = { scene in
                    try scene.registerObject(
                        forStateRestoration: left, restorationIdentifier: "left")
                }
            }
        }
        let first = try launch(
            TestObject("page"), TestObject(nil, .object, [TestObject("below", value: 1)]))
        first.save()
        let below = TestObject("below")
        below.decoding = { _ in throw Refusal() }
        let page = TestObject("page")
        let test = try launch(page, TestObject(nil, .object, [below]))
        #expect(test.unrestored == ["nav/page/left/below: decode-failed"])
        test.save()
        below.value = 9
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        try test.save(other)
        test.save()
        #expect(archive.paths == ["left", "left/below", "nav", "other", "other/page"])
        #expect(try archive.values(at: "left/below")["value"] == .integer(9))
        below.leave()
        test.save()
        #expect(archive.paths == ["left", "nav", "other", "other/page"])
    }

    @Test(arguments: [false, true])
    func `R16: a created object that moves before the first pass belongs only to its new scene`(
        isOmitted: Bool
    ) throws {
        let page = page()
        let test = try launch(creating: page)
        #expect(test.scene.records.unclaimedRecordCount == 1)
        let otherRoot = TestObject("other", isOmitted ? [TestObject("page", value: 7)] : [])
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        try test.save(other)
        #expect(test.scene.records.unclaimedRecordCount == 0)
        test.save()
        let paths = ["nav", "nav/tab", "other", "other/page"]
        #expect(test.archive.paths == paths)
        let values = try test.archive.values(at: "other/page")
        #expect(values["value"] == .integer(isOmitted ? 7 : 1))
    }

    @Test func `R16: a created object does not share its record with an object that claimed it`()
        throws
    {
        let page = page()
        let test = try launch(creating: page)
        test.save()
        let root = try #require(test.delegate.root)
        root.add(TestObject("page", value: 7))
        test.save()
        root.children[0].add(page)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/tab", "nav/tab/page"])
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(7))
        #expect(try test.archive.values(at: "nav/tab/page")["value"] == .integer(1))
    }

    @Test func `R16: a reference to a created object does not lead to an object with its record`()
        throws
    {
        let page = page()
        let test = try launch(creating: page)
        test.save()
        let root = try #require(test.delegate.root)
        root.add(TestObject("page", value: 7))
        test.save()
        root.refer(to: [page])
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/tab", "page"])
        #expect(try test.archive.values(at: "page")["value"] == .integer(1))
        #expect(test.save(isFull: true)?.isEmpty == true)
        let pages = [self.page(), TestObject("page")]
        let restored = TestObject("nav", [TestObject("tab"), pages[1]])
        var referredObjects: [TestObject?] = []
        restored.decoding = {
            referredObjects = try $0.decodeObjects(TestObject.self, forKey: "others") ?? []
        }
        _ = try TestScene.launched(
            restored, archive: test.archive,
            storyboards: TestStoryboard(makers: [Self.origin: { pages[0] }]))
        #expect(referredObjects.count == 1 && referredObjects[0] === pages[0])
    }

    @Test func `R16: a scene keeps the unclaimed record of an object that another scene omits`()
        throws
    {
        let page = page()
        let test = try launch(creating: page)
        test.save()
        #expect(test.scene.records.unclaimedRecordCount == 1)
        let number = test.archive.number(at: "nav/page")
        #expect(number != nil)
        let otherRoot = TestObject("other", [TestObject("page", value: 7)])
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        try test.save(other)
        #expect(test.scene.records.unclaimedRecordCount == 1)
        let root = try #require(test.delegate.root)
        root.add(TestObject("page", value: 3))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/tab", "other", "other/page"])
        #expect(test.archive.number(at: "nav/page") == number)
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(3))
        #expect(try test.archive.values(at: "other/page")["value"] == .integer(7))
        #expect(test.scene.records.unclaimedRecordCount == 0)
    }
}
