import RepriseControl
import Testing
import Varlink

/// Output of the commands for the history.
@Suite(.timeLimit(.minutes(10))) struct HistoryCommandsTests {
    private static let history = HistoryCall.Reply.with {
        $0.generations = [
            .with {
                ($0.name, $0.time, $0.objects, $0.bytes) = ("3", "noon", 1, 20)
                ($0.bundleVersions, $0.path) = (["1", "2"], "/h/it's")
            },
            .with {
                ($0.name, $0.time, $0.objects, $0.bytes) = ("4", "one", 2, 1)
                ($0.reason, $0.problem, $0.path) = ("a stop", "torn", "/h/4")
            },
        ]
    }

    @Test func `generations are listed with all their details`() async throws {
        let run = try await ProgramRun("history", answers: ["History": .reply(Self.history)])
        #expect(
            run.output == """
                3  noon, 1 object, 20 bytes, saved by version 1, 2
                  /h/it's
                4  one, 2 objects, 1 byte
                  because a stop
                  torn
                  /h/4

                """)
        #expect(run.calls == ["History {}"])
        var partialHistory = Self.history
        partialHistory.omitted = 1
        let more = try await ProgramRun(
            "history --before 5", answers: ["History": .reply(partialHistory)])
        #expect(
            more.output.hasPrefix(
                "1 older generation not listed: reprisectl history --before 3 lists more\n3  noon"))
        #expect(more.calls == [#"History {"before":"5"}"#])
    }

    @Test(arguments: ["history delete 3 --before 5", "history --before 5 delete 3"])
    func `deleting generations does not accept the option for listing them`(
        command: String
    ) async throws {
        let answers = ["HistoryDelete": Answer.reply(HistoryDeleteCall.Reply())]
        let run = try await ProgramRun(command, answers: answers)
        #expect(run.status == 2)
        #expect(
            run.errors.contains(
                "The command deletes only the generations that are named and does not accept "
                    + "--before"))
        #expect(run.calls == [])
    }

    @Test func `an empty history is reported`() async throws {
        let answers = ["History": Answer.reply(HistoryCall.Reply())]
        let all = try await ProgramRun("history", answers: answers)
        #expect(all.output == "the history is empty\n")
        let before = try await ProgramRun("history --before 5", answers: answers)
        #expect(before.output == "the history has no generation older than 5\n")
    }

    @Test func `at a terminal, generations are printed as a table`() async throws {
        let run = try await ProgramRun(
            "--no-pager history", answers: ["History": .reply(Self.history)],
            environment: ["NO_COLOR": "1"], isAtTerminal: true)
        #expect(
            run.output == #"""
                GENERATION  TIME  OBJECTS  BYTES  VERSION  REASON
                3           noon  1        20     1 2      
                4           one   2        1               a stop; torn
                reprisectl inspect '/h/4'

                """#)
        var quoted = Self.history
        quoted.generations.removeLast()
        let other = try await ProgramRun(
            "--no-pager history", answers: ["History": .reply(quoted)],
            environment: ["TERM": "xterm"], isAtTerminal: true)
        #expect(other.output.hasSuffix("reprisectl inspect '/h/it'\\''s'\n"))
        #expect(other.output.hasPrefix("\u{1B}[1mGENERATION"))
        #expect(!other.output.contains("\u{1B}[31m"))
        let red = try await ProgramRun(
            "--no-pager history", answers: ["History": .reply(Self.history)],
            environment: ["TERM": "xterm"], isAtTerminal: true)
        #expect(red.output.contains("\u{1B}[31m4  "))
    }

    @Test func `diff lists the differences or reports that there are none`() async throws {
        let equal = try await ProgramRun(
            "diff 1", answers: ["Diff": .reply(DiffCall.Reply.with { $0.from = "1" })])
        #expect(equal.output == "1 and the saved state are equal\n")
        let both = DiffCall.Reply.with { ($0.from, $0.to) = ("1", "2") }
        #expect(
            try await ProgramRun("diff 1 2", answers: ["Diff": .reply(both)]).output
                == "1 and 2 are equal\n")
        var other = both
        other.unlisted = 3
        #expect(
            try await ProgramRun("diff 1 2", answers: ["Diff": .reply(other)]).output
                == "and 3 more\n")
        other.problems = ["first", "second"]
        other.unlisted = 0
        other.differences = [
            .with { ($0.scene, $0.kind) = ("main", .appeared) },
            .with { ($0.scene, $0.kind) = ("other", .disappeared) },
        ]
        let run = try await ProgramRun("diff 1 2", answers: ["Diff": .reply(other)])
        #expect(run.output == "+ scene main\n- scene other\n")
        #expect(run.errors == "reprisectl: first\nreprisectl: second\n")
        #expect(run.calls == [#"Diff {"from":"1","to":"2"}"#])
        let merged = try await ProgramRun(
            ["diff", "1", "2"], answers: ["Diff": .reply(other)],
            startedBy: ["sh", "-c", #"exec "$@" 2>&1"#, "sh"])
        #expect(merged.output == run.errors + run.output)
    }

    @Test
    func `rollback shows the generation of the replaced state and the command that restores it`()
        async throws
    {
        let hint = "the previous state is in the history as "
        for (path, expected) in [
            (
                "/s/org.a.savedState/history/7.archive",
                "/s/org.a.savedState/history/7.archive: `reprisectl --app org.a rollback 7` restores it"
            ),
            (
                "/s/other/history/7.archive",
                "/s/other/history/7.archive: `reprisectl rollback 7` restores it"
            ),
            (
                "/s/x.savedState/s/other/history/name",
                "/s/x.savedState/s/other/history/name: `reprisectl rollback "
                    + "/s/x.savedState/s/other/history/name` restores it"
            ),
        ] {
            let reply = RollbackCall.Reply.with {
                ($0.scenes, $0.generation, $0.saved) = (["a", "b"], path, .durable)
            }
            let run = try await ProgramRun("rollback 3", answers: ["Rollback": .reply(reply)])
            #expect(run.output == "rolled back: a b\n\(hint)\(expected)\nsaved: durable\n")
        }
        let none = try await ProgramRun(
            "--scene main rollback 3",
            answers: ["Rollback": .reply(RollbackCall.Reply.with { $0.saved = .written })])
        #expect(none.output == "rolled back\nsaved: written\n")
        #expect(none.calls == [#"Rollback {"generation":"3","scene":"main"}"#])
    }

    @Test func `reset prints what happened to the scenes`() async throws {
        for (scenes, words, expected) in [
            ([], "reset", "reset\n"), (["a"], "reset", "relaunched without saved state: a\n"),
            (["a"], "reset --to-saved", "relaunched: a\n"),
            ([], "reset --to-saved", "relaunched\n"),
        ] {
            let reply = ResetCall.Reply.with { ($0.scenes, $0.saved) = (scenes, .durable) }
            let run = try await ProgramRun(words, answers: ["Reset": .reply(reply)])
            #expect(run.output == expected + "saved: durable\n")
            #expect(run.calls == [words == "reset" ? "Reset {}" : #"Reset {"toSaved":true}"#])
        }
    }

    @Test func `deleted generations are printed`() async throws {
        let run = try await ProgramRun("history delete 1 2")
        #expect(run.output == "deleted: 1 2\n")
        #expect(run.calls == [#"HistoryDelete {"generations":["1","2"]}"#])
        let quiet = try await ProgramRun("-q history delete 1")
        #expect(quiet.output == "")
    }

    private static let quarantined = QuarantineCall.Reply.with {
        $0.quarantined = [
            .with {
                ($0.name, $0.path, $0.kind) = ("1.archive", "/q/1.archive", .file)
                ($0.reason, $0.time, $0.bytes) = ("torn", "noon", 20)
            },
            .with { ($0.name, $0.path, $0.kind, $0.bytes) = ("d", "/q/d", .folder, 9) },
            .with { ($0.name, $0.path, $0.kind) = ("l", "/q/l", .link) },
            .with { ($0.name, $0.path, $0.kind) = ("o", "/q/o", .other) },
        ]
    }

    @Test func `quarantined entries are listed with their reasons`() async throws {
        let answers = ["Quarantine": Answer.reply(Self.quarantined)]
        #expect(
            try await ProgramRun("quarantine", answers: answers).output == """
                1.archive  20 bytes, since noon
                  torn
                  /q/1.archive
                d  a directory, which cannot be put back
                  (no reason recorded)
                  /q/d
                l  a symbolic link, which cannot be put back
                  (no reason recorded)
                  /q/l
                o  not a file, which cannot be put back
                  (no reason recorded)
                  /q/o

                """)
        #expect(
            try await ProgramRun(
                "quarantine", answers: answers, environment: ["NO_COLOR": "1"], isAtTerminal: true
            ).output == """
                NAME       SINCE  BYTES  REASON
                1.archive  noon   20     torn
                d                        (a directory, which cannot be put back) (no reason recorded)
                l                        (a symbolic link, which cannot be put back) (no reason recorded)
                o                        (not a file, which cannot be put back) (no reason recorded)
                in /q

                """)
        #expect(
            try await ProgramRun(
                "quarantine", answers: ["Quarantine": .reply(QuarantineCall.Reply())]
            ).output == "the quarantine is empty\n")
    }

    @Test func `put-back prints the restored scenes or document, and what is missing`() async throws
    {
        let reply = QuarantinePutBackCall.Reply.with {
            ($0.scenes, $0.shortfall, $0.saved) = (["a", "b"], "torn", .durable)
            $0.generation = "/s/org.a.savedState/history/7.archive"
        }
        for (option, restoredPart) in [
            ("", "the part before the damage was put back"),
            ("--salvage", "the intact objects were put back"),
        ] {
            let run = try await ProgramRun(
                "quarantine put-back n \(option)",
                answers: ["QuarantinePutBack": .reply(reply)])
            #expect(
                run.output == """
                    put back: a b
                    incomplete: torn; \(restoredPart)
                    the previous state is in the history as /s/org.a.savedState/history/7.archive: \
                    `reprisectl --app org.a rollback 7` restores it
                    saved: durable

                    """)
            #expect(
                run.calls == [
                    "QuarantinePutBack {\"name\":\"n\""
                        + (option == "--salvage" ? ",\"salvage\":true}" : "}")
                ])
        }
        let document = QuarantinePutBackCall.Reply.with {
            ($0.document, $0.saved) = ("text", .durable)
        }
        let run = try await ProgramRun(
            "quarantine put-back n", answers: ["QuarantinePutBack": .reply(document)])
        #expect(run.output == "put back: the document text\nsaved: durable\n")
    }

    @Test func `quarantined files can be deleted and acknowledged`() async throws {
        let deleted = try await ProgramRun("quarantine delete a b")
        #expect(deleted.output == "deleted: a b\n")
        #expect(deleted.calls == [#"QuarantineDelete {"names":["a","b"]}"#])
        let acknowledged = try await ProgramRun("--app a quarantine acknowledge")
        #expect(
            acknowledged.output == "`status --check` ignores the files that are in quarantine now\n"
        )
        #expect(acknowledged.calls == [#"QuarantineAcknowledge {"application":"a"}"#])
        for words in ["delete a", "acknowledge"] {
            let quiet = try await ProgramRun("-q quarantine \(words)")
            #expect(quiet.output == "")
        }
    }
}
