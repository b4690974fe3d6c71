import RepriseControl
import TestSupport
import Testing
import Varlink

/// Output to a pager, or to a destination that rejects it.
@Suite(.timeLimit(.minutes(10))) struct PagerTests {
    private static let answers = [
        "Tree": Answer.reply(
            TreeCall.Reply(objects: [.with { ($0.path, $0.class) = ("nav", "C") }])),
        "Get": .reply(GetCall.Reply.with { $0.value = .integer(7) }),
        "List": .reply(ListCall.Reply()),
    ]

    private func run(
        _ words: String, pager: String?, input: String = "", atTerminal isAtTerminal: Bool = true,
        path: String = "/usr/bin:/bin"
    ) async throws -> ProgramRun {
        var environment = ["NO_COLOR": "1", "PATH": path]
        environment["PAGER"] = pager
        return try await ProgramRun(
            words, answers: Self.answers, input: input, environment: environment,
            isAtTerminal: isAtTerminal)
    }

    private static let paging = "sed s/^/paged:/"
    private static let table = "PATH  CLASS  PRESERVED\nnav   C      no: \n"

    @Test func `long output of a command goes through the pager at a terminal`() async throws {
        let paged = try await run("tree", pager: Self.paging)
        #expect(paged.status == 0)
        #expect(paged.output == "paged:PATH  CLASS  PRESERVED\npaged:nav   C      no: \n")
        #expect(try await run("tree --no-pager", pager: Self.paging).output == Self.table)
        let piped = try await run("tree", pager: Self.paging, atTerminal: false)
        #expect(!piped.output.contains("paged"))
        #expect(try await run("get nav k", pager: Self.paging).output == "7\n")
        let batch = try await run("batch", pager: Self.paging, input: "tree")
        #expect(batch.output == Self.table)
    }

    @Test func `an inspection goes through the pager at a terminal, unless it is JSON`()
        async throws
    {
        let scratch = try ScratchDirectory()
        try scratch.write("state", "text")
        let command = "inspect \(scratch.file("state"))"
        let paged = try await run(command, pager: Self.paging)
        #expect(paged.output.hasPrefix("paged:"))
        for option in ["--json", "--no-pager"] {
            let plain = try await run("\(command) \(option)", pager: Self.paging)
            #expect(!plain.output.isEmpty)
            #expect(!plain.output.contains("paged:"))
        }
    }

    @Test func `help goes through the pager if it is long`() async throws {
        let help = try await run("help type", pager: Self.paging)
        #expect(help.output.hasPrefix("paged:OVERVIEW: Types text"))
        let plain = try await run("help type --no-pager", pager: Self.paging)
        #expect(plain.output.hasPrefix("OVERVIEW: Types text"))
        #expect(!plain.output.contains("--no-pager"))
        #expect(try await run("--version", pager: Self.paging).output == "reprisectl 0.1.0\n")
    }

    @Test(arguments: ["", "cat", "exit 126", "exit 127", "/nonexistent/pager"])
    func `without a working pager, output is printed directly`(pager: String) async throws {
        let run = try await run("tree", pager: pager)
        #expect(run.status == 0)
        #expect(run.output.hasSuffix(Self.table), "\(run.output)")
    }

    @Test(arguments: ["true", "exit 1", "exit 125"])
    func `a pager that exits early is not a failure`(pager: String) async throws {
        let run = try await run("tree", pager: pager)
        #expect(run.status == 0)
        #expect(run.output == "")
        #expect(run.errors == "")
    }

    @Test func `if PAGER is unset, less from the search path is used`() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("less", "#!/bin/sh\nprintf '%s %s\\n' \"$*\" \"$LESS\"; sed s/^/less:/\n")
        let made = try await ProgramRun(
            ["--version"],
            startedBy: ["sh", "-c", "chmod 755 \(scratch.file("less")); exec \"$@\"", "sh"])
        #expect(made.status == 0)
        let run = try await run(
            "tree", pager: nil, path: "/nonexistent:\(scratch.path):/usr/bin:/bin")
        #expect(run.output == "-FRX FRX\nless:PATH  CLASS  PRESERVED\nless:nav   C      no: \n")
    }

    @Test func `output that cannot be printed has its own exit status`() async throws {
        for (redirection, message) in [
            ("/dev/full", "reprisectl: the command succeeded, but its reply cannot be printed: "),
            ("&-", "reprisectl: the command succeeded, but its reply cannot be printed: "),
        ] {
            let run = try await ProgramRun(
                ["get", "nav", "k"], answers: Self.answers,
                startedBy: ["sh", "-c", "exec \"$@\" >\(redirection)", "sh"])
            #expect(run.status == 6, "\(redirection)")
            #expect(run.errors.hasPrefix(message), "\(run.errors)")
        }
        let piped = try await ProgramRun(
            ["get", "nav", "k"], answers: Self.answers,
            startedBy: [
                "bash", "-c", #"exec 3>&1; { sleep 0.1; "$@"; echo $? >&3; } | true; exit 0"#, "sh",
            ])
        #expect(piped.errors == "")
        #expect(piped.output == "6\n")
        let failed = try await ProgramRun(
            ["--json", "get", "nav", "k"],
            answers: ["Get": .error(.noSuchKey(path: "nav", key: "k"))],
            startedBy: ["sh", "-c", "exec \"$@\" >/dev/full", "sh"])
        #expect(failed.status == 1)
        #expect(failed.errors.split(separator: "\n").count == 1)
    }

    @Test func `a failure is printed once, and with --json on both outputs`() async throws {
        let plain = try await ProgramRun("list --wrong")
        #expect(plain.status == 2)
        #expect(plain.output == "")
        let json = try await ProgramRun("--json list --wrong")
        #expect(json.output.hasPrefix(#"{"error":"usage","message":"#))
        #expect(json.errors == plain.errors.replacing("reprisectl list", with: "reprisectl list"))
        let family = try await ProgramRun("debug")
        #expect(family.status == 2)
        #expect(family.errors.split(separator: "\n").count > 3)
        let bytes = try await ProgramRun(
            [], startedBy: ["sh", "-c", #"exec "$1" get "$(printf 'a\377')""#, "sh"])
        #expect(bytes.status == 2)
        #expect(bytes.errors == "reprisectl: argument 2 is not UTF-8: encode it as UTF-8.\n")
        let empty = try await ProgramRun("list --app=")
        #expect(empty.status == 2)
        #expect(empty.errors.hasPrefix("reprisectl: --app= has no value"))
        let value = try await ProgramRun("list --socket= x")
        #expect(value.errors.hasPrefix("reprisectl: --socket= has no value"))
    }
}
