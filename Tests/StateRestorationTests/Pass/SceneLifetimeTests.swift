import Testing

@testable import StateRestoration

/// Objects that outlive their scene, and scenes that have ended.
@Suite struct SceneLifetimeTests {
    @Test func `an object that outlives its scene has neither a scene nor a parent`() throws {
        let child = TestObject("child")
        weak var records: SceneRecords?
        do {
            let test = try TestScene.launched(TestObject("nav", [child]))
            test.save()
            records = test.scene.records
            #expect(child.restoration.records === records)
            #expect(child.restoration.parentNode != nil)
        }
        #expect(records == nil)
        #expect(child.restoration.records == nil)
        #expect(child.restoration.parentNode == nil)
    }

    @Test func `a scene that has ended requests no pass`() throws {
        let test = try TestScene.launched(TestObject("nav"))
        test.save()
        var requestCount = 0
        test.scene.records.onPassNeeded = { requestCount += 1 }
        test.scene.records.resetNodes()
        test.scene.invalidateApplicationState()
        #expect(requestCount == 0)
    }

    @Test func `a scene that has ended releases the objects whose changes were not saved`() throws {
        let parents = [TestObject("a"), TestObject("b")]
        let test = try TestScene.launched(TestObject("nav", parents))
        test.save()
        for parent in parents { parent.leaveReportingChange() }
        test.save()
        #expect(test.archive.paths == ["nav"])
        weak var gone: TestObject?
        do {
            let child = TestObject("child")
            gone = child
            for parent in parents {
                parent.addReportingChange(child)
                child.leaveReportingChange()
            }
        }
        #expect(gone != nil)
        test.scene.records.resetNodes()
        #expect(gone == nil)
        for parent in parents { #expect(parent.restoration.records == nil) }
        withExtendedLifetime(test) {}
    }
}
