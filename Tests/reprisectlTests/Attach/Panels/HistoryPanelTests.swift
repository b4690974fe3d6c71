import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Earlier states of a scene in the terminal client.
@Suite struct HistoryPanelTests {
    @Test func `confirming rolls back to the chosen generation`() throws {
        let generations = ["1", "2", "3"].map { name in
            GenerationDescription.with { $0.name = name }
        }
        try StubDaemon.withCalls([
            HistoryCall.qualifiedMethod: HistoryCall.Reply.with { $0.generations = generations },
            ShowCall.qualifiedMethod: ShowCall.Reply(), DiffCall.qualifiedMethod: DiffCall.Reply(),
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            // The newest generation is first.
            for (keys, name) in [(0, "3"), (1, "2"), (1, "1")] {
                for _ in 0..<keys { _ = try panel.press(.down, calls) }
                _ = try panel.press(.enter, calls)
                let outcome = try panel.press(.text("y"), calls)
                #expect(outcome == .rollBack(generation: name))
            }
        }
    }

    private static let generation = GenerationDescription.with {
        ($0.name, $0.time, $0.objects, $0.reason) = ("000001", "yesterday", 2, "it was stopped")
    }

    private static let history = HistoryCall.Reply.with { $0.generations = [generation] }
    private static let refusal =
        #"{"error":"org.reprise.Control.NoSuchObject","parameters":{"path":"nav"}}"#
    private static let size = TerminalSession.Size(lines: 30, columns: 21)

    /// Returns the message that contains a rendering.
    private static func rendering(_ lines: String...) throws -> String {
        let framed = ["┌────┐"] + lines.map { "│ \($0) │" } + ["└────┘"]
        return try StubDaemon.message(
            ShowCall.Reply.with { $0.text = framed.joined(separator: "\n") })
    }

    private static func selection(_ column: Int, _ columns: Int) -> DrawnSpan {
        .with { ($0.role, $0.column, $0.columns) = (.selection, column, columns) }
    }

    private static let head = [
        "  Earlier states", "  › 000001  yesterday  2 objects  it was stopped", "",
        "  then    │  now     ",
    ]

    @Test(arguments: [true, false])
    func `the panel shows both renderings side by side and the differences of the scene`(
        isLongerThen: Bool
    ) throws {
        let differences: [DifferenceDescription] = [
            .with {
                ($0.scene, $0.path, $0.kind, $0.key) = ("main", "nav", .changed, "text")
                ($0.from, $0.to) = (.string("a"), .string("b"))
            },
            .with { ($0.scene, $0.kind) = ("other", .appeared) },
        ]
        let renderings = [
            try Self.rendering("ab", "cd"), try Self.rendering("ab", "xd", "ef"),
        ]
        try StubDaemon.withCalls(inOrder: [
            try StubDaemon.message(Self.history), renderings[isLongerThen ? 0 : 1],
            renderings[isLongerThen ? 1 : 0],
            try StubDaemon.message(DiffCall.Reply.with { $0.differences = differences }),
        ]) { calls in
            calls.sceneName = "main"
            var panel = try HistoryPanel(calls, allowsRollback: true)
            let drawn = panel.lines(Self.size)
            let pairs =
                isLongerThen
                ? ["ab        │ab", "xd        │cd", "ef        │"]
                : ["ab        │ab", "cd        │xd", "          │ef"]
            #expect(
                drawn.map(\.text) == Self.head + pairs + [
                    "", "  - then  + now", "  scene main", "    nav", "  -   text: a",
                    "  +   text: b",
                ])
            #expect(drawn[4].spans.isEmpty)
            #expect(drawn[5].spans == [Self.selection(0, 1), Self.selection(11, 1)])
            #expect(drawn[6].spans == [Self.selection(isLongerThen ? 0 : 11, 2)])
            #expect(drawn[11].spans.map(\.role) == [.position])
            #expect(drawn[12].spans.isEmpty)
        }
    }

    /// Calls a closure with a panel that has one generation. The rendering of the generation equals the current
    /// rendering.
    private func withPanel(
        allowsRollback: Bool, _ body: (inout HistoryPanel, SceneCalls) throws -> Void
    ) throws {
        try StubDaemon.withCalls(inOrder: [
            try StubDaemon.message(Self.history), try Self.rendering("ab"),
            try Self.rendering("ab"), try StubDaemon.message(DiffCall.Reply()),
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: allowsRollback)
            try body(&panel, calls)
        }
    }

    @Test func `rollback requires confirmation`() throws {
        try withPanel(allowsRollback: true) { panel, calls in
            let hint = "Enter: roll back · arrows, Space: see more · Escape: back"
            #expect(panel.hint == hint)
            #expect(
                panel.lines(Self.size).map(\.text)
                    == Self.head + ["ab        │ab", "", "  the saved state is the same"])
            for answer in [Key.text("n"), .enter, .escape, .down] {
                try panel.press(.enter, calls, expecting: .stayOpen)
                #expect(panel.hint == "roll back to 000001? (y/n)")
                try panel.press(answer, calls, expecting: .stayOpen)
                #expect(panel.hint == hint)
                try panel.press(.text("y"), calls, expecting: .stayOpen)
            }
            try panel.press(.escape, calls, expecting: .close)
        }
    }

    @Test func `a read-only client cannot roll back`() throws {
        try withPanel(allowsRollback: false) { panel, calls in
            #expect(panel.hint == "arrows, Space: see more · Escape: back to the scene")
            try panel.press(.enter, calls, expecting: .stayOpen)
            try panel.press(.text("y"), calls, expecting: .stayOpen)
        }
    }

    @Test func `a wide rendering scrolls horizontally`() throws {
        try withPanel(allowsRollback: true) { panel, calls in
            try panel.press(.right, calls, expecting: .stayOpen)
            #expect(panel.lines(Self.size)[4].text == "          │")
            for _ in 0..<2 { try panel.press(.left, calls, expecting: .stayOpen) }
            #expect(panel.lines(Self.size)[4].text == "ab        │ab")
            try panel.press(.right, calls, expecting: .stayOpen)
            #expect(panel.lines(Self.size)[4].text == "          │")
        }
    }

    @Test func `an empty history offers no rollback`() throws {
        try StubDaemon.withCalls(inOrder: [
            try StubDaemon.message(HistoryCall.Reply()), try Self.rendering("ab"),
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            #expect(panel.hint == "the history is empty · Escape: back to the scene")
            #expect(
                panel.lines(Self.size).map(\.text) == [
                    "  Earlier states", "", "  then    │  now     ", "          │ab",
                ])
            try panel.press(.enter, calls, expecting: .stayOpen)
            try panel.press(.escape, calls, expecting: .close)
        }
    }

    @Test func `if a generation cannot be rendered, the error is shown and rollback is disabled`()
        throws
    {
        try StubDaemon.withCalls(inOrder: [
            try StubDaemon.message(Self.history), try Self.rendering("ab"), Self.refusal,
            Self.refusal,
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            #expect(panel.hint == "arrows, Space: see more · Escape: back to the scene")
            let drawn = panel.lines(Self.size).map(\.text)
            #expect(Array(drawn.prefix(5)) == Self.head + ["  There is no"])
            #expect(drawn.contains("          │ab"))
            #expect(
                drawn.last == "  There is no object at nav: `reprisectl tree` shows all objects.")
            try panel.press(.enter, calls, expecting: .stayOpen)
            try panel.press(.text("y"), calls, expecting: .stayOpen)
        }
    }

    /// Returns the message that contains a history. The first name is the oldest generation.
    private static func history(_ names: [String]) throws -> String {
        try StubDaemon.message(
            HistoryCall.Reply.with { reply in
                reply.generations = names.map { name in .with { $0.name = name } }
            })
    }

    private static func noDifferences() throws -> String {
        try StubDaemon.message(DiffCall.Reply())
    }

    /// Reply that the client cannot decode.
    private static let malformed = "{}"
    private static let rollbackHint = "Enter: roll back · arrows, Space: see more · Escape: back"

    @Test func `rollback is enabled again when a generation that can be rendered is selected`()
        throws
    {
        try StubDaemon.withCalls(inOrder: [
            try Self.history(["1", "2"]), try Self.rendering("ab"), Self.refusal,
            try Self.noDifferences(), try Self.history(["1", "2"]), try Self.rendering("ab"),
            try Self.rendering("ab"), try Self.noDifferences(),
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            #expect(panel.hint == "arrows, Space: see more · Escape: back to the scene")
            // Without a rendering, the panel does not claim that the states are the same.
            let drawn = panel.lines(Self.size).map(\.text)
            #expect(!drawn.contains("  the saved state is the same"))
            try panel.press(.down, calls, expecting: .stayOpen)
            #expect(panel.hint == Self.rollbackHint)
        }
    }

    @Test func `rollback stays disabled if the next generation cannot be read`() throws {
        try StubDaemon.withCalls(inOrder: [
            try Self.history(["1", "2"]), try Self.rendering("ab"), Self.refusal,
            try Self.noDifferences(), try Self.history(["1", "2"]), try Self.rendering("ab"),
            Self.malformed,
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            #expect(throws: SceneCalls.CallError.self) { try panel.press(.down, calls) }
            #expect(panel.hint == "arrows, Space: see more · Escape: back to the scene")
        }
    }

    @Test func `another generation is shown from its first line, even if it cannot be read`()
        throws
    {
        let names = ["1", "2"]
        let text = try StubDaemon.message(
            ShowCall.Reply.with { $0.text = (10..<30).map { "\($0)" }.joined(separator: "\n") })
        try StubDaemon.withCalls(inOrder: [
            try Self.history(names), text, text, try Self.noDifferences(),
            try Self.history(names), text, text, try Self.noDifferences(),
            try Self.history(names), text, Self.malformed,
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            func firstLine() -> String {
                panel.lines(TerminalSession.Size(lines: 10, columns: 21)).map(\.text)[5]
            }
            #expect(firstLine() == "10        │10")
            try panel.press(.text(" "), calls, expecting: .stayOpen)
            #expect(firstLine() == "15        │15")
            try panel.press(.down, calls, expecting: .stayOpen)
            #expect(firstLine() == "10        │10")
            try panel.press(.text(" "), calls, expecting: .stayOpen)
            #expect(throws: SceneCalls.CallError.self) { try panel.press(.up, calls) }
            #expect(firstLine() == "          │10")
        }
    }

    /// Returns the message that contains a changed value of the scene `main`.
    private static func difference(to value: String) throws -> String {
        try StubDaemon.message(
            DiffCall.Reply.with {
                $0.differences = [
                    .with {
                        ($0.scene, $0.path, $0.kind, $0.key) = ("main", "nav", .changed, "text")
                        ($0.from, $0.to) = (.string("a"), .string(value))
                    }
                ]
            })
    }

    @Test func `after a change of the scene, the marks and the differences are updated`() throws {
        try StubDaemon.withCalls(inOrder: [
            try StubDaemon.message(Self.history), try Self.rendering("ab"),
            try Self.rendering("ab"), try Self.noDifferences(),
            try StubDaemon.message(Self.history), try Self.rendering("xb"),
            try Self.difference(to: "x"),
            try StubDaemon.message(Self.history), try Self.rendering("yb"), Self.malformed,
        ]) { calls in
            calls.sceneName = "main"
            var panel = try HistoryPanel(calls, allowsRollback: true)
            try panel.press(.enter, calls, expecting: .stayOpen)
            try panel.sceneDidChange(calls)
            let drawn = panel.lines(Self.size)
            #expect(drawn[4].text == "ab        │xb")
            #expect(drawn[4].spans == [Self.selection(0, 1), Self.selection(11, 1)])
            #expect(drawn.last?.text == "  +   text: x")
            // The same generation is still shown, so the user can still confirm the rollback to it.
            #expect(panel.hint == "roll back to 000001? (y/n)")
            // If the differences are unknown, none are shown.
            #expect(throws: SceneCalls.CallError.self) { try panel.sceneDidChange(calls) }
            #expect(panel.lines(Self.size).last?.text == "ab        │yb")
        }
    }

    @Test(arguments: ["1", "2"])
    func `if the generation changes or disappears, the user is not asked about another generation`(
        name: String
    ) throws {
        let replaced = try StubDaemon.message(
            HistoryCall.Reply.with {
                $0.generations = [.with { ($0.name, $0.time) = (name, "later") }]
            })
        try StubDaemon.withCalls(inOrder: [
            try Self.history(["1", "2"]), try Self.rendering("ab"), try Self.rendering("ab"),
            try Self.noDifferences(), replaced, try Self.rendering("ab"), try Self.rendering("xb"),
            try Self.difference(to: "x"),
        ]) { calls in
            calls.sceneName = "main"
            var panel = try HistoryPanel(calls, allowsRollback: true)
            try panel.press(.enter, calls, expecting: .stayOpen)
            #expect(panel.hint == "roll back to 2? (y/n)")
            try panel.sceneDidChange(calls)
            #expect(panel.hint == Self.rollbackHint)
            try panel.press(.text("y"), calls, expecting: .stayOpen)
            let drawn = panel.lines(Self.size).map(\.text)
            #expect(drawn[4] == "xb        │ab")
            #expect(drawn.last == "  +   text: x")
            try panel.press(.enter, calls, expecting: .stayOpen)
            try panel.press(.text("y"), calls, expecting: .rollBack(generation: name))
        }
    }

    @Test(arguments: 0..<3)
    func `a generation that is not shown cannot be rolled back to`(successCount: Int) throws {
        let replies = [try Self.history(["1", "2"]), try Self.rendering("ab")]
        try StubDaemon.withCalls(
            inOrder: replies + [try Self.rendering("cd"), try Self.difference(to: "x")]
                + replies.prefix(successCount) + [Self.malformed]
        ) { calls in
            calls.sceneName = "main"
            var panel = try HistoryPanel(calls, allowsRollback: true)
            #expect(throws: SceneCalls.CallError.self) { try panel.press(.down, calls) }
            #expect(panel.hint == "arrows, Space: see more · Escape: back to the scene")
            try panel.press(.enter, calls, expecting: .stayOpen)
            try panel.press(.text("y"), calls, expecting: .stayOpen)
            #expect(panel.lines(Self.size).last?.text == "          │ab")
        }
    }

    @Test func `a shorter history is shown even if the scene cannot be rendered`() throws {
        try StubDaemon.withCalls(inOrder: [
            try Self.history(["1", "2"]), try Self.rendering("ab"), try Self.rendering("ab"),
            try Self.noDifferences(), try Self.history(["2"]), Self.malformed,
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            #expect(throws: SceneCalls.CallError.self) { try panel.sceneDidChange(calls) }
            let drawn = panel.lines(Self.size).map(\.text)
            #expect(drawn.prefix(3).map { $0.prefix(5) } == ["  Ear", "  › 2", ""])
        }
    }

    @Test func `a rendering without a frame is shown completely`() throws {
        try StubDaemon.withCalls(inOrder: [
            try StubDaemon.message(Self.history),
            try StubDaemon.message(ShowCall.Reply.with { $0.text = "┌ab\ncd" }),
            try StubDaemon.message(ShowCall.Reply.with { $0.text = "ab\n└cd" }),
            try Self.noDifferences(),
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            let drawn = panel.lines(Self.size).map(\.text)
            #expect(drawn.dropFirst(4).prefix(2) == ["ab        │┌ab", "└cd       │cd"])
        }
    }

    @Test func `both renderings scroll sideways by eight columns`() throws {
        let rendering = try Self.rendering("0123456789abcdefghijklmn")
        try StubDaemon.withCalls(inOrder: [
            try StubDaemon.message(Self.history), rendering, rendering, try Self.noDifferences(),
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            for _ in 0..<2 { try panel.press(.right, calls, expecting: .stayOpen) }
            #expect(panel.lines(Self.size)[4].text == "ghijklmn  │ghijklmn")
            try panel.press(.left, calls, expecting: .stayOpen)
            #expect(panel.lines(Self.size)[4].text == "89abcdefgh│89abcdefgh")
        }
    }

    @Test(arguments: [(30, 6), (5, 2)])
    func `the list fills at most a quarter of the screen, but at least two lines`(
        lines: Int, entryCount: Int
    ) throws {
        try StubDaemon.withCalls(inOrder: [
            try Self.history((0..<10).map { "\($0)" }), try Self.rendering("ab"),
            try Self.rendering("ab"), try Self.noDifferences(),
        ]) { calls in
            var panel = try HistoryPanel(calls, allowsRollback: true)
            let drawn = panel.lines(TerminalSession.Size(lines: lines, columns: 21)).map(\.text)
            #expect(drawn.firstIndex(of: "") == 1 + entryCount)
        }
    }

    @Test func `a rendering is at least one column wide`() throws {
        try withPanel(allowsRollback: true) { panel, calls in
            let drawn = panel.lines(TerminalSession.Size(lines: 30, columns: 2)).map(\.text)
            #expect(drawn[4] == "a│a")
        }
    }
}
