import StateRestoration
import Testing

@Suite struct TreeSurveyTests {
    private func lines(_ test: TestScene) -> [String] {
        TreeSurvey(test.scene).entries().map { entry in
            "\(entry.address) \(entry.classToken) \(entry.omission?.description ?? "preserved")"
        }
    }

    @Test func `P6: every object is listed with its address and why it is not preserved`() throws {
        let made = TestObject(nil)
        made.restoration.storyboard = StoryboardOrigin(name: "Main", identifier: "page")
        let ancestorWithoutIdentifier = OtherObject(
            nil, [TestObject("lost"), TestObject("field", .view)])
        let root = TestObject(
            "nav",
            [
                TestObject(nil, .view, [TestObject("text", .view)]), made,
                ancestorWithoutIdentifier, OtherObject(nil),
            ])
        let test = try TestScene.launched(root)
        test.save()
        let gapped = "@OtherObject, above it, has no restoration identifier"
        #expect(
            lines(test) == [
                "nav TestObject preserved",
                "nav/text TestObject preserved",
                "nav/@page TestObject it has no restoration identifier",
                "nav/@OtherObject OtherObject it has no restoration identifier",
                "nav/@OtherObject/lost TestObject nav/\(gapped)",
                "nav/@OtherObject/field TestObject nav/\(gapped)",
                "nav/@OtherObject~2 OtherObject it has no restoration identifier",
            ])
    }

    @Test func `P6: the first object above that has no identifier is named`() throws {
        let root = TestObject(
            nil, label: "root", [TestObject("a", [TestObject(nil, [TestObject("b")])])])
        let test = try TestScene.launched(root)
        test.save()
        #expect(
            TreeSurvey(test.scene).entries().map(\.omission) == [
                .noIdentifier, .ancestorWithoutIdentifier(address: "@TestObject"), .noIdentifier,
                .ancestorWithoutIdentifier(address: "@TestObject"),
            ])
    }

    @Test func `P7: an object preserved by a reference is listed as preserved`() throws {
        let leaf = TestObject("leaf")
        let root = TestObject("nav", [TestObject(nil, [leaf])])
        root.reference = leaf
        let test = try TestScene.launched(root)
        test.save()
        #expect(lines(test).last == "nav/@TestObject/leaf TestObject preserved")
    }

    @Test func `I3: an omitted sibling is listed with that reason`() throws {
        let root = TestObject("nav", [TestObject("page"), OtherObject("page")])
        let test = try TestScene.launched(root)
        test.save()
        let entries = TreeSurvey(test.scene).entries()
        #expect(entries.map(\.address) == ["nav", "nav/page", "nav/page~2"])
        #expect(entries.map(\.omission) == [nil, nil, .siblingHasSameIdentifier])
    }

    @Test func `I2: an object whose path is too long is listed with that reason`() throws {
        let long = try RestorationIdentifier(validating: String(repeating: "x", count: 255))
        var tree = TestObject(long, [TestObject("last")])
        for _ in 1..<16 { tree = TestObject(long, [tree]) }
        let test = try TestScene.launched(tree)
        test.save()
        #expect(TreeSurvey(test.scene).entries().last?.omission == .pathTooLong)
    }

    @Test func `P1: an object of an application that does not save is listed with that reason`()
        throws
    {
        let test = try TestScene.launched(TestObject("nav"))
        test.delegate.saves = false
        test.save()
        #expect(TreeSurvey(test.scene).entries().map(\.omission) == [.applicationDoesNotSave])
    }

    @Test func `an object added since the last pass is listed as not yet saved`() throws {
        let root = TestObject("nav")
        let test = try TestScene.launched(root)
        test.save()
        root.add(TestObject("new"))
        #expect(TreeSurvey(test.scene).entries().map(\.omission) == [nil, .notYetSaved])
    }

    @Test func `each object is found at its address`() throws {
        let root = TestObject(
            "nav",
            [
                TestObject(nil, [TestObject("field", .view)]), TestObject(nil),
                TestObject("page", [TestObject(nil, .view, [TestObject("text", .view)])]),
                TestObject("\u{E9}"), TestObject("e\u{301}"),
            ])
        let test = try TestScene.launched(root)
        test.save()
        let survey = TreeSurvey(test.scene)
        let entries = survey.entries()
        #expect(entries.count == 8)
        for entry in entries {
            #expect(survey.object(at: entry.address) === entry.object, "\(entry.address)")
            #expect(survey.address(of: entry.object) == entry.address)
        }
    }

    @Test(arguments: [
        "", "/", "nav/", "/nav", "nav//page", "page", "nav/page~2", "nav/@TestObject",
    ])
    func `no object is found at an unknown address`(address: String) throws {
        let test = try TestScene.launched(TestObject("nav", [TestObject("page")]))
        #expect(TreeSurvey(test.scene).object(at: address) == nil)
        #expect(TreeSurvey(test.scene).address(of: TestObject("nav")) == nil)
    }

    @Test func `I5: addresses are compared byte by byte`() throws {
        let root = TestObject("nav", [TestObject("\u{E9}"), TestObject("e\u{301}")])
        let test = try TestScene.launched(root)
        test.save()
        let addresses = TreeSurvey(test.scene).entries().map { Array($0.address.utf8) }
        #expect(addresses.last == Array("nav/e\u{301}".utf8))
        #expect(TreeSurvey(test.scene).object(at: "nav/e\u{301}") === root.children[1])
    }

    @Test
    func `I3: a sibling that got its path later keeps its address when an equal sibling is added`()
        throws
    {
        let first = TestObject("page")
        let second = TestObject("page")
        let third = TestObject("page")
        let root = TestObject("nav", [first, second])
        let test = try TestScene.launched(root)
        test.save()
        first.leave()
        test.save()
        root.add(third)
        // The second object is now the last child.
        root.add(second)
        test.save()
        let survey = TreeSurvey(test.scene)
        #expect(survey.address(of: second) == "nav/page")
        #expect(survey.address(of: third) == "nav/page~2")
    }
}
