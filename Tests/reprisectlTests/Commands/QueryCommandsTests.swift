import RepriseControl
import Testing
import Varlink

/// Output of the commands that show the daemon and its scenes.
@Suite(.timeLimit(.minutes(10))) struct QueryCommandsTests {
    private static let plain = ["NO_COLOR": "1"]

    private static let applications: [ListedApplication] = [
        .with {
            ($0.bundleIdentifier, $0.phase) = ("org.a", .running)
            $0.scenes = [
                .with { ($0.name, $0.phase) = ("main", .running) },
                .with { ($0.name, $0.phase) = ("other", .saved) },
            ]
        },
        .with { ($0.bundleIdentifier, $0.phase) = ("b", .failed) },
        .with { ($0.bundleIdentifier, $0.ownership) = ("c", .with { $0.host = "h2" }) },
        .with { ($0.bundleIdentifier, $0.ownership) = ("d", OwnershipDescription()) },
        .with { ($0.bundleIdentifier, $0.ownership) = ("e", .with { $0.notReplicated = 0 }) },
        .with {
            ($0.bundleIdentifier, $0.phase) = ("f", .running)
            $0.ownership = .with { $0.host = "h1" }
        },
    ]

    @Test func `applications are listed with their scenes and hosts`() async throws {
        let answers = ["List": Answer.reply(ListCall.Reply(applications: Self.applications))]
        #expect(
            try await ProgramRun("list", answers: answers).output == """
                org.a  running  main other (saved)
                b  failed  
                c  runs on h2  
                d  no host is known to run it  
                e  stopped  
                f  running  

                """)
        let table = try await ProgramRun(
            "list", answers: answers, environment: Self.plain, isAtTerminal: true)
        #expect(
            table.output == """
                APPLICATION  STATE                       SCENES
                org.a        running                     main other (saved)
                b            failed                      
                c            runs on h2                  
                d            no host is known to run it  
                e            stopped                     
                f            running                     

                """)
        let colored = try await ProgramRun(
            "list", answers: answers, environment: ["TERM": "xterm"], isAtTerminal: true)
        #expect(colored.output.split(separator: "\u{1B}[31m").count == 2)
        #expect(colored.output.contains("\u{1B}[31mb  "))
    }

    private static let objects: [TreeObject] = [
        .with { ($0.path, $0.class, $0.preserved) = ("a", "LongClass", true) },
        .with {
            ($0.path, $0.class, $0.reason, $0.commands) = (
                "long/path", "B", "no id", ["x()", "y()"]
            )
        },
        .with { ($0.path, $0.class, $0.preserved, $0.commands) = ("c", "C", true, []) },
    ]

    @Test func `objects are listed with their preservation status and commands`() async throws {
        let answers = ["Tree": Answer.reply(TreeCall.Reply(objects: Self.objects))]
        #expect(
            try await ProgramRun("tree", answers: answers).output == """
                a          LongClass  preserved
                long/path  B          not preserved: no id; has x(), y()
                c          C          preserved

                """)
        #expect(
            try await ProgramRun(
                "tree --no-pager", answers: answers, environment: Self.plain, isAtTerminal: true
            ).output == """
                PATH       CLASS      PRESERVED
                a          LongClass  yes
                long/path  B          no: no id; has x(), y()
                c          C          yes

                """)
        let colored = try await ProgramRun(
            "tree --no-pager", answers: answers, environment: ["TERM": "xterm"],
            isAtTerminal: true)
        #expect(colored.output.split(separator: "\u{1B}[33m").count == 2)
        #expect(colored.output.contains("\u{1B}[33mlong/path"))
    }

    @Test func `the values of an object are printed sorted by key`() async throws {
        let answers = [
            "Get": Answer.reply(
                GetCall.Reply.with {
                    $0.values = ["b": .integer(1), "a": .string("x"), "c": .null]
                }
            )
        ]
        let run = try await ProgramRun("get nav", answers: answers)
        #expect(run.output == "a: x\nb: 1\nc: null\n")
        #expect(run.calls == [#"Get {"path":"nav"}"#])
    }

    @Test func `text is printed unescaped only with --raw`() async throws {
        let answers = ["Get": Answer.reply(GetCall.Reply.with { $0.value = .string("a\tb\u{1B}") })]
        let raw = try await ProgramRun("get nav text --raw", answers: answers)
        #expect(raw.output == "a\tb\u{1B}")
        #expect(raw.calls == [#"Get {"key":"text","path":"nav"}"#])
        let shown = try await ProgramRun("get nav text", answers: answers)
        #expect(shown.output == "a\\tb\\u{1B}\n")
        let number = ["Get": Answer.reply(GetCall.Reply.with { $0.value = .integer(7) })]
        let other = try await ProgramRun("get nav text --raw", answers: number)
        #expect(other.output == "7\n")
        let wrong = try await ProgramRun("get nav --raw", answers: answers)
        #expect(wrong.status == 2)
        #expect(wrong.calls == [])
    }

    @Test func `a scene is printed with the time of its snapshot`() async throws {
        let answers = [
            "Show": Answer.reply(ShowCall.Reply.with { ($0.text, $0.time) = ("┌┐", "noon") })
        ]
        for (words, call) in [
            ("--saved", #"{"saved":true}"#), ("--generation 3", #"{"generation":"3"}"#),
            ("--quarantined f", #"{"quarantined":"f"}"#), ("", "{}"),
        ] {
            let run = try await ProgramRun("show \(words)", answers: answers)
            #expect(run.calls == ["Show \(call)"])
            #expect(run.output == "┌┐\nthe scene looked like this from noon onward\n")
        }
        for words in [
            "--saved --watch", "--saved --generation=1", "--quarantined=a --generation=1",
            "--watch --quarantined=a",
        ] {
            let run = try await ProgramRun("show \(words)", answers: answers)
            #expect(run.status == 2)
            #expect(run.errors.contains("cannot be used together"))
        }
        let refused = try await ProgramRun(
            "show --saved", answers: ["Show": .error(.noSnapshot(application: "a"))])
        #expect(refused.status == 1)
    }

    private func watch(
        _ words: String, answer: Answer, method: String, atTerminal isAtTerminal: Bool = false
    ) async throws -> ProgramRun {
        try await ProgramRun(
            words, answers: [method: answer],
            environment: ["TERM": "xterm", "NO_COLOR": "1"], isAtTerminal: isAtTerminal)
    }

    @Test func `a watched scene is printed again after each change`() async throws {
        let replies = ["a", "a", "b"].map { text in ShowCall.Reply.with { $0.text = text } }
        let answer = Answer.replies(replies)
        let plain = try await watch("show --watch --no-pager", answer: answer, method: "Show")
        #expect(plain.output == "a\nb\n")
        let json = try await watch("show --watch --json", answer: answer, method: "Show")
        #expect(json.output == "{\"text\":\"a\"}\n{\"text\":\"b\"}\n")
        let clear = "\u{1B}[H\u{1B}[2J"
        let terminal = try await watch(
            "show --watch --no-pager", answer: answer, method: "Show", atTerminal: true)
        #expect(terminal.output == "\(clear)a\n\(clear)b\n")
        let data = try await watch(
            "show --watch --json", answer: answer, method: "Show", atTerminal: true)
        #expect(data.output == json.output)
        let refused = try await watch(
            "show --watch --no-pager",
            answer: .replies(replies, then: .sceneNotLaunched(application: "a", scene: "b")),
            method: "Show")
        #expect(refused.status == 1)
        #expect(refused.output == "a\nb\n")
        #expect(refused.errors.hasPrefix("reprisectl: The scene b of a is saved"))
    }

    @Test func `watched sets of values are separated by empty lines`() async throws {
        let values = Answer.replies(
            [1, 2].map { n in GetCall.Reply.with { $0.values = ["k": .integer(n)] } })
        let all = try await watch("get nav --watch", answer: values, method: "Get")
        #expect(all.output == "k: 1\n\nk: 2\n")
        let json = try await ProgramRun("get nav --watch --json", answers: ["Get": values])
        #expect(json.output == "{\"values\":{\"k\":1}}\n{\"values\":{\"k\":2}}\n")
        let value = Answer.replies(
            [1, 2].map { n in GetCall.Reply.with { $0.value = .integer(n) } })
        let one = try await ProgramRun("get nav k --watch", answers: ["Get": value])
        #expect(one.output == "1\n2\n")
        let refused = try await ProgramRun(
            "get nav --watch",
            answers: ["Get": .error(.noSuchObject(path: "nav", nearest: nil))])
        #expect(refused.status == 1)
    }

    @Test func `clients are listed with their traffic and the stream they follow`() async throws {
        let reply = ClientsCall.Reply.with {
            $0.clients = [
                .with {
                    ($0.processIdentifier, $0.program, $0.user, $0.seconds) = (7, "cat", 1000, 1)
                    ($0.calls, $0.receivedBytes, $0.sentBytes) = (2, 1, 30)
                    ($0.unreadBytes, $0.following, $0.followed) = (4, "Attach", "main")
                },
                .with { ($0.seconds, $0.calls) = (2, 1) },
            ]
        }
        #expect(
            try await ProgramRun("clients", answers: ["Clients": .reply(reply)]).output == """
                process 7 (cat), user 1000: connected for 1 second, 2 calls, 1 byte received, 30 sent, \
                4 unread, follows Attach of main
                a process in another PID namespace, user 0: connected for 2 seconds, 1 call, 0 bytes \
                received, 0 sent

                """)
        let table = try await ProgramRun(
            "clients", answers: ["Clients": .reply(reply)], environment: Self.plain,
            isAtTerminal: true)
        #expect(
            table.output == """
                PROCESS  PROGRAM  USER  SECONDS  CALLS  RECEIVED  SENT  UNREAD  FOLLOWS  OF
                7        cat      1000  1        2      1         30    4       Attach   main
                ?                 0     2        1      0         0     0                

                """)
        let colored = try await ProgramRun(
            "clients", answers: ["Clients": .reply(reply)], environment: ["TERM": "xterm"],
            isAtTerminal: true)
        #expect(colored.output.split(separator: "\u{1B}[31m").count == 2)
        #expect(colored.output.contains("\u{1B}[31m7  "))
    }

    @Test func `metrics are printed unchanged, in the requested format`() async throws {
        let answers = ["Metrics": Answer.reply(MetricsCall.Reply.with { $0.text = "a 1\n# EOF\n" })]
        let run = try await ProgramRun("metrics", answers: answers)
        #expect(run.output == "a 1\n# EOF\n")
        #expect(run.calls == ["Metrics {}"])
        let old = try await ProgramRun("metrics --format prometheus", answers: answers)
        #expect(old.calls == [#"Metrics {"format":"prometheus"}"#])
    }

    @Test func `a report lists everything that a launch restored and did not restore`() async throws
    {
        let lost = UnrestoredDescription.with {
            ($0.path, $0.reason, $0.detail, $0.remedy) = ("nav", "r", "d", "do this")
        }
        let other = UnrestoredDescription.with { ($0.path, $0.reason, $0.detail) = ("x", "s", "e") }
        let reply = ReportCall.Reply.with {
            ($0.scene, $0.launchReason, $0.restored, $0.recorded) = ("main", "recover", 2, 9)
            ($0.precedingDeath, $0.refused, $0.displaced) = ("it crashed", true, "newer")
            ($0.unrestored, $0.duplicates) = ([lost, other], [other, lost])
            ($0.gone, $0.expiring, $0.expired) = (["g", "h"], ["i", "j"], ["k", "l"])
            ($0.vanished, $0.unlisted, $0.unclaimed) = (["m", "n"], 3, 4)
            ($0.timedOut, $0.superfluousCompletions) = (true, 5)
            $0.found = [
                .with { ($0.path, $0.class, $0.foundBy) = ("a", "LongClass", .delegate) },
                .with {
                    ($0.path, $0.class, $0.foundBy) = ("long", "B", .existing)
                    $0.unreadKeys = ["y", "z"]
                },
                .with { ($0.path, $0.class, $0.foundBy) = ("c", "C", .restorationClass) },
                .with { ($0.path, $0.class, $0.foundBy) = ("d", "D", .storyboard) },
            ]
        }
        let run = try await ProgramRun("report --all", answers: ["Report": .reply(reply)])
        #expect(run.calls == [#"Report {"all":true}"#])
        #expect(
            run.output == """
                scene main: launched with reason recover, 2 of 9 objects restored
                it crashed
                the application refused its saved state
                the saved state was not restored: newer
                not restored: nav (r): d
                  do this
                not restored: x (s): e
                duplicate ignored: x (s): e
                duplicate ignored: nav (r): d
                  do this
                deleted on purpose: g
                deleted on purpose: h
                expires soon: i: if the next launch does not restore it either, its state is moved to \
                the history
                expires soon: j: if the next launch does not restore it either, its state is moved to \
                the history
                no longer saved: k: too many launches did not restore it; `reprisectl --scene main \
                explain k` identifies the generation that contains it
                no longer saved: l: too many launches did not restore it; `reprisectl --scene main \
                explain l` identifies the generation that contains it
                removed by a command for another scene: m
                removed by a command for another scene: n
                a     LongClass  by the delegate
                long  B          existed already; not read: y, z
                c     C          by its restoration class
                d     D          by its storyboard
                and 3 more
                unclaimed: 4 of these remain saved, and the next launch tries again to restore them
                its restoration was extended for too long, and the launch continued without the rest
                its restoration was completed 5 times without having been extended

                """)
        let short = try await ProgramRun(
            "report",
            answers: ["Report": .reply(ReportCall.Reply.with { $0.scene = "main" })])
        #expect(short.output == "scene main: launched with reason , 0 of 0 objects restored\n")
        #expect(short.calls == ["Report {}"])
    }

    @Test func `all sentences of an explanation are printed`() async throws {
        let reply = ExplainCall.Reply.with { $0.story = ["It is live.", "It was restored."] }
        let run = try await ProgramRun(
            "--app a --scene b explain nav", answers: ["Explain": .reply(reply)])
        #expect(run.output == "It is live.\nIt was restored.\n")
        #expect(run.calls == [#"Explain {"application":"a","path":"nav","scene":"b"}"#])
    }
}
