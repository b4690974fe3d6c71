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
}
