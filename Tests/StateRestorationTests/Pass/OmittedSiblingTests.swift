import StateRestoration
import Testing

/// Siblings that are not preserved because they have the identifier of a preserved sibling (I3).
@Suite struct OmittedSiblingTests {
    @Test(arguments: [true, false])
    func `I3 and P7: references preserve omitted siblings that leave, alone or with their parent`(
        isParentKept: Bool
    ) throws {
        let omitted = [TestObject("a", value: 2), TestObject("b", value: 2)]
        let page = TestObject("page", [TestObject("a"), TestObject("b")] + omitted)
        let root = TestObject("nav", [page])
        root.encoding = { $0.encode(omitted, forKey: "omitted") }
        let test = try TestScene.launched(root)
        test.save()
        let pagePaths = ["nav/page", "nav/page/a", "nav/page/b"]
        #expect(test.archive.paths == ["nav"] + pagePaths)
        if isParentKept {
            for object in omitted { object.leave() }
        } else {
            page.leave()
        }
        test.save()
        #expect(test.archive.paths == ["a", "b", "nav"] + (isParentKept ? pagePaths : []))
        for path in ["a", "b"] {
            #expect(try test.archive.values(at: path)["value"] == .integer(2))
        }
        #expect(test.save(isFull: true)?.isEmpty == true)
    }

    @Test func `I3 and P7: an orphan that was an omitted sibling becomes an orphan again`() throws {
        let orphan = TestObject("a", value: 2)
        let page = TestObject("page", [TestObject("a", value: 1)])
        let root = TestObject("nav", [page])
        root.reference = orphan
        let test = try TestScene.launched(root)
        test.save()
        page.add(orphan)
        test.save()
        #expect(test.archive.paths == ["nav", "nav/page", "nav/page/a"])
        orphan.leave()
        test.save()
        #expect(test.archive.paths == ["a", "nav", "nav/page", "nav/page/a"])
        #expect(try test.archive.values(at: "a")["value"] == .integer(2))
    }

    @Test func `I3: every pair of siblings with the same identifier is reported`() throws {
        let identifiers: [RestorationIdentifier] = ["a", "b"]
        let siblings = (identifiers + identifiers).map { TestObject($0) }
        let test = try TestScene.launched(TestObject("nav", siblings))
        let expected = identifiers.map { identifier in
            PassDiagnostic.siblingsWithSameIdentifier(
                path: RestorationPath(["nav", identifier]), preservedClass: "TestObject",
                omittedClass: "TestObject")
        }
        #expect(test.save()?.diagnostics == expected)
    }

    @Test func `I3: omitted siblings are recorded for at most 1,000 parents`() throws {
        let parents = (0...1000).map { number in
            TestObject(
                RestorationIdentifier(recorded: "parent\(number)"),
                [TestObject("a"), TestObject("a")])
        }
        let test = try TestScene.launched(TestObject("nav", parents))
        test.save()
        #expect(test.scene.records.omissionDiagnostic != nil)
        for parent in parents.dropLast() { parent.children[1].leave() }
        test.save()
        #expect(test.scene.records.omissionDiagnostic == nil)
    }

    @Test func `I3: a preserved sibling keeps its address if an omitted sibling precedes it`()
        throws
    {
        let (earlier, late) = (TestObject("page"), TestObject("page"))
        let root = TestObject("nav", [TestObject("other"), earlier])
        let test = try TestScene.launched(root)
        test.save()
        root.add(late)
        // The earlier object is now the last child.
        root.add(earlier)
        test.save()
        let survey = TreeSurvey(test.scene)
        #expect(survey.address(of: earlier) == "nav/page")
        #expect(survey.address(of: late) == "nav/page~2")
        #expect(survey.object(at: "nav/page") === earlier)
        #expect(survey.object(at: "nav/page~2") === late)
    }
}
