import Testing

@testable import StateRestoration

/// Objects that move between two scenes of one application.
@Suite struct SceneMoveTests {
    @Test func `R16: an object whose record is kept is saved by the scene to which it moves`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav", [OtherObject("page", value: 1)]))
        first.save()
        let page = TestObject("page", value: 2)
        let test = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        #expect(test.unrestored == ["nav/page: class-missing"])
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(1))
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        try test.save(other)
        test.save()
        #expect(test.archive.paths == ["nav", "other", "other/page"])
        #expect(try test.archive.values(at: "other/page")["value"] == .integer(2))
    }

    @Test func `P8: changed objects that move to another scene are encoded there once`() throws {
        let below = TestObject("below", value: 1)
        let page = TestObject("page", value: 1, [below])
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        for object in [page, below] { object.change(to: 5) }
        otherRoot.add(page)
        try test.save(other)
        #expect([page.encodings, below.encodings] == [2, 2])
        for path in ["other/page", "other/page/below"] {
            #expect(try test.archive.values(at: path)["value"] == .integer(5))
        }
        test.save()
        below.change(to: 6)
        #expect(other.needsPass)
        #expect(!test.scene.needsPass)
    }

    @Test func `P5: a scene needs a pass if an object that referred to its orphan moves away`()
        throws
    {
        let page = TestObject("page")
        page.reference = TestObject("lost")
        let root = TestObject("nav")
        root.reference = page
        let test = try TestScene.launched(root)
        test.save()
        #expect(test.archive.paths == ["lost", "nav", "page"])
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        #expect(!test.scene.needsPass)
        try test.save(other)
        #expect(test.scene.needsPass)
        test.save()
        #expect(test.archive.paths == ["nav", "other", "other/page"])
    }

    @Test func `P5: a reference from another scene does not preserve an object that leaves`()
        throws
    {
        let page = TestObject("page")
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        let otherRoot = TestObject("other")
        otherRoot.reference = page
        _ = try test.otherScene(otherRoot)
        page.leave()
        test.save()
        #expect(test.archive.paths == ["nav", "other"])
    }

    @Test func `I3: an object that moves to a path of another scene that is taken is removed`()
        throws
    {
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        let otherRoot = TestObject("other", [TestObject("page", value: 2)])
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        #expect(try test.save(other).diagnostics.count == 1)
        test.save()
        #expect(test.archive.paths == ["nav", "other", "other/page"])
        #expect(try test.archive.values(at: "other/page")["value"] == .integer(2))
    }

    @Test func `P12: a registered object that becomes a child in another scene is saved there`()
        throws
    {
        let child = TestObject("child", value: 1)
        let test = try TestScene.launched(TestObject("nav", [child]))
        try test.scene.registerObject(forStateRestoration: child, restorationIdentifier: "child")
        test.save()
        #expect(test.archive.paths == ["nav", "nav/child"])
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(child)
        child.restoration.invalidateStructure()
        try test.save(other)
        test.save()
        #expect(test.archive.paths == ["nav", "other", "other/child"])
    }

    @Test func `I3 and P7: the path of an orphan that moves to another scene becomes free`() throws
    {
        let orphans = [TestObject("field", value: 1), TestObject("field", value: 2)]
        let root = TestObject("nav")
        root.encoding = { $0.encode(orphans, forKey: "orphans") }
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 1)
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(orphans[0])
        #expect(!test.scene.needsPass)
        try test.save(other)
        #expect(test.scene.needsPass)
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths == ["field", "nav", "other", "other/field"])
        #expect(try test.archive.values(at: "field")["value"] == .integer(2))
    }

    @Test
    func `I3: an omitted orphan is not reported again if only a child moves to another scene`()
        throws
    {
        let orphans = [TestObject("field"), TestObject("field")]
        let page = TestObject("page")
        let root = TestObject("nav", [page])
        root.encoding = { $0.encode(orphans, forKey: "orphans") }
        let test = try TestScene.launched(root)
        #expect(test.save()?.diagnostics.count == 1)
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        try test.save(other)
        #expect(test.save()?.diagnostics == [])
        #expect(test.archive.paths == ["field", "nav", "other", "other/page"])
    }

    @Test func `the end of a scene does not affect objects of another scene`() throws {
        let shared = TestObject("shared", value: 1)
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        test.save()
        let other = try test.otherScene(TestObject("other", [shared]))
        root.reference = shared
        root.invalidateRestorableState()
        test.save()
        test.scene.records.resetNodes()
        shared.change(to: 3)
        #expect(other.needsPass)
        try test.save(other)
        #expect(try test.archive.values(at: "other/shared")["value"] == .integer(3))
    }

    @Test func `an object of another scene is neither restored nor saved before the next pass`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        first.save()
        let page = TestObject("page")
        let test = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        test.save()
        #expect(ObjectExplainer(test.scene).foundObjects().map(\.path) == ["nav", "nav/page"])
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        #expect(TreeSurvey(other).entries().map(\.omission) == [nil, .notYetSaved])
        #expect(ObjectExplainer(other).foundObjects().isEmpty)
        let explanation = ObjectExplainer(other).explanation(
            of: "other/page", passMetadata: .test)
        #expect(explanation.isObjectKnown)
        #expect(explanation.path == nil)
        #expect(explanation.liveObject?.isRestored == false)
    }

    @Test func `R18: no launch of the scene to which an object moves has found the object`() throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("in")])]))
        first.save()
        let page = TestObject("page", [TestObject("in")])
        let test = try TestScene.launched(TestObject("nav", [page]), archive: first.archive)
        test.save()
        #expect(ObjectExplainer(test.scene).foundObjects().count == 3)
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        try test.save(other)
        #expect(ObjectExplainer(other).foundObjects().isEmpty)
        let explanation = ObjectExplainer(other).explanation(
            of: "other/page", passMetadata: .test)
        #expect(explanation.path == "other/page")
        #expect(explanation.liveObject?.isRestored == false)
        #expect(ObjectExplainer(test.scene).foundObjects().map(\.path) == ["nav"])
    }

    @Test func `P9: an object that could not encode is encoded by the scene to which it moves`()
        throws
    {
        let field = TestObject("field")
        field.encoding = { _ in throw Refusal() }
        let page = TestObject("page", [field])
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        #expect(test.scene.records.losses.count == 1)
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(page)
        let path = RestorationPath(["other", "page", "field"])
        #expect(
            try test.save(other).diagnostics == [
                .encodeFailed(path: path, reason: Refusal().description)
            ])
        #expect(test.scene.records.losses.isEmpty)
        #expect(other.records.losses.count == 1)
    }

    @Test func `P12: an object can be registered again after another scene that used it ended`()
        throws
    {
        let player = TestObject(nil, .object, value: 1)
        let test = try TestScene.launched(TestObject("nav"))
        try test.scene.registerObject(
            forStateRestoration: player, restorationIdentifier: "player")
        test.save()
        let otherRoot = TestObject("other")
        let other = try test.otherScene(otherRoot)
        otherRoot.add(player)
        try test.save(other)
        #expect(test.archive.paths == ["nav", "other", "other/player"])
        other.records.resetNodes()
        player.leave()
        test.save(isFull: true)
        try test.scene.registerObject(
            forStateRestoration: player, restorationIdentifier: "player")
        #expect(test.scene.registeredObjects.count == 1)
        test.save()
        #expect(test.archive.paths.contains("player"))
    }

    @Test func `objects of another scene have no recorded values in a scene`() throws {
        let root = TestObject("nav", value: 3)
        root.encoding = {
            $0.encode("x", forKey: "text")
            $0.excludeFromHistory(forKey: "text")
        }
        let test = try TestScene.launched(root)
        test.save()
        var values: [StoredValue] = []
        func isLast(_ value: StoredValue) -> Bool {
            values.append(value)
            return false
        }
        #expect(!StateInspection(test.scene).record(of: root, contains: isLast))
        #expect(values.count == 2)
        #expect(values.contains(.integer(3)) && values.contains(.string("x")))
        let other = try test.otherScene(TestObject("other"))
        other.records.savedValues = test.scene.records.savedValues
        #expect(!StateInspection(other).record(of: root) { _ in true })
    }
}
