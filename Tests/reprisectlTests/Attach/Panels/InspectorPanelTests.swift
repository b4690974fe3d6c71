import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// Objects of a scene in the terminal client.
@Suite struct InspectorPanelTests {
    @Test(arguments: [(5, 3), (9, 3), (23, 10)])
    func `the object list takes at most half of the screen, but at least three lines`(
        lines: Int, entries: Int
    ) throws {
        let objects = (0..<40).map { number in
            TreeObject.with {
                ($0.path, $0.class, $0.preserved) = ("object\(number)", "View", true)
            }
        }
        try StubDaemon.withCalls([
            ReportCall.qualifiedMethod: ReportCall.Reply(),
            TreeCall.qualifiedMethod: TreeCall.Reply.with { $0.objects = objects },
            ExplainCall.qualifiedMethod: ExplainCall.Reply(),
            GetCall.qualifiedMethod: GetCall.Reply(),
        ]) { calls in
            var panel = try InspectorPanel(calls, at: "object7")
            let drawn = panel.lines(TerminalSession.Size(lines: lines, columns: 80)).map(\.text)
            #expect(drawn.count { $0.contains("View") } == entries)
            #expect(drawn.contains { $0.contains("object7 ") })
        }
    }

    @Test func `long names can be scrolled sideways up to their ends`() throws {
        let path = String(repeating: "long/", count: 30) + "end"
        let objects = [
            TreeObject.with { ($0.path, $0.class, $0.preserved) = (path, "View", true) }
        ]
        try StubDaemon.withCalls([
            ReportCall.qualifiedMethod: ReportCall.Reply(),
            TreeCall.qualifiedMethod: TreeCall.Reply.with { $0.objects = objects },
            ExplainCall.qualifiedMethod: ExplainCall.Reply(),
            GetCall.qualifiedMethod: GetCall.Reply(),
        ]) { calls in
            var panel = try InspectorPanel(calls, at: nil)
            let size = TerminalSession.Size(lines: 20, columns: 40)
            let first = panel.lines(size).map(\.text)
            #expect(first[1] == "  › preserved      long/long/long/long/l")
            // The whole path is shown below the list.
            #expect(first.dropFirst(3).map { $0.dropFirst(2) }.joined().hasPrefix(path))
            for _ in 0..<40 { try panel.press(.right, calls, expecting: .stayOpen) }
            #expect(panel.lines(size)[1].text.hasSuffix("long/end  View  "))
            try panel.press(.left, calls, expecting: .stayOpen)
            #expect(panel.lines(size)[1].text.hasSuffix("long/end"))
            for _ in 0..<40 { try panel.press(.left, calls, expecting: .stayOpen) }
            #expect(panel.lines(size).map(\.text) == first)
        }
    }

    @Test func `the panel shows an object's explanation and values, starting at the top`() throws {
        let objects: [TreeObject] = [
            .with { ($0.path, $0.class, $0.preserved) = ("nav", "Controller", true) },
            .with { ($0.path, $0.class, $0.reason) = ("nav/view", "View", "it has no identifier") },
        ]
        let found = FoundDescription.with { ($0.path, $0.foundBy) = ("nav", .storyboard) }
        let story = (0..<20).map { "sentence \($0)" }
        try StubDaemon.withCalls([
            ReportCall.qualifiedMethod: ReportCall.Reply.with { $0.found = [found] },
            TreeCall.qualifiedMethod: TreeCall.Reply.with { $0.objects = objects },
            ExplainCall.qualifiedMethod: ExplainCall.Reply.with { $0.story = story },
            GetCall.qualifiedMethod: GetCall.Reply.with {
                $0.values = ["b": .integer(1), "a": .string("x")]
            },
        ]) { calls in
            var panel = try InspectorPanel(calls, at: "nav")
            let size = TerminalSession.Size(lines: 12, columns: 80)
            let expectedLines = (story + ["a: x", "b: 1"]).map { "  \($0)" }
            #expect(
                panel.lines(size).map(\.text) == [
                    "  Objects", "  › preserved      nav       Controller  by its storyboard",
                    "    not preserved  nav/view  View        it has no identifier", "", "  nav",
                ] + expectedLines)
            try panel.press(.text(" "), calls, expecting: .stayOpen)
            #expect(panel.lines(size).map(\.text).dropFirst(5) == expectedLines.dropFirst(5))
            try panel.press(.down, calls, expecting: .stayOpen)
            let drawn = panel.lines(size).map(\.text)
            #expect(drawn[1] == "    preserved      nav       Controller  by its storyboard")
            #expect(Array(drawn.dropFirst(4)) == ["  nav/view"] + expectedLines)
            try panel.press(.text("q"), calls, expecting: .close)
        }
    }

    private static func object(
        _ path: String, class: String = "View", preserved: Bool = false, reason: String? = nil
    ) -> TreeObject {
        .with {
            ($0.path, $0.class, $0.preserved, $0.reason) = (path, `class`, preserved, reason)
        }
    }

    /// Returns the messages with which the daemon replies while the panel opens, except for the last two.
    private static func opening(_ objects: [TreeObject]) throws -> [String] {
        [
            try StubDaemon.message(ReportCall.Reply()),
            try StubDaemon.message(TreeCall.Reply.with { $0.objects = objects }),
        ]
    }

    /// Calls a closure with a panel that has no explanations.
    private func withPanel(
        _ objects: [TreeObject], _ body: (inout InspectorPanel, SceneCalls) throws -> Void
    ) throws {
        let replies =
            try Self.opening(objects) + [
                try StubDaemon.message(ExplainCall.Reply()),
                try StubDaemon.message(GetCall.Reply()),
            ]
        try StubDaemon.withCalls(inOrder: replies) { calls in
            var panel = try InspectorPanel(calls, at: nil)
            try body(&panel, calls)
        }
    }

    /// Reply that the client cannot decode.
    private static let malformed = "{}"

    @Test func `a panel does not open if the first explanation cannot be read`() throws {
        let replies = try Self.opening([Self.object("nav")]) + [Self.malformed]
        try StubDaemon.withCalls(inOrder: replies) { calls in
            #expect(throws: SceneCalls.CallError.self) { try InspectorPanel(calls, at: nil) }
        }
    }

    @Test func `if an object has disappeared, the error is shown as its explanation`() throws {
        let refusal = #"{"error":"org.reprise.Control.NoSuchObject","parameters":{"path":"nav"}}"#
        try StubDaemon.withCalls(
            inOrder: try Self.opening([Self.object("nav")]) + [refusal]
        ) { calls in
            var panel = try InspectorPanel(calls, at: nil)
            let drawn = panel.lines(TerminalSession.Size(lines: 12, columns: 80)).map(\.text)
            #expect(
                drawn.last == "  There is no object at nav: `reprisectl tree` shows all objects.")
        }
    }

    @Test func `another object is shown from the first line, or without an explanation`() throws {
        let story = (0..<20).map { "sentence \($0)" }
        let explanation = [
            try StubDaemon.message(ExplainCall.Reply.with { $0.story = story }),
            try StubDaemon.message(GetCall.Reply()),
        ]
        let replies =
            try Self.opening([Self.object("a"), Self.object("b")]) + explanation + explanation
            + [Self.malformed]
        try StubDaemon.withCalls(inOrder: replies) { calls in
            var panel = try InspectorPanel(calls, at: nil)
            let size = TerminalSession.Size(lines: 12, columns: 80)
            try panel.press(.text(" "), calls, expecting: .stayOpen)
            #expect(panel.lines(size)[5].text == "  sentence 5")
            try panel.press(.down, calls, expecting: .stayOpen)
            #expect(panel.lines(size)[5].text == "  sentence 0")
            #expect(throws: SceneCalls.CallError.self) { try panel.press(.up, calls) }
            #expect(panel.lines(size).last?.text == "  a")
        }
    }

    @Test func `objects that are not preserved are dim, except for the selected object`() throws {
        try withPanel([
            Self.object("a"), Self.object("b"), Self.object("c", preserved: true),
        ]) { panel, _ in
            let entries = panel.lines(TerminalSession.Size(lines: 12, columns: 80))[1...3]
            #expect(
                entries.map { $0.spans.map(\.role) } == [[.selection], [.position], []])
        }
    }

    @Test func `the columns of the list are as wide as their longest text`() throws {
        try withPanel([
            Self.object("a", class: "View", reason: "one"),
            Self.object("b", class: "Controller", reason: "two"),
        ]) { panel, _ in
            let entries = panel.lines(TerminalSession.Size(lines: 12, columns: 80))[1...2]
            #expect(
                entries.map(\.text) == [
                    "  › not preserved  a  View        one",
                    "    not preserved  b  Controller  two",
                ])
        }
    }

    @Test func `the list scrolls sideways by eight columns, up to the end of the longest entry`()
        throws
    {
        let reason = String(repeating: "0123456789", count: 5)
        let entry = "not preserved  b  View  \(reason)"
        try withPanel([Self.object("a"), Self.object("b", reason: reason)]) { panel, calls in
            func texts(columns: Int) -> [String] {
                panel.lines(TerminalSession.Size(lines: 12, columns: columns)).map(\.text)
            }
            #expect(texts(columns: 100)[2] == "    \(entry)")
            #expect(texts(columns: 40)[2] == "    \(entry.prefix(36))")
            #expect(texts(columns: 3)[1] == "  › n")
            try panel.press(.right, calls, expecting: .stayOpen)
            #expect(texts(columns: 40)[2] == "    \(entry.dropFirst(8).prefix(36))")
            for _ in 0..<9 { try panel.press(.right, calls, expecting: .stayOpen) }
            #expect(texts(columns: 40)[2] == "    \(entry.suffix(36))")
            // Keys that are typed ahead scroll no further than the width of the longest entry.
            for _ in 0..<40 { try panel.press(.right, calls, expecting: .stayOpen) }
            for _ in 0..<5 { try panel.press(.left, calls, expecting: .stayOpen) }
            #expect(texts(columns: 40)[2] == "    \(entry.dropFirst(74 - 40).prefix(36))")
        }
    }
}
