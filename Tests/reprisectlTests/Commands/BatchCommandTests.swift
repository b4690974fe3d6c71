import RepriseControl
import TestSupport
import Testing
import Varlink

/// Commands that run for each line of a batch, or for each application.
@Suite(.timeLimit(.minutes(10))) struct BatchCommandTests {
    private static let tap = Answer.reply(TapCall.Reply.with { $0.saved = .durable })
    private static let refusal = Answer.error(.noSuchObject(path: "x", nearest: nil))

    @Test func `the lines of a batch use its application and scene unless they specify their own`()
        async throws
    {
        let run = try await ProgramRun(
            "--app a --scene s batch", answers: ["Tap": Self.tap],
            input: """
                tap 'one two'  # a comment

                --app b tap x
                --scene t tap x
                tap "last"
                """)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.calls == [
                #"Tap {"application":"a","path":"one two","scene":"s"}"#,
                #"Tap {"application":"b","path":"x"}"#,
                #"Tap {"application":"a","path":"x","scene":"t"}"#,
                #"Tap {"application":"a","path":"last","scene":"s"}"#,
            ])
        #expect(run.output == String(repeating: "saved: durable\n", count: 4))
    }

    @Test func `a batch stops at the first line that fails, unless --keep-going is set`()
        async throws
    {
        let answers = ["Tap": Answer.sequence([Self.tap, Self.refusal, Self.tap, Self.refusal])]
        let input = "tap a\ntap x\ntap b\n\nnothing\ntap y\ntap z\n"
        let first = try await ProgramRun("batch", answers: answers, input: input)
        #expect(first.status == 1)
        #expect(first.calls.filter { $0.hasPrefix("Tap") }.count == 2)
        #expect(first.errors.hasPrefix("reprisectl: line 2: There is no object at x"))
        let all = try await ProgramRun("batch --keep-going -", answers: answers, input: input)
        #expect(all.status == 1)
        #expect(all.calls.filter { $0.hasPrefix("Tap") }.count == 5)
        let lines = all.errors.split(separator: "\n").map { $0.prefix(20) }
        #expect(
            lines == [
                "reprisectl: line 2: ", "reprisectl: line 5: ", "reprisectl: line 6: ",
                "reprisectl: line 7: ",
            ])
        let usage = try await ProgramRun("batch --keep-going", input: "nothing\n")
        #expect(usage.status == 2)
    }

    @Test func `a batch stops if no daemon is running, even with --keep-going`() async throws {
        let run = try await ProgramRun(
            "--timeout 1ms batch --keep-going", input: "list\nlist\n",
            environment: ["REPRISE_SOCKET": "/nonexistent/socket"])
        #expect(run.status == 3)
        let failures = run.errors.split(separator: "\n").filter {
            $0.contains("there is no socket")
        }
        #expect(failures.count == 1)
    }

    @Test(arguments: [
        ("show --watch", "--watch does not end"), ("attach", "attach is interactive"),
        ("tap --help", "help cannot be used in a batch"),
        ("--version", "help and version cannot be used in a batch"),
        ("inspect x", "inspect cannot be used in a batch"),
        ("batch", "batch cannot be used in a batch"),
        ("--socket /x list", "a line cannot contain --socket, --host or --timeout"),
        ("--host x list", "a line cannot contain --socket, --host or --timeout"),
        ("--timeout 1s list", "a line cannot contain --socket, --host or --timeout"),
        ("tap a\0", "the line contains a NUL"), ("tap 'a", "line 1: "),
        ("type a -", "the batch is read from standard input"),
    ])
    func `a line that is not allowed in a batch is refused`(line: String, message: String)
        async throws
    {
        for words in ["batch", "batch -"] {
            let run = try await ProgramRun(words, input: line)
            #expect(run.status == 2)
            #expect(run.errors.hasPrefix("reprisectl: line 1: "))
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.calls == [])
        }
    }

    @Test func `only one line of a batch file can read standard input`() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("lines", "type a -\ntype b -\n")
        let typed = Answer.reply(TypeCall.Reply.with { $0.saved = .durable })
        let run = try await ProgramRun(
            "batch \(scratch.file("lines"))", answers: ["Type": typed], input: "text")
        #expect(run.status == 2)
        #expect(run.calls == [#"Type {"path":"a","text":"text"}"#])
        #expect(run.errors.hasPrefix("reprisectl: line 2: an earlier line has read all"))
        let missing = try await ProgramRun("batch \(scratch.file("none"))")
        #expect(missing.status == 2)
        let directory = try await ProgramRun("batch \(scratch.path)")
        #expect(directory.status == 2)
        #expect(directory.errors.contains("cannot be read: "))
    }

    @Test func `a line that is too long is reported once, with its number`() async throws {
        let long = "list\n" + String(repeating: "x", count: 17 << 20)
        let run = try await ProgramRun(
            "batch", answers: ["List": .reply(ListCall.Reply())], input: long)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("reprisectl: line 2 of standard input has more than "))
        #expect(run.calls == ["List {}"])
    }

    @Test func `--json and --quiet apply to the whole batch or to a single line`() async throws {
        let answers = ["Tap": Answer.sequence([Self.tap, Self.refusal])]
        let input = "tap a\ntap x\n"
        let batch = try await ProgramRun("--json batch", answers: answers, input: input)
        let lines = batch.output.split(separator: "\n")
        #expect(lines.first == #"{"saved":"durable"}"#)
        #expect(lines.last?.contains(#""line":2"#) == true)
        let line = try await ProgramRun(
            "batch", answers: answers, input: "tap a --json\ntap x --json\n")
        #expect(line.output == batch.output)
        let one = try await ProgramRun("batch", answers: answers, input: "tap a\ntap x --json\n")
        #expect(one.output.hasPrefix("saved: durable\n{"))
        let none = try await ProgramRun("batch", answers: answers, input: input)
        #expect(none.output == "saved: durable\n")
        for (words, input, output) in [
            ("-q batch", "tap a", ""), ("batch", "-q tap a", ""),
            ("batch", "tap a", "saved: durable\n"),
            ("--json batch", "-q tap a", "{\"saved\":\"durable\"}\n"),
            ("-q batch", "tap a --json", "{\"saved\":\"durable\"}\n"),
        ] {
            let run = try await ProgramRun(words, answers: ["Tap": Self.tap], input: input)
            #expect(run.output == output)
        }
    }

    @Test func `a batch whose output cannot be written continues only with --keep-going`()
        async throws
    {
        let closing = ["sh", "-c", #""$@" >/dev/full"#, "sh"]
        for (words, count, status) in [("batch", 1, 6), ("batch --keep-going", 3, 6)] {
            let run = try await ProgramRun(
                words.split(separator: " ").map(String.init), answers: ["Tap": Self.tap],
                input: "tap a\ntap b\ntap c\n", startedBy: closing)
            #expect(run.status == Int32(status))
            #expect(run.calls.count == count)
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            #expect(run.errors.contains("the command succeeded, but its reply cannot be printed"))
        }
        let piped = try await ProgramRun(
            ["list"],
            answers: [
                "List": .reply(ListCall.Reply(applications: [.with { $0.bundleIdentifier = "a" }]))
            ],
            startedBy: ["bash", "-c", #""$@" > >(exec true); echo $? >&2"#, "sh"])
        #expect(piped.errors == "" || !piped.errors.contains("reprisectl"))
    }

    // MARK: All applications

    private static let list = Answer.reply(
        ListCall.Reply(
            applications: [
                ("a", ApplicationPhase.running), ("b", .stopped), ("c", .launching), ("d", .failed),
                ("e", .running),
            ].map { name, phase in .with { ($0.bundleIdentifier, $0.phase) = (name, phase) } }))

    private static func quit(_ level: SaveLevel, _ reason: String? = nil) -> Answer {
        .reply(QuitCall.Reply.with { ($0.saved, $0.notSavedReason) = (level, reason) })
    }

    @Test func `--all skips applications that are not in a matching phase`() async throws {
        let quit = try await ProgramRun(
            "quit --all", answers: ["List": Self.list, "Quit": Self.quit(.durable)])
        #expect(quit.status == 0)
        #expect(quit.output == "a:\nsaved: durable\nc:\nsaved: durable\ne:\nsaved: durable\n")
        #expect(
            quit.calls
                == ["List {}"] + ["a", "c", "e"].map { #"Quit {"application":"\#($0)"}"# })
        let quiet = try await ProgramRun(
            "-q quit --all", answers: ["List": Self.list, "Quit": Self.quit(.durable)])
        #expect(quiet.output == "")
        let launch = try await ProgramRun(
            "launch --all",
            answers: ["List": Self.list, "Launch": .reply(LaunchCall.Reply())])
        #expect(launch.output == "b:\nd:\n")
        let preserve = try await ProgramRun(
            "--json preserve --all", answers: ["List": Self.list, "Preserve": Self.quit(.durable)])
        #expect(
            preserve.output == #"{"applications":[{"application":"a","saved":"durable"},"#
                + #"{"application":"c","saved":"durable"},{"application":"e","saved":"durable"}]}"#
                + "\n")
        #expect(try await ProgramRun("quit --all --force").status == 2)
        #expect(try await ProgramRun("--app a quit --all").status == 2)
        let one = try await ProgramRun("quit", answers: ["Quit": Self.quit(.durable)])
        #expect(one.output == "saved: durable\n")
        #expect(one.calls == ["Quit {}"])
        let refused = try await ProgramRun("quit", answers: ["Quit": Self.refusal])
        #expect(refused.status == 1)
    }

    @Test func `with --all, a failure for one application does not stop the others`()
        async throws
    {
        let answers = [
            "List": Self.list,
            "Preserve": .sequence([
                .error(.applicationNotRunning(application: "a")), Self.quit(.no, "full"),
                Self.quit(.durable),
            ]),
        ]
        let run = try await ProgramRun("preserve --all", answers: answers)
        #expect(run.status == 1)
        #expect(run.output == "c:\ne:\nsaved: durable\n")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("reprisectl: a: a is not running") == true)
        #expect(lines.last == "reprisectl: c: done, but NOT SAVED: full")
        let json = try await ProgramRun("--json preserve --all", answers: answers)
        #expect(json.status == 1)
        #expect(json.errors == run.errors)
        #expect(json.output.contains(#"{"application":"a","error":"org.reprise.Control.Appli"#))
        #expect(json.output.contains(#"{"application":"c","error":"notSaved""#))
        #expect(json.output.hasSuffix("{\"application\":\"e\",\"saved\":\"durable\"}]}\n"))
        // After the last application, messages do not contain an application.
        let batch = try await ProgramRun("batch", answers: answers, input: "preserve --all")
        #expect(batch.errors.hasPrefix("reprisectl: line 1: a: a is not"))
        let next = try await ProgramRun(
            "batch --keep-going", answers: answers, input: "preserve --all\nnothing\n")
        #expect(next.errors.contains("reprisectl: line 2: There is no command"))
    }

    @Test func `with --all, a malformed reply does not stop the other applications`() async throws {
        let run = try await ProgramRun("quit --all", answers: ["List": Self.list])
        #expect(run.status == 6)
        #expect(run.calls.count == 4)
        #expect(run.errors.split(separator: "\n").count == 3)
    }

    @Test func `the status is that of the first failure, even if the output cannot be written`()
        async throws
    {
        let run = try await ProgramRun(
            ["batch", "--keep-going"],
            answers: [
                "List": Self.list,
                "Preserve": .sequence([
                    .error(.applicationNotRunning(application: "a")), Self.quit(.durable),
                ]),
            ], input: "preserve --all\n", startedBy: ["sh", "-c", #""$@" >/dev/full"#, "sh"])
        #expect(run.status == 1)
    }

    @Test func `--all stops if the connection is lost, but not if the output cannot be written`()
        async throws
    {
        let run = try await ProgramRun(
            "quit --all",
            answers: ["List": Self.list, "Quit": .sequence([Self.quit(.durable), .closes])])
        #expect(run.status == 5)
        #expect(run.calls.count == 3)
        let lost = try await ProgramRun(
            ["quit", "--all"], answers: ["List": Self.list, "Quit": Self.quit(.durable)],
            startedBy: ["sh", "-c", #""$@" >/dev/full"#, "sh"])
        #expect(lost.status == 6)
        #expect(lost.calls.count == 4)
    }

    @Test func `a forced quit shows the generation of the removed state and how to restore it`()
        async throws
    {
        let reply = QuitCall.Reply.with {
            ($0.saved, $0.generation) = (.no, "/s/org.a.savedState/history/7.archive")
        }
        let run = try await ProgramRun("quit --force", answers: ["Quit": .reply(reply)])
        #expect(run.calls == [#"Quit {"force":true}"#])
        #expect(
            run.output == """
                stopped, and its saved state was removed
                the previous state is in the history as /s/org.a.savedState/history/7.archive: \
                `reprisectl --app org.a rollback 7` and then `reprisectl --app org.a launch` restore it

                """)
        let quiet = try await ProgramRun("-q quit --force", answers: ["Quit": .reply(reply)])
        #expect(quiet.output + quiet.errors == "")
        for option in ["-q", "--no-pager"] {
            let unsaved = try await ProgramRun(
                "\(option) quit", answers: ["Quit": Self.quit(.no, "full")])
            #expect(unsaved.errors == "reprisectl: done, but NOT SAVED: full\n")
        }
        let saved = try await ProgramRun("-q quit", answers: ["Quit": Self.quit(.durable)])
        #expect(saved.output + saved.errors == "")
    }

    @Test func `scenes that could not be launched are reported even with --quiet`() async throws {
        let reply = LaunchCall.Reply.with {
            $0.scenes = [
                .with { $0.name = "a" }, .with { ($0.name, $0.phase) = ("b", .failed) },
                .with { ($0.name, $0.phase, $0.failure) = ("c", .failed, "no class") },
            ]
        }
        let run = try await ProgramRun("-q launch", answers: ["Launch": .reply(reply)])
        #expect(run.output == "")
        #expect(
            run.errors == """
                reprisectl: the scene b could not be launched: reason unknown
                reprisectl: the scene c could not be launched: no class

                """)
    }

    @Test func `a reload prints what changed`() async throws {
        for (changed, waiting, output) in [
            (
                ["x", "y"], ["z", "w"],
                "applied: x\napplied: y\ntakes effect at the next restart: z\ntakes effect at the next restart: w\n"
            ),
            ([], ["z"], "takes effect at the next restart: z\nno change takes effect now\n"),
            ([], [], "nothing changed\n"), (["x"], [], "applied: x\n"),
        ] as [([String], [String], String)] {
            let reply = ReloadCall.Reply.with { ($0.changed, $0.waiting) = (changed, waiting) }
            let run = try await ProgramRun("reload", answers: ["Reload": .reply(reply)])
            #expect(run.output == output)
        }
        let refused = try await ProgramRun(
            "reload",
            answers: ["Reload": .error(.configurationRefused(problems: ["one", "two"]))])
        #expect(refused.status == 1)
        #expect(refused.errors.split(separator: "\n").count > 1)
    }

    @Test func `rekey prints the key and the number of rewritten files`() async throws {
        for (key, files, output) in [
            ("ab", 0, "all stored files are encrypted with the key ab\n"),
            ("ab", 1, "1 file rewritten; all stored files are encrypted with the key ab\n"),
            (nil, 2, "2 files rewritten; no stored file is encrypted\n"),
        ] as [(String?, Int, String)] {
            let reply = RekeyCall.Reply.with { ($0.key, $0.files) = (key, files) }
            #expect(
                try await ProgramRun("rekey", answers: ["Rekey": .reply(reply)]).output == output)
        }
    }

    @Test func `the debug commands send and print the stage at which the daemon will stop`()
        async throws
    {
        let exit = try await ProgramRun("--app a debug exit pass --status 7")
        #expect(exit.output == "the daemon will exit at pass\n")
        #expect(exit.calls == [#"DebugExit {"application":"a","stage":"pass","status":7}"#])
        let trap = try await ProgramRun("debug trap pass")
        #expect(trap.output == "the daemon will trap at pass\n")
        #expect(trap.calls == [#"DebugTrap {"stage":"pass"}"#])
    }
}
