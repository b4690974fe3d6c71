import RepriseControl
import Testing

@testable import reprisectl

/// Earlier states of an attached scene.
@Suite struct HistoryPanelTests {
    @Test func `the history goes back to the chosen state, whichever that is`() throws {
        let generations = ["1", "2", "3"].map { name in
            GenerationDescription.with { $0.name = name }
        }
        try ReplyingDaemon.withCalls([
            HistoryCall.qualifiedMethod: HistoryCall.Reply.with { $0.generations = generations },
            ShowCall.qualifiedMethod: ShowCall.Reply(), DiffCall.qualifiedMethod: DiffCall.Reply(),
        ]) { calls in
            var panel = try HistoryPanel(calls, mayGoBack: true)
            // The newest one comes first.
            for (keys, name) in [(0, "3"), (1, "2"), (1, "1")] {
                for _ in 0..<keys { _ = try panel.press(.down, calls) }
                _ = try panel.press(.enter, calls)
                let outcome = try panel.press(.text("y"), calls)
                #expect(outcome == .rollsBack(generation: name))
            }
        }
    }
}
