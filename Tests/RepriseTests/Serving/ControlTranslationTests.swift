import RepriseControl
import StateRestoration
import Testing

@testable import Preservation
@testable import Reprise

@Suite struct ControlTranslationTests {
    @Test func `each degree of safety has its word, and only the last one a reason`() {
        let replies = [Saved.durable, .written, .no(reason: "full")].map { SavedReply($0) }
        #expect(replies.map(\.saved) == [.durable, .written, .no])
        #expect(replies.map(\.notSavedReason) == [nil, nil, "full"])
    }

    @Test func `an application is told with its scenes and what was not restored`() {
        var report = RestorationReport(reason: .recover)
        report.recorded = 3
        report.restored = 2
        report.unrestored = [
            UnrestoredObject(path: "nav/x", code: .noObject, detail: "nothing makes it")
        ]
        let told = ApplicationDescription(
            ApplicationStatus(
                bundleIdentifier: "a", bundleVersion: "2", phase: .running,
                scenes: [SceneStatus(name: "main", report: report)], saved: .written,
                lastPass: 1_700_000_000_000_000, lastError: "once"))
        #expect(told.phase == .running)
        #expect(told.failure == nil)
        #expect(told.saved == .written)
        #expect(told.lastPass == "2023-11-14T22:13:20Z")
        #expect(told.lastError == "once")
        let scene = told.scenes[0]
        #expect(scene.name == "main")
        #expect(scene.launchReason == "recover")
        #expect(scene.recorded == 3)
        #expect(scene.restored == 2)
        #expect(scene.unrestored.map(\.path) == ["nav/x"])
        #expect(scene.unrestored.map(\.reason) == ["no-object"])
        #expect(scene.unrestored.map(\.detail) == ["nothing makes it"])
    }

    @Test func `each phase has its word, and a failure its reason`() {
        let phases: [ApplicationStatus.Phase] = [
            .stopped, .launching, .running, .failed(reason: "why"),
        ]
        let told = phases.map {
            ApplicationDescription(
                ApplicationStatus(
                    bundleIdentifier: "a", bundleVersion: "1", phase: $0, scenes: [],
                    saved: .durable, lastPass: nil, lastError: nil))
        }
        #expect(told.map(\.phase) == [.stopped, .launching, .running, .failed])
        #expect(told.map(\.failure) == [nil, nil, nil, "why"])
        #expect(told.map(\.lastPass) == [nil, nil, nil, nil])
    }

    @Test(arguments: [
        (
            ApplicationError.notRunning(application: "a"),
            ControlError.applicationNotRunning(application: "a")
        ),
        (.failed(application: "a", reason: "r"), .applicationFailed(application: "a", reason: "r")),
        (
            .noSuchScene(application: "a", scene: "s", scenes: ["main"]),
            .noSuchScene(application: "a", scene: "s")
        ),
        (.tooManyCommands(application: "a", limit: 9), .tooManyCommands(application: "a")),
        (.alreadyRunning(application: "a"), .applicationRunning(application: "a")),
        (
            .ending(application: "a"),
            .applicationFailed(application: "a", reason: "the daemon is ending")
        ),
    ])
    func `an application's error has its counterpart`(
        error: ApplicationError, expected: ControlError
    ) {
        #expect(ControlError(error) == expected)
    }

    @Test(arguments: [
        (Value.bool(true), StateJSON.bool(true)),
        (.null, .null),
        (.integer(.min), .integer(.min)),
        (.unsigned(.max), .string("18446744073709551615")),
        (.double(0.5), .double(0.5)),
        (.double(.infinity), .string("inf")),
        (.double(.nan), .string("nan")),
        (.string("wörld 🌍"), .string("wörld 🌍")),
        (.data([0, 1, 255]), .string("AAH/")),
        (.date(0), .string("2001-01-01T00:00:00Z")),
        (.url("file:///a"), .string("file:///a")),
        (.indexPath([1, 0]), .array([.integer(1), .integer(0)])),
        (.closedRange(1...3), .object(["first": .integer(1), "last": .integer(3)])),
        (
            .codable(#"{"a":[1,0.5,null]}"#),
            .object(["a": .array([.integer(1), .double(0.5), .null])])
        ),
        (.codable("[not JSON"), .string("[not JSON")),
        (.range(1..<3), .object(["lowerBound": .integer(1), "upperBound": .integer(3)])),
        (.array([.integer(1), .string("a")]), .array([.integer(1), .string("a")])),
        (.dictionary(["k": .bool(false)]), .object(["k": .bool(false)])),
        (.reference(nil), .object(["reference": .null])),
        (
            .reference(RestorationPath(["nav", "parent"])),
            .object(["reference": .string("nav/parent")])
        ),
        (
            .uuid([0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]),
            .string("00112233-4455-6677-8899-AABBCCDDEEFF")
        ),
    ])
    func `a stored value has its form in JSON`(value: Value, json: StateJSON) {
        #expect(StateJSON(value) == json)
    }
}
