import StateRecords
import Testing

@testable import StateRestoration

@Suite struct RestorationObstacleTests {
    private struct Reason: Error {}

    private static let origin = StoryboardOrigin(name: "Main", identifier: "child")
    private static let obstacles: [RestorationObstacle] = [
        .declined(.restorationClassNil, by: "the delegate", Reason()),
        .noRestorationClass("Child"), .otherIdentifier(origin, "child", has: "kid"),
        .otherIdentifier(origin, "child", has: nil), .noController(origin),
        .noChild(origin, of: "nav"), .otherKind(savedKind: "view", foundKind: "view controller"),
        .otherClass(savedClass: "A", foundClass: "B"), .noClass(savedClass: "A", foundClass: "B"),
        .alreadyRestored(as: "nav", returnedBy: "the delegate"), .otherScene("the delegate"),
        .ancestorNotRestored("nav"), .noParentRecord, .lowerStackMemberNotRestored("nav"),
        .lowerStackMemberNotRestored(nil),
        .notInObjectTree,
        .refused(savedBy: "2"), .notDecoded("reason"),
    ]

    @Test(arguments: obstacles)
    func `R15: each obstacle says what to do`(obstacle: RestorationObstacle) {
        #expect(!obstacle.detail.hasSuffix("."))
        #expect(obstacle.remedy.hasSuffix("."))
        #expect(obstacle.remedy.first?.isUppercase == true)
    }

    @Test func `R15: a storyboard controller with a changed identifier is reported with a remedy`()
    {
        let other = RestorationObstacle.otherIdentifier(Self.origin, "child", has: "kid")
        #expect(
            other.detail
                == "the controller child of the storyboard Main has the restoration identifier kid now"
        )
        #expect(
            other.remedy
                == "Give it `restorationIdentifier: child` again, then run `reprisectl reload`.")
    }
}
