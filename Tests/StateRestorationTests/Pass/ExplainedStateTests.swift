import StateRestoration
import Testing

@Suite struct ExplainedStateTests {
    private func explanation(_ test: TestScene, _ path: String) -> Explanation {
        ObjectExplainer(test.scene).explanation(of: path, passMetadata: .test)
    }

    @Test func `I1: an explanation of an object without an identifier contains no path`() throws {
        let test = try TestScene.launched(TestObject("nav", [TestObject(nil)]))
        test.save()
        let story = explanation(test, "nav/@TestObject")
        #expect(story.isObjectKnown)
        #expect(story.path == nil)
        #expect(!story.sentences.contains { $0.hasPrefix("It is saved as") })
    }

    @Test func `R16: a container that is no longer preserved keeps no references`() throws {
        func tree(_ members: [TestObject]) -> TestObject {
            TestObject("nav", [StackObject("stack", members)])
        }
        let first = try TestScene.launched(tree([TestObject("a"), TestObject("b")]))
        first.save()
        let root = tree([TestObject("a")])
        let test = try TestScene.launched(root, archive: first.archive)
        #expect(test.unrestored == ["nav/stack/b: no-object"])
        test.save()
        #expect(explanation(test, "nav/stack").retainsUnresolvedReferences)
        root.children[0].restoration.identifier = nil
        test.save()
        let story = explanation(test, "nav/@StackObject")
        #expect(story.isObjectKnown)
        #expect(!story.retainsUnresolvedReferences)
    }

    @Test func `L5: an object whose identifier looks like an unknown path is not damaged`() throws {
        let identifier = RestorationIdentifier(recorded: UnrestoredObject.unknownPath)
        let object = TestObject(nil, .object)
        let first = try TestScene.launched(TestObject("nav")) {
            $0.launching = {
                try $0.registerObject(
                    forStateRestoration: object, restorationIdentifier: identifier)
            }
        }
        first.save()
        let test = try TestScene.launched(TestObject("nav"), archive: first.archive)
        #expect(test.report.unrestored.map(\.path) == [UnrestoredObject.unknownPath])
        #expect(!explanation(test, "nav").hasUnidentifiedLosses)
        withExtendedLifetime(object) {}
    }

    @Test func `an object that changes while a search loads its view is saved`() throws {
        let page = TestObject("page", value: 1)
        let test = try TestScene.launched(TestObject("nav", [page]))
        test.save()
        page.loading = { [unowned page] in page.change(to: 5) }
        #expect(TreeSurvey(test.scene).object(at: "nav/page") === page)
        #expect(test.scene.needsPass)
        test.save()
        #expect(try test.archive.values(at: "nav/page")["value"] == .integer(5))
    }
}
