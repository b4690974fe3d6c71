import StateRestoration
import Testing

/// A controller whose children exist before the controller has loaded them.
private final class UnloadedController: StateRestoring {
    let restoration = RestorationNode()
    let pendingChildren: [TestObject]

    var restorationKind: RestorationKind { .viewController }

    init(_ pendingChildren: [TestObject]) { self.pendingChildren = pendingChildren }

    func forEachPendingChild(_ body: (any StateRestoring) -> Void) {
        for child in pendingChildren { body(child) }
    }
}

@Suite struct AddressTests {
    @Test(arguments: ["nav/page~0", "nav/page~1", "nav/page~02", "nav/page~3", "nav/page~"])
    func `only the number of a sibling after the first sibling is part of an address`(
        address: String
    ) throws {
        let root = TestObject("nav", [TestObject("page"), OtherObject("page")])
        let test = try TestScene.launched(root)
        test.save()
        let survey = TreeSurvey(test.scene)
        #expect(survey.object(at: "nav/page") === root.children[0])
        #expect(survey.object(at: "nav/page~2") === root.children[1])
        #expect(survey.object(at: address) == nil)
    }

    @Test func `P21: all children that are not loaded yet are found without loading them`() throws {
        let children = [TestObject("a"), TestObject("b", [TestObject("below")])]
        let controller = UnloadedController(children)
        let test = try TestScene.launched(nil)
        try test.scene.registerObject(
            forStateRestoration: controller, restorationIdentifier: "controller")
        test.save()
        let survey = TreeSurvey(test.scene)
        for (address, object) in [
            ("controller/a", children[0]), ("controller/b", children[1]),
            ("controller/b/below", children[1].children[0]),
        ] {
            let objects = survey.objectsOnPath(to: address, loadsViews: false)
            #expect(objects.isComplete)
            #expect(objects.entries.last?.object === object)
        }
        #expect(!survey.objectsOnPath(to: "controller/c", loadsViews: false).isComplete)
        withExtendedLifetime(controller) {}
    }

    @Test func `R16: a live object does not hide that a record is below an unclaimed record`()
        throws
    {
        let saved = try TestScene.launched(TestObject("nav", [TestObject("page")]))
        saved.save()
        let test = try TestScene.launched(
            TestObject("nav", [TestObject("in")]), archive: saved.archive)
        test.save()
        func explanation(_ path: String) -> Explanation {
            ObjectExplainer(test.scene).explanation(of: path, passMetadata: .test)
        }
        #expect(explanation("nav/page").unclaimedRecord?.failedLaunchCount == 1)
        #expect(explanation("nav/page/in").unclaimedRecord == nil)
        #expect(explanation("nav/in").unclaimedRecord == nil)
    }
}
