import RepriseControl
import Testing
import Varlink

/// Output of `monitor`.
@Suite(.timeLimit(.minutes(10))) struct MonitorCommandTests {
    private static func reply(_ number: Int, _ state: ((inout Event) -> Void)? = nil)
        -> MonitorCall.Reply
    {
        .with {
            ($0.instance, $0.number) = ("i", number)
            if let state { $0.event = Event.with(state) }
        }
    }

    private static let events = Answer.replies([
        reply(1),
        reply(2) {
            ($0.time, $0.kind, $0.application, $0.scene) = ("noon", .changed, "a", "main")
            ($0.path, $0.values, $0.large) = (
                "nav", ["b": .integer(1), "a": .string("x")], ["d": 9, "c": 8]
            )
            $0.removed = ["z", "y"]
        },
        reply(3) {
            ($0.time, $0.kind, $0.application, $0.message) = ("one", .ended, "a", "it quit")
        },
        reply(4) {
            ($0.time, $0.kind, $0.application) = ("two", .generation, "a")
            ($0.generation, $0.message) = ("7", "added")
        },
        reply(5) {
            ($0.time, $0.kind, $0.application) = ("three", .exchanged, "a")
            ($0.generation, $0.message) = ("7", "went back to 7")
        },
    ])

    @Test func `each event is printed as one line`() async throws {
        let run = try await ProgramRun("monitor", answers: ["Monitor": Self.events])
        #expect(
            run.output == """
                noon  changed  a main nav  a: x; b: 1; c: a value of 8 bytes; d: a value of 9 bytes; \
                z: value removed; y: value removed
                one  ended  a  it quit
                two  generation  a  added; generation 7
                three  exchanged  a  went back to 7

                """)
        #expect(run.calls.count == 1)
        let json = try await ProgramRun(
            "--json monitor --count 2", answers: ["Monitor": Self.events])
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix(#"{"event":{"application":"a","kind":"changed""#) == true)
    }

    @Test(arguments: [1, 2, 3])
    func `--count stops monitor after a number of events`(count: Int) async throws {
        let run = try await ProgramRun(
            "monitor --count \(count)", answers: ["Monitor": Self.events])
        #expect(run.status == 0)
        #expect(run.output.split(separator: "\n").count == count)
    }

    @Test(arguments: ["--count 0", "--count -1", "--quiet", "--path="])
    func `invalid options are refused`(option: String) async throws {
        let run = try await ProgramRun("monitor \(option)")
        #expect(run.status == 2)
        #expect(run.calls == [])
    }

    @Test func `monitor reports missed events and continues with the next one`() async throws {
        let run = try await ProgramRun(
            "--app a monitor --kind changed --kind problem",
            answers: [
                "Monitor": .sequence([
                    .replies(
                        [Self.reply(1), Self.reply(2)], then: .eventsGone(instance: "j", number: 9)),
                    Self.events,
                ])
            ])
        #expect(run.status == 0)
        #expect(run.errors == "reprisectl: events were missed: known values may be outdated.\n")
        #expect(
            run.calls == [
                #"Monitor {"application":"a","kinds":["changed","problem"]},"more":true"#,
                #"Monitor {"after":9,"application":"a","instance":"j","kinds":["changed","problem"]},"more":true"#,
            ])
    }

    @Test func `monitor continues after the last event if the daemon restarts`() async throws {
        for end in [nil, ControlError.daemonEnding] {
            let first =
                end.map { Answer.replies([Self.reply(1), Self.reply(2)], then: $0) } ?? .closes
            let run = try await ProgramRun(
                "monitor --count 1", answers: ["Monitor": .sequence([first, Self.events])])
            #expect(run.status == 0)
            #expect(run.output.hasPrefix("noon  changed"))
            #expect(
                run.calls.last
                    == (end == nil
                        ? #"Monitor {},"more":true"#
                        : #"Monitor {"after":2,"instance":"i"},"more":true"#))
        }
        let refused = try await ProgramRun(
            "--app org.exmple monitor",
            answers: [
                "Monitor": .error(.noSuchApplication(application: "org.exmple")),
                "List": .reply(
                    ListCall.Reply(applications: [.with { $0.bundleIdentifier = "org.example" }])),
            ])
        #expect(refused.status == 1)
        #expect(refused.errors.hasSuffix("Did you mean org.example?\n"))
    }

    private static let list = Answer.reply(
        ListCall.Reply(applications: [
            .with {
                ($0.bundleIdentifier, $0.phase) = ("a", .running)
                $0.scenes = [
                    .with { ($0.name, $0.phase) = ("main", .running) },
                    .with { ($0.name, $0.phase) = ("side", .saved) },
                ]
            },
            .with {
                ($0.bundleIdentifier, $0.phase) = ("b", .running)
                $0.scenes = [.with { ($0.name, $0.phase) = ("third", .running) }]
            },
        ]))
    private static let tree = Answer.reply(
        TreeCall.Reply(objects: [.with { $0.path = "nav" }, .with { $0.path = "nav/page" }]))

    @Test(
        arguments: [
            ("--scene main", nil), ("--scene side", nil), ("--scene third", nil),
            (
                "--scene thrid",
                "there is no scene thrid now; monitor waits for it. Did you mean third?"
            ),
            ("--scene zzzzzz", "there is no scene zzzzzz now; monitor waits for it."),
            ("--app a --scene third", "there is no scene third now; monitor waits for it."),
            ("--app c --scene third", nil), ("--path nav", nil), ("--path nav/page", nil),
            (
                "--path nva/page",
                "there is no object at nva/page now; monitor waits for it. Did you mean nav/page?"
            ),
            ("--scene side --path nva", nil), ("", nil),
            (
                "--app b --scene third --path x",
                "there is no object at x now; monitor waits for it."
            ),
        ] as [(String, String?)])
    func `monitor reports a missing scene or object and waits for it`(
        options: String, message: String?
    )
        async throws
    {
        let run = try await ProgramRun(
            "monitor \(options)",
            answers: ["Monitor": Self.events, "List": Self.list, "Tree": Self.tree])
        #expect(run.status == 0)
        #expect(run.errors == (message.map { "reprisectl: \($0)\n" } ?? ""))
        // A scene that is not running is not launched.
        #expect(!run.calls.contains { $0.contains("Tree") && $0.contains("side") })
        #expect(run.calls.contains { $0.contains("List") } == !options.isEmpty)
    }

    @Test func `an object is not reported as missing if not all scenes could be searched`()
        async throws
    {
        let run = try await ProgramRun(
            "monitor --path x",
            answers: [
                "Monitor": Self.events, "List": Self.list,
                "Tree": .sequence([Self.tree, .silence]),
            ])
        #expect(run.status == 0)
        #expect(run.errors == "")
        // On a busy machine, the search can end before the second scene.
        #expect(run.calls.count { $0.hasPrefix("Tree ") } <= 2)
    }

    @Test func `monitor fails if the daemon is stopping for longer than the timeout`()
        async throws
    {
        let run = try await ProgramRun(
            "--timeout 3s monitor", answers: ["Monitor": .error(.daemonEnding)])
        #expect(run.status == 1)
        #expect(run.calls.count > 1)
    }
}
