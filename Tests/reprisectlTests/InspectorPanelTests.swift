import RepriseControl
import Testing

@testable import reprisectl

/// Objects of an attached scene.
@Suite struct InspectorPanelTests {
    @Test(arguments: [(5, 3), (9, 3), (23, 10)])
    func `the objects take half of the screen at most, but at least three lines`(
        lines: Int, entries: Int
    ) throws {
        let objects = (0..<40).map { number in
            TreeObject.with {
                ($0.path, $0.class, $0.preserved) = ("object\(number)", "View", true)
            }
        }
        try ReplyingDaemon.withCalls([
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
}
