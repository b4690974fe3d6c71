import RepriseControl
import Testing
import Varlink

/// Behavior that all commands of the control interface share.
@Suite(.timeLimit(.minutes(10))) struct ControlCommandTests {
    private static func tap(_ level: SaveLevel, _ reason: String? = nil) -> Answer {
        .reply(TapCall.Reply.with { ($0.saved, $0.notSavedReason) = (level, reason) })
    }

    @Test func `a change is printed with its durability`() async throws {
        for (level, output) in [
            (SaveLevel.written, "saved: written\n"), (.durable, "saved: durable\n"),
            (.replicated, "saved: replicated\n"),
        ] {
            let run = try await ProgramRun("tap b", answers: ["Tap": Self.tap(level)])
            #expect(run.output == output)
            let quiet = try await ProgramRun("-q tap b", answers: ["Tap": Self.tap(level)])
            #expect(quiet.output + quiet.errors == "")
        }
        for option in ["-q", "--no-pager"] {
            let run = try await ProgramRun(
                "\(option) tap b", answers: ["Tap": Self.tap(.no, "full")])
            #expect(run.status == 0)
            #expect(run.output == "")
            #expect(run.errors == "reprisectl: done, but NOT SAVED: full\n")
        }
        let unknown = try await ProgramRun("tap b", answers: ["Tap": Self.tap(.no)])
        #expect(unknown.errors == "reprisectl: done, but NOT SAVED: reason unknown\n")
    }

    private static func preserve(_ level: SaveLevel, _ reason: String? = nil) -> Answer {
        .reply(PreserveCall.Reply.with { ($0.saved, $0.notSavedReason) = (level, reason) })
    }

    @Test func `--wait makes a change durable`() async throws {
        for (first, second, output, calls) in [
            (SaveLevel.durable, SaveLevel.no, "saved: durable\n", 1),
            (.replicated, .no, "saved: replicated\n", 1),
            (.written, .durable, "saved: durable\n", 2),
            (.written, .replicated, "saved: replicated\n", 2),
        ] {
            let answers = ["Tap": Self.tap(first), "Preserve": Self.preserve(second)]
            let run = try await ProgramRun("--app a tap b --wait", answers: answers)
            #expect(run.status == 0)
            #expect(run.output == output)
            let expected = [
                #"Tap {"application":"a","path":"b"}"#, #"Preserve {"application":"a"}"#,
            ]
            #expect(run.calls == Array(expected.prefix(calls)))
        }
        let plain = try await ProgramRun(
            "tap b", answers: ["Tap": Self.tap(.written), "Preserve": Self.preserve(.durable)])
        #expect(plain.calls.count == 1)
    }

    @Test func `--wait fails if the change is not durable`() async throws {
        let closed: Answer = .error(.tooManyCommands(application: "a"))
        for (first, second, errors, name) in [
            (Self.tap(.no, "full"), closed, "done, but NOT SAVED: full", "notSaved"),
            (Self.tap(.no), closed, "done, but NOT SAVED: reason unknown", "notSaved"),
            (
                Self.tap(.written), Self.preserve(.no, "full"),
                "done and written, but NOT DURABLE: full", "notSaved"
            ),
            (
                Self.tap(.written), Self.preserve(.no),
                "done and written, but NOT DURABLE: reason unknown", "notSaved"
            ),
            (
                Self.tap(.written), closed, "done and written, but not known to be durable: ",
                "notSaved"
            ),
        ] {
            let answers = ["Tap": first, "Preserve": second]
            let run = try await ProgramRun("tap b --wait", answers: answers)
            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("reprisectl: \(errors)"), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(run.output == (errors.contains("SAVED") ? "" : "saved: written\n"))
            let json = try await ProgramRun("--json tap b --wait", answers: answers)
            #expect(json.status == 1)
            let members = try JSONText.read([String: StateJSON].self, from: Array(json.output.utf8))
            #expect(members["error"] == .string(name))
            #expect(members["saved"] == .string(errors.contains("SAVED") ? "no" : "written"))
            #expect(json.errors == run.errors)
        }
    }

    @Test func `a refused call is reported with the daemon's error`() async throws {
        let answers = ["Tap": Answer.error(.indexOutOfRange(path: "b", index: 3, count: 2))]
        let run = try await ProgramRun("tap b", answers: answers)
        #expect(run.status == 1)
        #expect(run.output == "")
        let json = try await ProgramRun("--json tap b", answers: answers)
        #expect(json.errors == run.errors)
        let members = try JSONText.read([String: StateJSON].self, from: Array(json.output.utf8))
        #expect(members["error"] == .string("org.reprise.Control.IndexOutOfRange"))
        #expect(
            members["parameters"]
                == .object(["path": .string("b"), "index": .integer(3), "count": .integer(2)]))
        #expect(members["line"] == nil)
        #expect(members["suggestion"] == nil)
    }

    @Test func `after a malformed reply, the exit status shows whether the call changed state`()
        async throws
    {
        let changed = try await ProgramRun("tap b")
        #expect(changed.status == 6)
        #expect(
            changed.errors.hasPrefix(
                "reprisectl: done, but the daemon's reply to Tap does not have the"))
        let read = try await ProgramRun("list")
        #expect(read.status == 3)
        #expect(
            read.errors.hasPrefix(
                "reprisectl: the daemon's reply to List does not have the expected format"))
        let watched = try await ProgramRun("show --watch")
        #expect(watched.status == 3)
        #expect(watched.output == "")
        let quit = try await ProgramRun("quit", answers: ["Quit": .message("{}")])
        #expect(quit.status == 6)
    }

    @Test func `an unknown name is reported with the closest match`() async throws {
        let list = Answer.reply(
            ListCall.Reply(applications: [
                .with {
                    $0.bundleIdentifier = "org.example.First"
                    $0.scenes = [.with { $0.name = "main" }, .with { $0.name = "second" }]
                },
                .with {
                    $0.bundleIdentifier = "org.example.Other"
                    $0.scenes = [.with { $0.name = "secont" }]
                },
            ]))
        for (error, answers, suggestion) in [
            (
                ControlError.noSuchApplication(application: "Othr"), ["List": list],
                "org.example.Other"
            ),
            (
                .noSuchScene(application: "org.example.First", scene: "secon"), ["List": list],
                "second"
            ),
            (
                .noSuchObject(path: "naw/b", nearest: nil),
                [
                    "Tree": .reply(
                        TreeCall.Reply(objects: [
                            .with { $0.path = "nav" }, .with { $0.path = "nav/b" },
                        ]))
                ], "nav/b"
            ),
            (
                .noSuchKey(path: "nav", key: "txet"),
                [
                    "Get": .reply(GetCall.Reply.with { $0.values = ["a": .null, "text": .null] })
                ], "text"
            ),
            (
                .noSuchCommand(path: "nav", command: "retyr", commands: []),
                [
                    "Commands": .reply(
                        CommandsCall.Reply(commands: [
                            .with { $0.name = "stop" }, .with { $0.name = "retry" },
                        ]))
                ], "retry"
            ),
            (
                .noSuchGeneration(application: "a", generation: "12", generations: ["7", "123"]),
                [:], "123"
            ),
            (
                .notInQuarantine(application: "a", name: "12"),
                [
                    "Quarantine": .reply(
                        QuarantineCall.Reply(quarantined: [
                            .with { $0.name = "7" }, .with { $0.name = "123" },
                        ]))
                ], "123"
            ),
            (.noSuchStage(stage: "luanch", stages: ["pass", "launch"]), [:], "launch"),
        ] as [(ControlError, [String: Answer], String)] {
            let run = try await ProgramRun(
                "--app a --scene s explain b",
                answers: answers.merging(["Explain": .error(error)]) { $1 })
            #expect(run.status == 1)
            #expect(run.errors.hasSuffix(" Did you mean \(suggestion)?\n"), "\(run.errors)")
        }
        let json = try await ProgramRun(
            "--json explain b",
            answers: ["List": list, "Explain": .error(.noSuchApplication(application: "Othr"))])
        #expect(json.output.contains(#""suggestion":"org.example.Other""#))
    }

    @Test func `each command sends its arguments`() async throws {
        for (words, call) in [
            ("type a x --append", #"Type {"append":true,"path":"a","text":"x"}"#),
            (
                "type a x --select=1..2",
                #"Type {"path":"a","select":{"lowerBound":1,"upperBound":2},"text":"x"}"#
            ),
            ("select a 1 0", #"Select {"indexes":[1,0],"path":"a"}"#),
            ("select a --id x", #"Select {"identifiers":["x"],"path":"a"}"#),
            ("select a --none", #"Select {"indexes":[],"path":"a"}"#),
            ("tap a --row 2", #"Tap {"path":"a","row":2}"#),
            ("move a 3 1", #"Move {"from":3,"path":"a","to":1}"#),
            ("delete a 3", #"Delete {"path":"a","row":3}"#),
            (
                "edit-text a moveLeft --extend",
                #"EditText {"action":"moveLeft","extend":true,"path":"a"}"#
            ),
            ("undo-delete a", #"UndoDelete {"path":"a"}"#),
            ("edit-text a moveLeft", #"EditText {"action":"moveLeft","path":"a"}"#),
            ("edit-text a --insert x", #"EditText {"path":"a","text":"x"}"#),
            ("tap -- -", #"Tap {"path":"-"}"#),
            ("scroll a -3 0.5", #"Scroll {"path":"a","x":-3,"y":0.5}"#),
            ("scroll 12 -3 0.5", #"Scroll {"path":"12","x":-3,"y":0.5}"#),
            ("scroll a -.5 0", #"Scroll {"path":"a","x":-0.5,"y":0}"#),
            (
                "--app=b scroll a -3 0.5",
                #"Scroll {"application":"b","path":"a","x":-3,"y":0.5}"#
            ),
            ("--json scroll a -3 0.5", #"Scroll {"path":"a","x":-3,"y":0.5}"#),
            ("zoom a 2", #"Zoom {"path":"a","scale":2}"#),
            ("load a http://x", #"Load {"path":"a","url":"http://x"}"#),
            ("back a", #"Back {"path":"a"}"#),
            ("forward a", #"Forward {"path":"a"}"#),
            ("open a", #"Open {"name":"a"}"#),
            ("close a", #"Close {"name":"a"}"#),
        ] {
            let run = try await ProgramRun(
                words,
                answers: [
                    String(call.prefix { $0 != " " }): Self.tap(.durable)
                ])
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.calls == [call])
        }
    }

    @Test func `text is read from standard input only if the argument is a single hyphen`()
        async throws
    {
        let answers = ["Type": Self.tap(.durable)]
        let read = try await ProgramRun("type a -", answers: answers, input: "two\nlines\n")
        #expect(read.calls == [#"Type {"path":"a","text":"two\nlines\n"}"#])
        let empty = try await ProgramRun("type a -", answers: answers)
        #expect(empty.calls == [#"Type {"path":"a","text":""}"#])
        let literal = try await ProgramRun("type a -- -", answers: answers, input: "x")
        #expect(literal.calls == [#"Type {"path":"a","text":"-"}"#])
        let other = try await ProgramRun("type a --x", answers: answers, input: "x")
        #expect(other.status == 2)
        for (input, message) in [("a\0b", "contains a NUL"), ("\0", "contains a NUL")] {
            let run = try await ProgramRun("type a -", answers: answers, input: input)
            #expect(run.status == 2)
            #expect(run.errors.contains(message))
            #expect(run.calls == [])
        }
        let refused = try await ProgramRun(
            "type a -", answers: ["Type": .error(.noSuchObject(path: "a", nearest: nil))])
        #expect(refused.status == 1)
    }

    @Test func `text from standard input has a maximum size`() async throws {
        let answers = ["Type": Self.tap(.durable)]
        let maximum = 16 << 20
        for (count, status) in [(maximum, 0), (maximum + 1, 2)] {
            let run = try await ProgramRun(
                "type a -", answers: answers, input: String(repeating: "x", count: count))
            #expect(run.status == Int32(status), "\(run.errors)")
            #expect(run.calls.count == (status == 0 ? 1 : 0))
            if status == 2 { #expect(run.errors.contains("more than \(maximum) bytes")) }
        }
    }

    @Test func `a missing socket is reported with its path`() async throws {
        let noSocket = try await ProgramRun(
            "--timeout 1ms tap b", environment: ["REPRISE_SOCKET": "/nonexistent/socket"])
        #expect(noSocket.status == 3)
        #expect(noSocket.errors.contains("there is no socket at /nonexistent/socket"))
        #expect(
            noSocket.errors.hasPrefix(
                "reprisectl: the daemon at /nonexistent/socket does not respond; "
                    + "waiting up to 1 second.\n"))
        let watched = try await ProgramRun(
            "--timeout 1ms show --watch", environment: ["REPRISE_SOCKET": "/nonexistent/socket"])
        #expect(watched.status == 3)
        let named = try await ProgramRun(
            "--socket /nonexistent/other --timeout 1ms --json list")
        #expect(named.status == 3)
        #expect(named.output.contains(#""error":"noDaemon""#))
        #expect(named.errors.contains("there is no socket at /nonexistent/other"))
    }

    @Test func `a call that changes nothing is repeated if its reply is lost`() async throws {
        let run = try await ProgramRun(
            "list", answers: ["List": .sequence([.closes, .reply(ListCall.Reply())])])
        #expect(run.status == 0)
        #expect(run.calls == ["List {}", "List {}"])
        // The daemon may be restarting, which can take as long as a reply.
        #expect(run.errors.hasSuffix(" does not respond; waiting up to 60 seconds.\n"))
        let lost = try await ProgramRun("--timeout 2s list", answers: ["List": .closes])
        #expect(lost.status == 3)
        #expect(lost.calls.count > 1)
    }

    @Test func `a call that may have changed something is not repeated if its reply is lost`()
        async throws
    {
        let run = try await ProgramRun("tap b", answers: ["Tap": .closes])
        #expect(run.status == 5)
        #expect(run.calls.count == 1)
    }
}
