import Testing

@testable import StateRestoration

@Suite struct ObjectExplainerTests {
    private func story(_ test: TestScene, _ path: String) throws -> Explanation {
        let story = ObjectExplainer(test.scene).explanation(of: path, passMetadata: .test)
        try #require(story.isObjectKnown)
        return story
    }

    private func sentences(_ test: TestScene, _ path: String) throws -> [String] {
        try story(test, path).sentences
    }

    @Test func `an explanation shows what an object saves and that it was restored`() throws {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        first.save()
        #expect(
            try sentences(first, "nav/page").last
                == "The last launch found nothing saved (pristine).")
        let second = try TestScene.launched(
            TestObject("nav", [TestObject("page")]), archive: first.archive)
        second.save()
        let told = try story(second, "nav/page")
        #expect(told.liveObject?.isRestored == true)
        #expect(told.liveObject?.isOrphan == false)
        #expect(told.path == "nav/page")
        guard case .values(1, let bytes, []) = told.liveObject?.state else {
            Issue.record("\(told)")
            return
        }
        #expect(
            told.sentences == [
                "nav/page is a TestObject, and is preserved.",
                "It saves 1 value, \(bytes) bytes with keys.",
                "The last launch (restore) restored it: it already existed.",
            ])
    }

    @Test func `an explanation of a new object says that the launch found no saved state for it`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav"))
        first.save()
        let second = try TestScene.launched(
            TestObject("nav", [TestObject("new")]), archive: first.archive)
        #expect(
            try sentences(second, "nav/new") == [
                "nav/new is a TestObject, and is not preserved: the application does not save its "
                    + "state.", "The last launch (restore) found no saved state for it.",
            ])
        second.save()
        #expect(
            try sentences(second, "nav/new") == [
                "nav/new is a TestObject, and is preserved.", "It saves no values of its own.",
                "The last launch (restore) found no saved state for it.",
            ])
    }

    @Test func `P6: an explanation names the first object above that has no identifier`() throws {
        let test = try TestScene.launched(
            TestObject("nav", [TestObject(nil, [TestObject(nil, [TestObject("leaf")])])]))
        test.save()
        let told = try story(test, "nav/@TestObject/@TestObject/leaf")
        #expect(told.liveObject?.omission == .ancestorWithoutIdentifier(address: "nav/@TestObject"))
        let sentence = """
            nav/@TestObject/@TestObject/leaf is a TestObject, and is not preserved: nav/@TestObject, \
            above it, has no restoration identifier; give that object one.
            """
        #expect(told.sentences.first == sentence)
    }

    @Test(arguments: ["nav/@TestObject/leaf", "leaf"])
    func `P7: an object preserved by reference is found by its address and by its path`(
        path: String
    ) throws {
        let leaf = TestObject("leaf")
        let root = TestObject("nav", [TestObject(nil, [leaf])])
        root.reference = leaf
        let test = try TestScene.launched(root)
        test.save()
        let told = try story(test, path)
        #expect(told.address == "nav/@TestObject/leaf")
        #expect(told.path == "leaf")
        #expect(
            told.sentences[1]
                == "It is saved as leaf: it is preserved because another object refers "
                + "to it, not because of its position.")
    }

    @Test func `R15 and R16: an unrestored object is explained with the reason and its attempts`()
        throws
    {
        let first = try TestScene.launched(
            TestObject("nav", [TestObject("page", value: 1, [TestObject("in", value: 2)])]))
        first.save()
        for launch in 1...2 {
            let test = try TestScene.launched(TestObject("nav"), archive: first.archive)
            test.save()
            let told = try story(test, "nav/page")
            #expect(told.liveObject == nil)
            #expect(told.unrestoredObject?.code == .noObject)
            #expect(told.unclaimedRecord?.failedLaunchCount == launch)
            #expect(told.unclaimedRecord?.maximumLaunchCount == 10)
            #expect(
                told.sentences == [
                    "There is no object at nav/page now.",
                    "The last launch (restore) did not restore it (no-object): no object exists at "
                        + "this path, and nothing creates one. Add a controller with the restoration identifier page "
                        + "below nav again, or save it with a restoration class, then restart the program.",
                    "Its saved state remains in the archive: launch \(launch) of 10 did not restore it, "
                        + "and the next launch tries again.",
                ])
            let below = try story(test, "nav/page/in")
            #expect(below.unrestoredObject?.code == .ancestorNotRestored)
            #expect(below.unclaimedRecord?.failedLaunchCount == launch)
        }
    }

    @Test func `R16: a record that expired after ten launches is explained as removed`() throws {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        first.save()
        for _ in 1...10 {
            try TestScene.launched(TestObject("nav"), archive: first.archive).save()
        }
        let last = try TestScene.launched(TestObject("nav"), archive: first.archive)
        last.save()
        let told = try story(last, "nav/page")
        #expect(told.isSavedStateExpired)
        #expect(told.unclaimedRecord == nil)
        #expect(
            told.sentences.last == "More than 10 launches did not restore its saved state, "
                + "which was removed from the archive.")
    }

    @Test func `R16: a record is no longer unclaimed after a new object is saved at its path`()
        throws
    {
        let first = try TestScene.launched(TestObject("nav", [TestObject("page", value: 1)]))
        first.save()
        let root = TestObject("nav")
        let test = try TestScene.launched(root, archive: first.archive)
        root.add(TestObject("page", value: 2))
        test.save()
        let told = try story(test, "nav/page")
        #expect(told.unclaimedRecord == nil)
        #expect(told.liveObject?.isRestored == false)
        #expect(told.unrestoredObject?.code == .noObject)
    }

    @Test func `P9: an encoding failure is shown until the object encodes successfully`() throws {
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        page.encoding = { _ in throw Refusal() }
        test.save()
        page.encoding = nil
        #expect(
            try story(test, "nav/page").liveObject?.state == .failed(reason: "refused for the test")
        )
        #expect(
            try sentences(test, "nav/page")[1]
                == "It could not encode its state, and its last saved "
                + "state is retained: refused for the test.")
        page.change(to: 2)
        test.save()
        guard case .values(1, _, []) = try story(test, "nav/page").liveObject?.state else {
            Issue.record("the failure is still told")
            return
        }
    }

    @Test func `P9: keys that cannot be saved are listed with the object's path`() throws {
        let page = TestObject("page", value: 1)
        page.encoding = { $0.encode(7, forKey: "@mine") }
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        guard case .values(1, _, let problems) = try story(test, "nav/page").liveObject?.state
        else {
            Issue.record("no state")
            return
        }
        #expect(
            problems == [
                "nav/page: \"@mine\" is not saved: keys that begin with @ are reserved for the "
                    + "library; choose another key"
            ])
    }

    @Test func `P9: every key that cannot be saved is listed`() throws {
        let page = TestObject("page")
        page.encoding = {
            $0.encode(1, forKey: "@one")
            $0.encode(2, forKey: "@two")
        }
        let test = try TestScene.launched(page)
        test.save()
        guard case .values(0, _, let problems) = try story(test, "page").liveObject?.state else {
            Issue.record("no state")
            return
        }
        let reason =
            "is not saved: keys that begin with @ are reserved for the library; choose another key"
        #expect(problems == ["page: \"@one\" \(reason)", "page: \"@two\" \(reason)"])
    }

    @Test func `R14: an object that throws while decoding is explained as not restored`() throws {
        let first = try TestScene.launched(TestObject("nav", value: 1))
        first.save()
        let root = TestObject("nav")
        root.decoding = { _ in throw Refusal() }
        let test = try TestScene.launched(root, archive: first.archive)
        let told = try story(test, "nav")
        #expect(told.liveObject?.isRestored == false)
        #expect(
            told.sentences.last == "The last launch (restore) did not restore it (decode-failed): "
                + "refused for the test. Decode the value as the type that was saved, or add a migration, "
                + "then restart the program; the saved state is retained until the object changes.")
    }

    @Test(arguments: ["", "/", "page", "nav/", "nav/none", "nav/page/none", "@TestObject"])
    func `a path without an object or a record is unknown`(path: String) throws {
        let test = try TestScene.launched(TestObject("nav", [TestObject("page")]))
        test.save()
        #expect(
            !ObjectExplainer(test.scene).explanation(of: path, passMetadata: .test).isObjectKnown)
    }

    @Test func `explaining an object marks and saves nothing`() throws {
        let root = TestObject("nav", value: 1)
        let test = try TestScene.launched(root)
        test.save()
        _ = try story(test, "nav")
        #expect(!test.scene.needsPass)
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `L5: state that may have been damaged is not described as never saved`() {
        var explanation = Explanation(address: "nav/page", launchReason: .recover)
        explanation.hasUnidentifiedLosses = true
        #expect(
            explanation.sentences.last?.hasPrefix(
                "The last launch (recover) found no intact state for it: the archive was damaged")
                == true)
    }

    @Test(arguments: [
        ("Page", "a"), ("Album", "an"), ("Editor", "an"), ("Item", "an"), ("Outline", "an"),
        ("Unit", "an"), ("event", "an"), ("E", "an"), ("list", "a"), ("Ünit", "a"),
    ])
    func `the article matches the class name`(name: String, article: String) {
        var explanation = Explanation(address: "nav/page", launchReason: .pristine)
        explanation.liveObject = Explanation.LiveObject(
            classToken: name, omission: nil, isOrphan: false, state: nil, isRestored: false)
        #expect(
            explanation.sentences.first == "nav/page is \(article) \(name), and is preserved.")
    }

    @Test func `P16: an explanation says that a preserved object is currently not saved`() {
        var explanation = Explanation(address: "nav/page", launchReason: .pristine)
        explanation.liveObject = Explanation.LiveObject(
            classToken: "Page", omission: nil, isOrphan: false, state: nil, isRestored: false)
        explanation.unsavedReason = "the disk is full"
        explanation.displacedStatePhrase = "it is in quarantine"
        #expect(
            explanation.sentences == [
                "nav/page is a Page, and is preserved, but NOT SAVED now: the disk is full.",
                "The last launch (pristine) did not receive the saved state: it is in quarantine.",
            ])
    }

    @Test func `P7: if two referenced objects share a path, only the preserved object is a root`()
        throws
    {
        let (first, second) = (TestObject("leaf"), TestObject("leaf"))
        let page = TestObject("page")
        let root = TestObject(
            "nav", [TestObject(nil, [first]), TestObject(nil, [second]), page])
        (root.reference, page.reference) = (first, second)
        let test = try TestScene.launched(root)
        test.save()
        let live = try ["nav/@TestObject/leaf", "nav/@TestObject~2/leaf"].map {
            try #require(try story(test, $0).liveObject)
        }
        #expect(live.count { $0.omission == nil } == 1)
        for object in live { #expect(object.isOrphan == (object.omission == nil)) }
    }

    @Test(arguments: [("nav/lost", false), (UnrestoredObject.unknownPath, true)])
    func `L5: damage may affect any object only if its path is unknown`(
        path: String, isUnknown: Bool
    ) throws {
        let test = try TestScene.launched(TestObject("nav"))
        test.save()
        let damaged = UnrestoredObject(path: path, code: .damaged, detail: "Its record is damaged.")
        test.scene.report(damagedObjects: [damaged], displaced: nil)
        #expect(try story(test, "nav").hasUnidentifiedLosses == isUnknown)
    }
}
