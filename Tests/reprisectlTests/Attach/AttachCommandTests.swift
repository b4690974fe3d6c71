import RepriseControl
import Testing
import Varlink

/// Conditions under which `attach` uses the terminal.
@Suite struct AttachCommandTests {
    private static let answers = [
        "Attach": Answer.reply(
            AttachCall.Reply.with { ($0.application, $0.scene) = ("org.example.A", "main") })
    ]

    @Test(arguments: [
        (24, 80, 80, 23), (50, 132, 132, 49), (2, 1, 1, 1), (0, 50, 80, 23), (10, 0, 80, 23),
    ])
    func `the scene is rendered at the size of the terminal, or at 80 x 23 if it has no size`(
        lines: Int, columns: Int, renderedColumns: Int, renderedLines: Int
    ) async throws {
        let run = try await ProgramRun(
            "attach", answers: Self.answers, isAtTerminal: true, terminalSize: (lines, columns))
        #expect(
            run.calls == [#"Attach {"columns":\#(renderedColumns),"lines":\#(renderedLines)}"#])
        // The input is a file.
        #expect(run.errors.contains("attach needs a terminal as input and output"))
        #expect(run.status == 2)
    }

    @Test func `without a terminal, the scene is rendered at 80 columns and 23 lines`()
        async throws
    {
        let run = try await ProgramRun("attach", answers: Self.answers)
        #expect(run.calls == [#"Attach {"columns":80,"lines":23}"#])
        #expect(run.errors.contains("attach needs a terminal as input and output"))
        #expect(run.status == 2)
    }

    @Test func `the output must also be a terminal`() async throws {
        let run = try await ProgramRun(
            ["attach"], answers: Self.answers, environment: ["TERM": "xterm"],
            startedBy: ["sh", "-c", #"exec "$@" <&1 >/dev/null"#, "sh"], isAtTerminal: true)
        #expect(run.errors.contains("attach needs a terminal as input and output"))
        #expect(run.status == 2)
    }

    @Test(arguments: [nil, "", "dumb"] as [String?])
    func `a terminal that cannot position the cursor is not used`(type: String?) async throws {
        let run = try await ProgramRun(
            ["attach"], answers: Self.answers, environment: type.map { ["TERM": $0] } ?? [:],
            startedBy: ["sh", "-c", #"exec "$@" <&1"#, "sh"], isAtTerminal: true)
        #expect(run.errors.contains("attach needs a terminal that can position the cursor"))
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
    }
}
