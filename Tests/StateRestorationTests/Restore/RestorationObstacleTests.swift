import StateRecords
import Testing

@testable import StateRestoration

@Suite struct RestorationObstacleTests {
    private struct Reason: Error {}

    private static let origin = StoryboardOrigin(name: "Main", identifier: "child")
    private static let obstacles: [RestorationObstacle] = [
        .noObjectReturned(.restorationClassNil, by: "the delegate", Reason()),
        .noRestorationClass("Child"), .restorationIdentifierChanged(origin, "child", has: "kid"),
        .restorationIdentifierChanged(origin, "child", has: nil),
        .storyboardControllerMissing(origin),
        .storyboardChildMissing(origin, of: "nav"),
        .kindMismatch(savedKind: "view", foundKind: "view controller"),
        .differentClass(savedClass: "A", foundClass: "B"),
        .unknownClass(savedClass: "A", foundClass: "B"),
        .alreadyRestored(as: "nav", returnedBy: "the delegate"),
        .objectOfOtherScene("the delegate"),
        .ancestorNotRestored("nav"), .noParentRecord, .lowerStackMemberNotRestored("nav"),
        .lowerStackMemberNotRestored(nil),
        .notInObjectTree,
        .refusedByDelegate(savedBy: "2"), .decodingFailed("reason"),
    ]

    @Test(arguments: obstacles)
    func `R15: each obstacle says what to do`(obstacle: RestorationObstacle) {
        #expect(!obstacle.detail.hasSuffix("."))
        #expect(obstacle.remedy.hasSuffix("."))
        #expect(obstacle.remedy.first?.isUppercase == true)
    }

    @Test func `R15: a storyboard controller with a changed identifier is reported with a remedy`()
    {
        let other = RestorationObstacle.restorationIdentifierChanged(
            Self.origin, "child", has: "kid")
        #expect(
            other.detail
                == "the controller child of the storyboard Main has the restoration identifier kid now"
        )
        #expect(
            other.remedy
                == "Give it `restorationIdentifier: child` again, then run `reprisectl reload`.")
    }
}
