import DaemonHost
import FoundationEssentials
import RepriseControl
import Subprocess
import SystemPackage
import Testing
import Varlink

/// Calls of the command-line client, and its handling of several replies.
struct StubCommandTests {
    private static let commands: [CommandDescription] = [
        .with {
            ($0.name, $0.summary, $0.result) = ("move", "Moves.", "string")
            $0.parameters = [
                .with { ($0.name, $0.summary, $0.type) = ("from", "The start.", "int") },
                .with { ($0.name, $0.summary, $0.type) = ("to", "The end.", "?float") },
            ]
        },
        .with { ($0.name, $0.summary) = ("stop", "Stops.") },
    ]

    private static func callReplies() throws -> [String: [StubReply]] {
        [
            "Commands": [try StubReply(CommandsCall.Reply.with { $0.commands = commands })],
            "Call": [
                try StubReply(
                    CallCall.Reply.with { ($0.result, $0.saved) = (.string("moved"), .written) })
            ],
        ]
    }

    @Test func `call lists the commands of an object with their parameters`() async throws {
        try await Host.with { host in
            let result = try await host.runWithStub(try Self.callReplies(), "$CTL call nav")
            #expect(
                result.output == """
                    move(from: int, to: ?float) -> string
                        Moves.
                        from: The start.
                        to: The end.
                    stop()
                        Stops.

                    """, "\(result)")
            #expect(try host.stubCalls.count == 1)
        }
    }

    @Test(arguments: ["move 1 2.5", "move to=2.5 1", "move from=1 to=2.5", "move 1 to=2.5"])
    func `call assigns each argument to its parameter`(words: String) async throws {
        try await Host.with { host in
            let result = try await host.runWithStub(
                try Self.callReplies(), "$CTL call nav \(words)")
            #expect(result.output == "moved\n", "\(result)")
            let call = try #require(try host.stubCalls.last)
            let called = try JSONText.read(
                CallCall.self, from: Call(parsing: Array(call.utf8)).parameters)
            #expect(called.path == "nav" && called.command == "move")
            #expect(called.arguments == ["from": .integer(1), "to": .double(2.5)])
        }
    }

    @Test(
        arguments: [
            ("move -1 -2.5", -1, -2.5), ("-- move -1 -2.5e1", -1, -25),
            ("move to=-.5 -1", -1, -0.5),
            ("move -1 --timeout 60 -2", -1, -2), ("--timeout 60 move 0 -7e-3 --json", 0, -0.007),
            ("move -9223372036854775808 -0.5", Int64.min, -0.5),
        ])
    func `call accepts negative numbers as arguments`(
        words: String, from: Int64, to: Double
    ) async throws {
        try await Host.with { host in
            let result = try await host.runWithStub(
                try Self.callReplies(), "$CTL call nav \(words)")
            try #require(result.status == .exited(0), "\(result)")
            let call = try #require(try host.stubCalls.last)
            let called = try JSONText.read(
                CallCall.self, from: Call(parsing: Array(call.utf8)).parameters)
            #expect(called.arguments?["from"] == .integer(from))
            let isWhole = to == to.rounded()
            #expect(called.arguments?["to"] == (isWhole ? .integer(Int64(to)) : .double(to)))
        }
    }

    @Test(arguments: ["move -x", "move 1 -inf", "move -1x", "move - -nan"])
    func `call does not accept any other word with a leading hyphen as a number`(words: String)
        async throws
    {
        try await Host.with { host in
            let result = try await host.runWithStub(
                try Self.callReplies(), "$CTL call nav \(words)")
            #expect(result.status == .exited(2), "\(result)")
        }
    }

    @Test func `call prints only the result, or whether a change without a result is saved`()
        async throws
    {
        try await Host.with { host in
            var replies = try Self.callReplies()
            for isQuiet in [false, true] {
                let flag = isQuiet ? "-q " : ""
                replies["Call"] = [
                    try StubReply(
                        CallCall.Reply.with {
                            ($0.result, $0.saved) = (.string("moved"), .no)
                            $0.notSavedReason = "the disk is full"
                        })
                ]
                let unsaved = try await host.runWithStub(replies, "$CTL \(flag)call nav move 1")
                #expect(unsaved.output == "moved\n", "\(unsaved)")
                #expect(unsaved.errors.contains("NOT SAVED: the disk is full"), "\(unsaved)")
                replies["Call"] = [try StubReply(CallCall.Reply.with { $0.saved = .written })]
                let stopped = try await host.runWithStub(replies, "$CTL \(flag)call nav stop")
                #expect(stopped.output == (isQuiet ? "" : "saved: written\n"), "\(stopped)")
                #expect(stopped.errors == "", "\(stopped)")
            }
        }
    }

    @Test(arguments: [
        ("move 1 2 3", "\"3\" is one argument too many: the command is "),
        ("move from=1 from=2", "from is specified twice."),
        ("move to=1", "from is missing: the command is "),
        ("move x", "\"x\" is not a valid int for from."),
        ("move 1 nan", "\"nan\" is not a valid ?float for to."),
        ("move fro=1", "there is no parameter fro: the command is "),
    ])
    func `call refuses arguments that the command does not accept`(
        words: String, sentence: String
    ) async throws {
        try await Host.with { host in
            let result = try await host.runWithStub(
                try Self.callReplies(), "$CTL call nav \(words)")
            #expect(result.status == .exited(2), "\(result)")
            #expect(result.errors.hasPrefix("reprisectl: \(sentence)"), "\(result)")
            #expect(try host.stubCalls.count == 1)
        }
    }

    @Test func `get --watch prints an empty line between replies`() async throws {
        let replies = try ([1, 2, 3] as [Int64]).map { number in
            try StubReply(
                GetCall.Reply.with { $0.values = ["a": .integer(number), "b": .null] },
                continues: true)
        }
        let end = StubReply(error: "NoSuchObject", #"{"path":"nav"}"#)
        let tree = [try StubReply(TreeCall.Reply())]
        try await Host.with { host in
            let result = try await host.runWithStub(
                ["Get": replies + [end], "Tree": tree], "$CTL get nav --watch")
            #expect(result.status == .exited(1), "\(result)")
            #expect(
                result.output == "a: 1\nb: null\n\na: 2\nb: null\n\na: 3\nb: null\n", "\(result)")
        }
    }

    private static let applications: [ListedApplication] = [
        .with {
            ($0.bundleIdentifier, $0.phase) = ("A", .running)
            $0.scenes = [.with { ($0.name, $0.phase) = ("main", .running) }]
        },
        .with {
            ($0.bundleIdentifier, $0.phase) = ("B", .running)
            $0.scenes = [
                .with { ($0.name, $0.phase) = ("closed", .saved) },
                .with { ($0.name, $0.phase) = ("other", .running) },
            ]
        },
        .with {
            ($0.bundleIdentifier, $0.phase) = ("C", .stopped)
            $0.scenes = [.with { ($0.name, $0.phase) = ("main", .running) }]
        },
    ]

    /// Returns replies about ``applications``, in which each scene has the object `nav`.
    private static func nameReplies() throws -> [String: [StubReply]] {
        let tree = TreeCall.Reply.with { $0.objects = [.with { $0.path = "nav" }] }
        return [
            "List": [try StubReply(ListCall.Reply.with { $0.applications = applications })],
            "Tree": [try StubReply(tree)],
        ]
    }

    @Test(
        arguments: [
            ("", nil), ("--scene other", nil), ("--app B --scene other", nil),
            ("--app A --scene other", "scene other"), ("--path nav", nil),
            ("--app A --path nav/view", "object at nav/view"), ("--app D --scene other", nil),
        ] as [(String, String?)])
    func `monitor warns about a scene or object that does not exist`(
        options: String, absent: String?
    ) async throws {
        let event = Event.with {
            ($0.time, $0.kind, $0.application, $0.path) = ("t", .changed, "A", "nav")
            ($0.values, $0.removed) = (["b": .integer(1), "a": .integer(2)], ["e", "f"])
            ($0.large, $0.generation, $0.message) = (["d": 6, "c": 5], "000001", "it is new")
        }
        var replies = try Self.nameReplies()
        replies["Monitor"] = [
            try StubReply(MonitorCall.Reply.with { $0.event = event }, continues: true)
        ]
        try await Host.with { host in
            let result = try await host.runWithStub(replies, "$CTL monitor --count 1 \(options)")
            #expect(
                result.output == "t  changed  A nav  a: 2; b: 1; c: a value of 5 bytes; "
                    + "d: a value of 6 bytes; e: value removed; f: value removed; "
                    + "it is new; generation 000001\n", "\(result)")
            let warning = absent.map {
                "reprisectl: there is no \($0) now; monitor waits for it.\n"
            }
            #expect(result.errors == warning ?? "", "\(result)")
        }
    }

    @Test(
        arguments: [
            ("A", "A", "main"), ("B", "B", "other"), ("C", nil, ""), ("D", nil, ""),
        ] as [(String, String?, String)])
    func `completion uses options that follow the completed word`(
        option: String, application: String?, scene: String
    ) async throws {
        try await Host.with { host in
            let result = try await host.runWithStub(
                try Self.nameReplies(),
                "SAP_SHELL=fish ${CTL%% *} ---completion get -- positional@0 2 0 "
                    + "reprisectl get '' --socket control --app \(option)")
            #expect(result.output.contains("nav") == (application != nil), "\(result)")
            let calls = try host.stubCalls.filter { $0.contains(".Tree") }.map {
                try JSONText.read(TreeCall.self, from: Call(parsing: Array($0.utf8)).parameters)
            }
            #expect(calls.map(\.application) == (application == nil ? [] : [application]))
            #expect(calls.allSatisfy { $0.scene == scene })
        }
    }

    @Test func `names with control characters are not completed`() async throws {
        try await Host.with { host in
            var replies = try Self.nameReplies()
            let paths = ["nav", "x\u{7}y", "\nz"]
            let tree = TreeCall.Reply.with {
                $0.objects = paths.map { path in .with { $0.path = path } }
            }
            replies["Tree"] = [try StubReply(tree)]
            let result = try await host.runWithStub(
                replies,
                "SAP_SHELL=fish ${CTL%% *} ---completion get -- positional@0 2 0 "
                    + "reprisectl get '' --socket control --app A")
            #expect(result.output.contains("nav"), "\(result)")
            #expect(!result.output.contains("y") && !result.output.contains("z"), "\(result)")
        }
    }

    // MARK: Backup

    private static func part(
        _ name: String, bytes: Int, offset: Int = 0, _ text: String, isLeftOut: Bool? = nil
    ) throws -> StubReply {
        let part = BackupCall.Reply.with {
            ($0.path, $0.bytes, $0.offset) = ("Documents/org.example.A/\(name)", bytes, offset)
            ($0.data, $0.isLeftOut) = (Data(text.utf8).base64EncodedString(), isLeftOut)
        }
        return try StubReply(part, continues: true)
    }

    @Test func `a backup is assembled from its parts and lists what it does not contain`()
        async throws
    {
        let last = BackupCall.Reply.with {
            $0.elsewhere = ["B", "C"].map { name in
                .with { ($0.application, $0.host) = (name, "two") }
            }
        }
        let parts = [
            try Self.part("a", bytes: 4, "no"), try Self.part("a", bytes: 4, offset: 2, "te"),
            try Self.part("b", bytes: 0, ""), try Self.part("c", bytes: 1, "x"),
            try Self.part("pipe", bytes: 0, "", isLeftOut: true), try StubReply(last),
        ]
        try await Host.with { host in
            let result = try await host.runWithStub(
                ["Backup": parts],
                "$CTL backup made && cd made && sha256sum --strict -c SHA256SUMS "
                    + "&& find . -type f | sort && cat Documents/org.example.A/a")
            #expect(
                result.output == """
                    not in this backup: B, which the host two runs
                    not in this backup: C, which the host two runs
                    not in this backup: Documents/org.example.A/pipe, which no application reads
                    0 applications backed up to made: 3 files, 5 bytes, every file is intact
                    Documents/org.example.A/a: OK
                    Documents/org.example.A/b: OK
                    Documents/org.example.A/c: OK
                    ./Documents/org.example.A/a
                    ./Documents/org.example.A/b
                    ./Documents/org.example.A/c
                    ./SHA256SUMS
                    note
                    """, "\(result)")
        }
    }

    @Test func `unexpected parts of a backup are refused, and no backup is created`() async throws {
        let whole = try Self.part("a", bytes: 2, "no")
        let begun = try Self.part("a", bytes: 4, "no")
        let last = try StubReply(BackupCall.Reply())
        for parts in [
            [try Self.part("a", bytes: 4, offset: 1, "ote")], [begun, begun], [begun, last],
            [begun, try Self.part("b", bytes: 1, "x")], [try Self.part("a", bytes: 1, "no")],
            [try Self.part("../a", bytes: 2, "no")],
            [whole, try Self.part("b", bytes: 4, offset: 2, "te")],
        ] {
            try await Host.with { host in
                let result = try await host.runWithStub(
                    ["Backup": parts + [last]], "$CTL backup made")
                #expect(result.status == .exited(3), "\(result)")
                #expect(
                    result.errors.hasPrefix(
                        "reprisectl: the daemon sent an unexpected part of the file 'Documents/"),
                    "\(result)")
                #expect(!host.directory.entries.contains { $0.hasPrefix("made") })
            }
        }
    }

    @Test func `if there is not enough space for a backup, no backup is created`() async throws {
        let part = try Self.part("a", bytes: 9000, String(repeating: "a", count: 9000))
        try await Host.with { host in
            // A write beyond the limit fails, as on a full disk.
            let result = try await host.runWithStub(
                ["Backup": [part, try StubReply(BackupCall.Reply())]],
                "(trap '' XFSZ; ulimit -f 1; $CTL backup made)")
            #expect(result.status == .exited(1), "\(result)")
            #expect(!host.directory.entries.contains { $0.hasPrefix("made") })
        }
    }
}
