import FoundationEssentials
import Preservation
import RepriseControl
import StateRestoration
import Testing
import Varlink

@testable import Reprise

@Suite struct ControlReplyConversionsTests {
    @Test func `each durability level is translated, and only the level no has a reason`() {
        let replies = [DurabilityLevel.durable, .written, .notSaved(reason: "full")].map {
            TypeCall.Reply($0)
        }
        #expect(replies.map(\.saved) == [.durable, .written, .no])
        #expect(replies.map(\.notSavedReason) == [nil, nil, "full"])
    }

    @Test func `an application is described with its scenes and the number of unrestored objects`()
    {
        var report = RestorationReport(reason: .recover)
        report.recorded = 3
        report.restored = 2
        report.unrestored = [
            UnrestoredObject(path: "nav/x", code: .noObject, detail: "nothing makes it")
        ]
        var status = ApplicationStatus(
            bundleIdentifier: "a", bundleVersion: "2", phase: .running,
            scenes: [SceneStatus(name: "main", report: report)], saved: .written,
            lastPass: Date(timeIntervalSince1970: 1_700_000_000), lastError: "once",
            lastErrorTime: Date(timeIntervalSince1970: 1_600_000_000))
        status.notDurableDuration = .milliseconds(61_900)
        status.interval = .milliseconds(500)
        status.isUnsavedByOptOut = true
        let description = ApplicationDescription(status)
        #expect(description.notDurableSeconds == 61)
        #expect(description.preservationInterval == 0.5)
        #expect(description.unwanted)
        #expect(description.phase == .running)
        #expect(description.failure == nil)
        #expect(description.saved == .written)
        #expect(description.lastPass == "2023-11-14T22:13:20Z")
        #expect(description.lastError == "once")
        #expect(description.lastErrorTime == "2020-09-13T12:26:40Z")
        let scene = description.scenes[0]
        #expect(scene.name == "main")
        #expect(scene.launchReason == "recover")
        #expect(scene.recorded == 3)
        #expect(scene.restored == 2)
        #expect(scene.unrestored == 1)
        #expect(scene.phase == .running)
        // The number is never negative.
        report.restored = 5
        status.scenes = [SceneStatus(name: "main", report: report)]
        #expect(ApplicationDescription(status).scenes.map(\.unrestored) == [0])
    }

    @Test func `R13, S3: each scene phase and the misuse of launch extensions are translated`() {
        let report = RestorationReport(reason: .restore)
        var misused = report
        misused.superfluousCompletions = 2
        misused.hasTimedOut = true
        let descriptions = [
            SceneStatus(name: "a", phase: .saved),
            SceneStatus(name: "b", phase: .restoring, report: report),
            SceneStatus(name: "c", report: misused, omission: "two are a/b"),
            SceneStatus(name: "d", phase: .failed(reason: "why")),
        ].map { SceneDescription($0) }
        #expect(descriptions.map(\.phase) == [.saved, .restoring, .running, .failed])
        #expect(descriptions.map(\.launchReason) == [nil, "restore", "restore", nil])
        #expect(descriptions.map(\.failure) == [nil, nil, nil, "why"])
        #expect(descriptions.map(\.superfluousCompletions) == [0, 0, 2, 0])
        #expect(descriptions.map(\.timedOut) == [false, false, true, false])
        #expect(descriptions.map(\.omission) == [nil, nil, "two are a/b", nil])
    }

    @Test func `R15: a report is translated completely`() throws {
        var report = RestorationReport(reason: .recover)
        report.recorded = 3
        report.restored = 1
        report.unrestored = [
            UnrestoredObject(path: "nav/x", code: .noObject, detail: "nothing makes it")
        ]
        report.duplicates = [
            UnrestoredObject(path: "nav/y", code: .duplicatePath, detail: "two of them")
        ]
        report.unclaimed = 1
        report.expired = ["nav/z"]
        report.expiring = ["nav/last"]
        report.gone = ["nav/gone"]
        report.precedingDeath = "it died"
        report.unlisted = 4
        report.isRefused = true
        report.superfluousCompletions = 5
        report.hasTimedOut = true
        let reply = ReportCall.Reply("main", report)
        #expect(reply.scene == "main")
        #expect(reply.launchReason == "recover")
        #expect(reply.recorded == 3)
        #expect(reply.restored == 1)
        #expect(
            reply.unrestored == [
                .with {
                    $0.path = "nav/x"
                    $0.reason = "no-object"
                    $0.detail = "nothing makes it"
                }
            ])
        #expect(
            reply.duplicates == [
                .with {
                    $0.path = "nav/y"
                    $0.reason = "duplicate-path"
                    $0.detail = "two of them"
                }
            ])
        #expect(reply.unclaimed == 1)
        #expect(reply.expired == ["nav/z"])
        #expect(reply.expiring == ["nav/last"])
        #expect(reply.gone == ["nav/gone"])
        #expect(reply.precedingDeath == "it died")
        #expect(reply.unlisted == 4)
        #expect(reply.refused)
        #expect(reply.timedOut)
        #expect(reply.superfluousCompletions == 5)
    }

    @Test func `each application phase is translated, and a failure has its reason`() {
        let phases: [ApplicationStatus.Phase] = [
            .stopped, .launching, .running, .failed(reason: "why"),
        ]
        let descriptions = phases.map {
            ApplicationDescription(
                ApplicationStatus(
                    bundleIdentifier: "a", bundleVersion: "1", phase: $0, scenes: [],
                    saved: .durable, lastPass: nil, lastError: nil))
        }
        #expect(descriptions.map(\.phase) == [.stopped, .launching, .running, .failed])
        #expect(descriptions.map(\.failure) == [nil, nil, nil, "why"])
        #expect(descriptions.map(\.lastPass) == [nil, nil, nil, nil])
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
        (
            .sceneExists(application: "a", scene: "s"), .sceneExists(application: "a", scene: "s")
        ),
        (
            .invalidSceneName(application: "a", scene: "s", reason: "r"),
            .invalidSceneName(application: "a", scene: "s", reason: "r")
        ),
        (
            .sceneFailed(application: "a", scene: "s", reason: "r"),
            .sceneFailed(application: "a", scene: "s", reason: "r")
        ),
        (
            .sceneNotLaunched(application: "a", scene: "s"),
            .sceneNotLaunched(application: "a", scene: "s")
        ),
        (
            .sceneNotSaved(application: "a", scene: "s", reason: "r"),
            .sceneNotSaved(application: "a", scene: "s", reason: "r")
        ),
        (
            .stateNotRemoved(application: "a", reason: "r"),
            .stateNotRemoved(application: "a", reason: "r")
        ),
        (.alreadyRunning(application: "a"), .applicationRunning(application: "a")),
        (
            .ending(application: "a"),
            .applicationFailed(
                application: "a", reason: "it was quit permanently, or the daemon is stopping")
        ),
        (
            .historyUnreadable(application: "a", reason: "r"),
            .historyUnreadable(application: "a", reason: "r")
        ),
        (
            .noSuchGeneration(application: "a", generation: "g", generations: ["1", "2"]),
            .noSuchGeneration(application: "a", generation: "g", generations: ["1", "2"])
        ),
        (
            .generationUnreadable(application: "a", generation: "g", reason: "r"),
            .generationUnreadable(application: "a", generation: "g", reason: "r")
        ),
        (
            .quarantineUnreadable(application: "a", reason: "r"),
            .quarantineUnreadable(application: "a", reason: "r")
        ),
        (
            .notInQuarantine(application: "a", name: "n"),
            .notInQuarantine(application: "a", name: "n")
        ),
        (
            .notPutBack(application: "a", name: "n", cause: .newerFormat, reason: "r"),
            .notPutBack(application: "a", name: "n", cause: "newer-format", reason: "r")
        ),
        (
            .notRolledBack(application: "a", generation: "g", cause: .damaged, reason: "r"),
            .notRolledBack(application: "a", generation: "g", cause: "damaged", reason: "r")
        ),
        (
            .notReset(application: "a", cause: .unreadable, reason: "r"),
            .notReset(application: "a", cause: "unreadable", reason: "r")
        ),
        (.notReloaded(application: "a", reason: "r"), .notReloaded(application: "a", reason: "r")),
    ])
    func `each application error is translated to a control error`(
        error: ApplicationError, expected: ControlError
    ) {
        #expect(ControlError(error) == expected)
    }

    @Test(arguments: [
        (StoredValue.bool(true), StateJSON.bool(true)),
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
            .uuid([0, 15, 16, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]),
            .string("000F1033-4455-6677-8899-AABBCCDDEEFF")
        ),
    ])
    func `each stored value is translated to JSON`(value: StoredValue, json: StateJSON) {
        #expect(StateJSON(value) == json)
    }

    @Test func `R15: a report lists every object with a duplicate path`() {
        var report = RestorationReport(reason: .restore)
        report.duplicates = ["nav/x", "nav/y"].map {
            UnrestoredObject(path: $0, code: .duplicatePath, detail: "two of them")
        }
        #expect(ReportCall.Reply("main", report).duplicates.map(\.path) == ["nav/x", "nav/y"])
    }
}
