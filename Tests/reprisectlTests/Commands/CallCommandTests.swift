import RepriseControl
import Testing
import Varlink

/// Arguments and output of `call`.
@Suite(.timeLimit(.minutes(10))) struct CallCommandTests {
    private static let retry = CommandDescription.with {
        ($0.name, $0.summary, $0.result) = ("retry", "Tries again.", "string")
        $0.parameters = [
            .with { ($0.name, $0.summary, $0.type) = ("job", "The job.", "int") },
            .with { ($0.name, $0.summary, $0.type) = ("note", "A note.", "?string") },
            .with { ($0.name, $0.summary, $0.type) = ("force", "Whether.", "?bool") },
            .with { ($0.name, $0.summary, $0.type) = ("list", "Numbers.", "?[]int") },
            .with { ($0.name, $0.summary, $0.type) = ("scale", "A factor.", "?float") },
        ]
    }
    private static let stop = CommandDescription.with { ($0.name, $0.summary) = ("stop", "Stops.") }
    private static let commands = Answer.reply(CommandsCall.Reply(commands: [retry, stop]))

    private func call(
        _ words: [String], answer: Answer = .reply(CallCall.Reply.with { $0.saved = .durable })
    ) async throws -> ProgramRun {
        try await ProgramRun(
            ["call", "nav", "retry"] + words, answers: ["Commands": Self.commands, "Call": answer])
    }

    @Test func `a path or a command can be a negative number`() async throws {
        let call = try await ProgramRun(
            ["call", "-5", "-6", "-7"], answers: ["Commands": .reply(CommandsCall.Reply())])
        #expect(call.calls.first == #"Commands {"load":true,"path":"-5"}"#)
        let scroll = try await ProgramRun(
            ["scroll", "-5", "1", "-2"],
            answers: ["Scroll": .reply(ScrollCall.Reply.with { $0.saved = .durable })])
        #expect(scroll.calls.map { $0.hasPrefix(#"Scroll {"path":"-5","#) } == [true])
    }

    @Test func `call lists all commands if none is specified`() async throws {
        let run = try await ProgramRun("call nav", answers: ["Commands": Self.commands])
        #expect(
            run.output == """
                retry(job: int, note: ?string, force: ?bool, list: ?[]int, scale: ?float) -> string
                    Tries again.
                    job: The job.
                    note: A note.
                    force: Whether.
                    list: Numbers.
                    scale: A factor.
                stop()
                    Stops.

                """)
        #expect(run.calls == [#"Commands {"path":"nav"}"#])
        let json = try await ProgramRun("--json call nav", answers: ["Commands": Self.commands])
        #expect(json.output.hasPrefix(#"{"commands":[{"name":"retry","#))
        let none = try await ProgramRun(
            "call nav", answers: ["Commands": .reply(CommandsCall.Reply())])
        #expect(none.output == "nav has no commands of its own\n")
    }

    @Test(arguments: [
        (["7"], #"{"job":7}"#), (["7", "a=b"], #"{"job":7,"note":"a=b"}"#),
        (["note=null", "7"], #"{"job":7,"note":"null"}"#),
        (["force=true", "job=-7"], #"{"force":true,"job":-7}"#),
        (["7", "n", "null"], #"{"force":null,"job":7,"note":"n"}"#),
        (["7", "list=[1, 2]"], #"{"job":7,"list":[1,2]}"#),
        (["7", "list=null"], #"{"job":7,"list":null}"#),
        (["7", "scale=0.5", "note=x=y"], #"{"job":7,"note":"x=y","scale":0.5}"#),
        (["7", "note="], #"{"job":7,"note":""}"#),
    ])
    func `arguments are matched by position or by name`(words: [String], json: String)
        async throws
    {
        let run = try await call(words)
        #expect(run.errors == "")
        #expect(run.output == "saved: durable\n")
        #expect(run.calls.last == #"Call {"arguments":\#(json),"command":"retry","path":"nav"}"#)
        #expect(run.calls.first == #"Commands {"load":true,"path":"nav"}"#)
    }

    @Test(arguments: [
        ([], "job is missing: the command is retry(job: int"),
        (["job=1", "job=2"], "job is specified twice."),
        (["x"], "\"x\" is not a valid int for job."),
        (["jbo=1"], "there is no parameter jbo: the command is retry("),
        (["job1=1"], "there is no parameter job1: the command is retry("),
        (["job"], "\"job\" is not a valid int for job."),
        (["=1"], "\"=1\" is not a valid int for job."),
        (["a-b=1"], "\"a-b=1\" is not a valid int for job."),
        (["job=null"], "\"null\" is not a valid int for job."),
        (["1", "force=yes"], "\"yes\" is not a valid ?bool for force."),
        (["1", "scale=inf"], "\"inf\" is not a valid ?float for scale."),
        (["1", "list=[1"], "\"[1\" is not a valid ?[]int for list."),
    ])
    func `invalid arguments are refused before the call`(words: [String], message: String)
        async throws
    {
        let run = try await call(words)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("reprisectl: \(message)"), "\(run.errors)")
        #expect(run.calls.count == 1)
    }

    @Test func `an extra argument is refused`() async throws {
        let run = try await ProgramRun(
            "call nav stop x", answers: ["Commands": Self.commands])
        #expect(run.status == 2)
        #expect(
            run.errors == "reprisectl: \"x\" is one argument too many: the command is stop().\n")
    }

    @Test func `the daemon refuses an unknown command, and the error suggests the closest match`()
        async throws
    {
        let run = try await ProgramRun(
            "call nav retyr 1",
            answers: [
                "Commands": Self.commands,
                "Call": .error(.noSuchCommand(path: "nav", command: "retyr", commands: ["retry"])),
            ])
        #expect(run.status == 1)
        #expect(run.errors.hasSuffix(" Did you mean retry?\n"))
        #expect(run.calls.contains(#"Call {"arguments":{},"command":"retyr","path":"nav"}"#))
        let lost = try await ProgramRun(
            "call nva",
            answers: [
                "Commands": .error(.noSuchObject(path: "nva", nearest: nil)),
                "Tree": .reply(TreeCall.Reply(objects: [.with { $0.path = "nav" }])),
            ])
        #expect(lost.errors.hasSuffix(" Did you mean nav?\n"))
    }

    @Test func `the result is printed if there is one, otherwise how durable the change is`()
        async throws
    {
        let result = CallCall.Reply.with { ($0.result, $0.saved) = (.integer(3), .written) }
        let run = try await call(["7"], answer: .reply(result))
        #expect(run.output == "3\n")
        let done = try await call(
            ["7"], answer: .reply(CallCall.Reply.with { $0.saved = .written }))
        #expect(done.output == "saved: written\n")
        let quiet = try await call(["7", "-q"], answer: .reply(result))
        #expect(quiet.output == "3\n")
        #expect(quiet.errors == "")
        let unsaved = CallCall.Reply.with { ($0.saved, $0.notSavedReason) = (.no, "full") }
        let problem = try await call(["7", "-q"], answer: .reply(unsaved))
        #expect(problem.output == "")
        #expect(problem.errors == "reprisectl: done, but NOT SAVED: full\n")
    }
}
