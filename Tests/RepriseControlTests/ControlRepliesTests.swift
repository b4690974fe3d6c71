import Testing
import Varlink

@testable import RepriseControl

@Suite struct ControlRepliesTests {
    private static let scene = SceneDescription(
        name: "main", phase: .running, launchReason: "recover", recorded: 3, restored: 2,
        unrestored: 1)
    private static let lost = UnrestoredDescription(
        path: "nav/x", reason: "no-object", detail: "nothing makes it")

    /// A story with everything in it.
    private static var told: ExplainReply {
        var reply = ExplainReply(path: "nav/x", launchReason: "recover", story: ["A sentence."])
        reply.live = true
        reply.class = "TextField"
        reply.reason = "nav, above it, has no restoration identifier"
        reply.gap = "nav"
        reply.recordedPath = "x"
        reply.values = 2
        reply.bytes = 57
        reply.problems = ["a problem"]
        reply.encodeFailure = "why"
        reply.unrestored = lost
        reply.expired = true
        reply.unclaimedLaunches = 3
        return reply
    }

    private static func application(_ phase: ApplicationDescription.Phase) -> ApplicationDescription
    {
        ApplicationDescription(
            bundleIdentifier: "org.example.A", bundleVersion: "1", phase: phase,
            failure: phase == .failed ? "why" : nil,
            scenes: phase == .running
                ? [
                    scene, SceneDescription(name: "other", phase: .saved),
                    SceneDescription(
                        name: "slow", phase: .restoring, launchReason: "restore",
                        superfluousCompletions: 1, timedOut: true),
                    SceneDescription(name: "bad", phase: .failed, failure: "why"),
                ] : [],
            saved: phase == .failed ? .no : .durable,
            notSavedReason: phase == .failed ? "full" : nil,
            lastPass: phase == .running ? "2026-01-01T00:00:00Z" : nil,
            lastError: phase == .failed ? "why" : nil,
            lastErrorTime: phase == .failed ? "2026-01-01T00:00:00Z" : nil)
    }

    static let replies: [(ControlMethod, any Encodable & Sendable)] = [
        (
            .history,
            HistoryReply(generations: [
                GenerationDescription(
                    name: "000001", path: "/h/000001.archive", time: "2026-01-01T00:00:00Z",
                    reason: "it was asked for", bytes: 7, bundleVersions: ["1", "2"], objects: 3,
                    problem: nil),
                GenerationDescription(
                    name: "000002", path: "/h/000002.archive", time: "2026-01-01T00:00:00Z",
                    reason: nil, bytes: 0, bundleVersions: [], objects: 0, problem: "Why."),
            ])
        ),
        (
            .diff,
            DiffReply(
                from: "000001", to: "000002",
                differences: DifferenceDescription.Kind.allCases.map {
                    DifferenceDescription(
                        scene: "main", path: "nav", kind: $0, key: "text", from: .null,
                        to: .array([.integer(1)]))
                } + [DifferenceDescription(scene: "main", path: nil, kind: .appeared)],
                unlisted: 7, problems: ["Why."])
        ),
        (
            .quarantine,
            QuarantineReply(quarantined: [
                QuarantinedDescription(
                    name: "000001-main.archive", path: "/q/000001-main.archive", reason: "Why.",
                    time: "2026-01-01T00:00:00Z", bytes: 7),
                QuarantinedDescription(
                    name: "x", path: "/q/x", kind: .link, reason: nil, time: nil, bytes: 0),
            ])
        ),
        (
            .quarantinePutBack,
            PutBackReply(
                scenes: ["main"], generation: "/h/000001.archive", shortfall: "why",
                saved: SavedReply(saved: .no, notSavedReason: "full"))
        ),
        (
            .rollback,
            ReplacedReply(
                scenes: ["main"], generation: "/h/000001.archive",
                saved: SavedReply(saved: .durable, notSavedReason: nil))
        ),
        (
            .reset,
            ReplacedReply(
                scenes: ["main"], generation: nil,
                saved: SavedReply(saved: .no, notSavedReason: "full"))
        ),
        (
            .status,
            StatusReply(
                version: "0.1.0", processIdentifier: 7, stateDirectory: "/var/lib/reprise",
                applications: [
                    application(.stopped), application(.launching), application(.running),
                    application(.failed),
                ])
        ),
        (
            .status,
            StatusReply(
                version: "0.1.0", processIdentifier: 7, stateDirectory: "/s",
                configurationError: "/c:1:1: wrong\n/c:2:1: wrong",
                waitingForRestart: ["control.socket"],
                notWatched: [.init(path: "/c", reason: "nfs")], applications: [])
        ),
        (.reload, ReloadReply(changed: ["log.level"], waiting: [])),
        (
            .list,
            ListReply(applications: [
                .init(
                    bundleIdentifier: "org.example.A", phase: .running,
                    scenes: [.init(name: "main", phase: .running), .init(name: "b", phase: .saved)])
            ])
        ),
        (.show, ShowReply(text: "┌─┐\n└─┘")),
        (
            .tree,
            TreeReply(objects: [
                .init(path: "nav", class: "NavigationController", preserved: true, reason: nil),
                .init(path: "@p", class: "ViewController", preserved: false, reason: "no id"),
            ])
        ),
        (.get, GetReply(value: .string("text"))),
        (.get, GetReply(value: .array([.null, .object(["a": .integer(1)])]))),
        (
            .get,
            GetReply(values: ["text": .string("a"), "range": .array([.null]), "flag": .bool(true)])
        ),
        (.type, SavedReply(saved: .durable)),
        (.type, SavedReply(saved: .written)),
        (.select, SavedReply(saved: .no, notSavedReason: "the disk is full")),
        (.tap, SavedReply(saved: .durable)),
        (.edit, SavedReply(saved: .durable)),
        (.move, SavedReply(saved: .durable)),
        (.delete, SavedReply(saved: .durable)),
        (.scroll, SavedReply(saved: .durable)),
        (.zoom, SavedReply(saved: .durable)),
        (.load, SavedReply(saved: .durable)),
        (.back, SavedReply(saved: .durable)),
        (.forward, SavedReply(saved: .durable)),
        (.dismiss, SavedReply(saved: .durable)),
        (.report, ReportReply(scene: "main", launchReason: "pristine")),
        (
            .report,
            ReportReply(
                scene: "main", launchReason: "recover", recorded: 3, restored: 2,
                unrestored: [lost], duplicates: [lost], unclaimed: 1, expired: ["nav/y"],
                unlisted: 4, refused: true, timedOut: true, superfluousCompletions: 2)
        ),
        (.explain, ExplainReply(path: "nav/x", launchReason: "pristine", story: [])),
        (.explain, told),
        (.open, SavedReply(saved: .durable)),
        (.close, SavedReply(saved: .no, notSavedReason: "the application does not save")),
        (.debugExit, Empty()),
        (.debugTrap, Empty()),
        (.preserve, SavedReply(saved: .durable)),
        (.quit, SavedReply(saved: .no, notSavedReason: "the disk is full")),
        (.launch, LaunchReply(scenes: [scene])),
    ]

    @Test(arguments: replies.indices)
    func `a reply is what the definition says`(index: Int) throws {
        let (method, reply) = Self.replies[index]
        let interface = try ControlInterface.definition()
        let defined = try #require(interface.method(named: method.rawValue))
        #expect(try interface.invalidParameter(in: JSON.bytes(reply), for: defined.reply) == nil)
    }

    @Test func `every method's reply is among those that are checked`() {
        #expect(Set(Self.replies.map(\.0)) == Set(ControlMethod.allCases))
    }

    @Test func `the words of safety and phase are those of the definition`() throws {
        func words(_ type: String) throws -> [String]? {
            guard
                case .enumeration(let words) = try ControlInterface.definition()
                    .type(named: type)?.type
            else { return nil }
            return words.map(\.name)
        }
        #expect(try words("SaveLevel") == ["durable", "written", "no"])
        #expect(try words("SaveLevel")?.contains { SaveLevel(rawValue: $0) == nil } == false)
        let phases = try words("ApplicationPhase")
        #expect(phases == ["stopped", "launching", "running", "failed"])
        #expect(
            phases?.contains { ApplicationDescription.Phase(rawValue: $0) == nil } == false)
        let states = try words("ScenePhase")
        #expect(states == ["saved", "restoring", "running", "failed"])
        #expect(states?.contains { SceneDescription.Phase(rawValue: $0) == nil } == false)
    }

    @Test func `a reply without a reason leaves the field out`() throws {
        #expect(try JSON.text(SavedReply(saved: .durable)) == #"{"saved":"durable"}"#)
        #expect(try JSON.text(GetReply(value: .integer(1))) == #"{"value":1}"#)
    }

    @Test func `a status survives the way over the wire`() throws {
        let reply = StatusReply(
            version: "0.1.0", processIdentifier: 7, stateDirectory: "/s",
            applications: [Self.application(.running), Self.application(.failed)])
        let text = try JSON.text(reply)
        #expect(try JSON.text(JSON.decode(StatusReply.self, text)) == text)
    }
}
