import StateRestoration
import Testing

@Suite struct PathIndexTests {
    @Test func `an object is not found below a second parent that no longer lists it`() throws {
        let shared = TestObject("x")
        let first = TestObject("p1", [shared])
        let second = TestObject("p2")
        second.additionalChild = shared
        let test = try TestScene.launched(TestObject("nav", [first, second]))
        test.save()
        #expect(test.archive.paths == ["nav", "nav/p1", "nav/p1/x", "nav/p2"])
        #expect(TreeSurvey(test.scene).object(at: "nav/p2/x") === shared)
        second.additionalChild = nil
        second.restoration.invalidateStructure()
        test.save()
        #expect(TreeSurvey(test.scene).object(at: "nav/p2/x") == nil)
        #expect(TreeSurvey(test.scene).object(at: "nav/p1/x") === shared)
    }
}
