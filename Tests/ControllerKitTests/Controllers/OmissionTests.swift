import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct OmissionTests {
    @Test func `P6: an object below an omitted sibling names that sibling as the reason`() throws {
        let parent = ViewController.named("parent")
        for _ in 1...2 {
            let twin = FieldController.named("twin")
            parent.addChild(twin)
            twin.loadViewIfNeeded()
        }
        let scene = try #require(try saved(parent).scene)
        let omissions = Dictionary(
            uniqueKeysWithValues: TreeSurvey(scene).entries().map { ($0.address, $0.omission) })
        #expect(omissions["parent/twin/field"] == .some(nil))
        #expect(omissions["parent/twin~2"] == .siblingHasSameIdentifier)
        #expect(omissions["parent/twin~2/field"] == .ancestorOmitted(address: "parent/twin~2"))
    }
}
