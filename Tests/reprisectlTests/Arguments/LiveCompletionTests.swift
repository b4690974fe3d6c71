import RepriseControl
import Testing
import Varlink

/// Completions for a word of the command line, with names from the daemon.
@Suite(.timeLimit(.minutes(10))) struct LiveCompletionTests {
    private static let answers = [
        "List": Answer.reply(
            ListCall.Reply(applications: [
                .with {
                    ($0.bundleIdentifier, $0.phase) = ("org.a", .running)
                    $0.scenes = [
                        .with { ($0.name, $0.phase) = ("first", .saved) },
                        .with { ($0.name, $0.phase) = ("main", .running) },
                        .with { ($0.name, $0.phase) = ("side", .running) },
                    ]
                },
                .with {
                    ($0.bundleIdentifier, $0.phase) = ("org.b", .stopped)
                    $0.scenes = [.with { ($0.name, $0.phase) = ("other", .running) }]
                },
            ])),
        "Tree": .reply(
            TreeCall.Reply(objects: [.with { $0.path = "nav" }, .with { $0.path = "nav/x" }])),
        "Get": .reply(GetCall.Reply.with { $0.values = ["text": .null, "row": .null] }),
        "Commands": .reply(
            CommandsCall.Reply(commands: [.with { $0.name = "stop" }, .with { $0.name = "retry" }])),
        "History": .reply(
            HistoryCall.Reply.with {
                $0.generations = [.with { $0.name = "1" }, .with { $0.name = "2" }]
            }),
        "Quarantine": .reply(
            QuarantineCall.Reply(quarantined: [.with { $0.name = "q1" }, .with { $0.name = "q2" }])),
    ]

    /// Returns the completions for the word at an index.
    private func completed(
        _ command: String, _ argument: String, _ line: [String], at index: Int? = nil,
        shell: String = "fish", answers: [String: Answer] = answers
    ) async throws -> ProgramRun {
        try await ProgramRun(
            ["---completion"] + command.split(separator: " ").map(String.init)
                + ["--", argument, "\(index ?? line.count + 1)", "0", "reprisectl"] + line + [""],
            answers: answers, environment: ["SAP_SHELL": shell])
    }

    @Test(arguments: [
        ("open", "positional@0", "open", "first", "List {}"),
        ("close", "positional@0", "close", "main side", "List {}"),
        ("close", "positional@0", "--app org.b close", "other", "List {}"),
        ("close", "positional@0", "--app=org.b close", "other", "List {}"),
        ("close", "positional@0", "--app = org.b close", "other", "List {}"),
        ("close", "positional@0", "--app org.c close", "", "List {}"),
        ("show", "--app", "show --app", "org.a org.b", "List {}"),
        ("show", "--scene", "show --scene", "first main side", "List {}"),
        (
            "get", "positional@0", "get", "nav nav/x",
            #"Tree {"application":"org.a","scene":"main"}"#
        ),
        (
            "get", "positional@0", "--scene side get", "nav nav/x",
            #"Tree {"application":"org.a","scene":"side"}"#
        ),
        (
            "get", "positional@0", "--json --scene=side get -q", "nav nav/x",
            #"Tree {"application":"org.a","scene":"side"}"#
        ),
        ("get", "positional@0", "--scene first get", "", "List {}"),
        ("get", "positional@0", "--app org.b get", "", "List {}"),
        (
            "get", "positional@1", "get nav", "row text",
            #"Get {"application":"org.a","path":"nav","scene":"main"}"#
        ),
        (
            "get", "positional@1", "get 'a b'", "row text",
            #"Get {"application":"org.a","path":"a b","scene":"main"}"#
        ),
        (
            "get", "positional@1", "get 'a", "row text",
            #"Get {"application":"org.a","path":"'a","scene":"main"}"#
        ),
        (
            "get", "positional@1", "get a=b", "row text",
            #"Get {"application":"org.a","path":"a=b","scene":"main"}"#
        ),
        (
            "call", "positional@1", "call --timeout 5s nav", "stop retry",
            #"Commands {"application":"org.a","path":"nav","scene":"main"}"#
        ),
        (
            "rollback", "positional@0", "--app org.b rollback", "1 2",
            #"History {"application":"org.b"}"#
        ),
        ("quarantine put-back", "positional@0", "quarantine put-back", "q1 q2", "Quarantine {}"),
    ])
    func `completions come from the application and scene that the line specifies`(
        command: String, argument: String, line: String, names: String, call: String
    ) async throws {
        let words =
            line.contains("'a b'")
            ? ["get", "'a b'"] : line.split(separator: " ").map(String.init)
        let run = try await completed(command, argument, words)
        #expect(run.output.split(separator: "\n").joined(separator: " ") == names)
        #expect(run.errors == "")
        #expect(run.calls.last == call)
    }

    @Test func `options after the completed word apply`() async throws {
        let run = try await completed(
            "close", "positional@0", ["close", "", "--no-pager", "--app", "org.b"], at: 2)
        #expect(run.output == "other\n")
        let first = try await completed(
            "close", "positional@0", ["--app", "org.a", "close", "", "--app", "org.b"], at: 4)
        #expect(first.output == "main\nside\n")
        let joined = try await completed(
            "close", "positional@0", ["close", "", "--app=org.b"], at: 2)
        #expect(joined.output == "other\n")
        let remote = try await completed(
            "close", "positional@0", ["close", "", "-H", "far"], at: 2)
        #expect(remote.calls == [])
    }

    @Test(arguments: ["--host", "-H"])
    func `nothing is offered for another host or an unreachable socket`(option: String) async throws
    {
        let run = try await completed("close", "positional@0", [option, "far", "close"])
        #expect(run.output.trimmed == "")
        #expect(run.calls == [])
        let other = try await completed(
            "close", "positional@0", ["--socket", "/nonexistent", "close"])
        #expect(other.output.trimmed == "")
        #expect(other.calls == [])
    }

    @Test(arguments: [
        ("bash", #"'it'\''s:a'"# + "\n" + #"'back\slash'"#),
        ("zsh", #"it's\:a"# + "\n" + #"back\\slash"#), ("fish", "it's:a\nback\\slash"),
    ])
    func `names are quoted for the shell, and names with control characters are not offered`(
        shell: String, expected: String
    ) async throws {
        let names = ["it's:a", "new\nline", "\u{7}bell", "back\\slash"]
        let answers = [
            "History": Answer.reply(
                HistoryCall.Reply.with {
                    $0.generations = names.map { name in .with { $0.name = name } }
                })
        ]
        let run = try await completed(
            "rollback", "positional@0", ["rollback"], shell: shell, answers: answers)
        let offered = run.output.split(separator: "\n").filter { $0 != " " }
        #expect(offered.joined(separator: "\n") == expected)
    }

    @Test func `the number of offered names is limited`() async throws {
        let names = (0..<20_000).map { number in
            GenerationDescription.with { $0.name = "g\(number)" }
        }
        let run = try await completed(
            "rollback", "positional@0", ["rollback"],
            answers: ["History": .reply(HistoryCall.Reply.with { $0.generations = names })])
        #expect(run.output.split(separator: "\n").count == 10_000)
    }
}

extension String {
    fileprivate var trimmed: Substring { drop { $0 == "\n" } }
}
