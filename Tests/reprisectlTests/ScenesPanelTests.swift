import RepriseControl
import Testing
import Varlink

@testable import reprisectl

/// List of the scenes to which an attached terminal can switch.
@Suite struct ScenesPanelTests {
    private static let applications: [ListedApplication] = [
        .with {
            ($0.bundleIdentifier, $0.phase) = ("org.example.A", .running)
            $0.scenes = [
                .with { ($0.name, $0.phase) = ("main", .running) },
                .with { ($0.name, $0.phase) = ("other", .saved) },
            ]
        },
        .with {
            ($0.bundleIdentifier, $0.phase) = ("org.example.B", .stopped)
            $0.scenes = [.with { $0.name = "main" }]
        },
    ]

    @Test func `the scenes of all applications are listed, and one of them is chosen`() throws {
        let reply = ListCall.Reply.with { $0.applications = Self.applications }
        try ReplyingDaemon.withCalls([ListCall.qualifiedMethod: reply]) { calls in
            (calls.application, calls.scene) = ("org.example.A", "other")
            var panel = try ScenesPanel(calls)
            let drawn = panel.lines(TerminalSession.Size(lines: 10, columns: 80)).map(\.text)
            #expect(
                drawn == [
                    "  Scenes", "", "    org.example.A main", "  › org.example.A other (saved)",
                    "    org.example.B main (stopped: `reprisectl launch` starts it)",
                ])
            #expect(panel.press(.down, calls) == .stays)
            #expect(
                panel.press(.enter, calls) == .goes(application: "org.example.B", scene: "main"))
            #expect(panel.press(.text("x"), calls) == .stays)
            #expect(panel.press(.escape, calls) == .ends)
            // Another application has a scene with the same name.
            (calls.application, calls.scene) = ("org.example.B", "main")
            panel = try ScenesPanel(calls)
            #expect(
                panel.press(.enter, calls) == .goes(application: "org.example.B", scene: "main"))
        }
    }

    @Test func `without a scene, none is chosen`() throws {
        try ReplyingDaemon.withCalls([ListCall.qualifiedMethod: ListCall.Reply()]) { calls in
            var panel = try ScenesPanel(calls)
            #expect(panel.press(.enter, calls) == .stays)
            #expect(panel.lines(TerminalSession.Size(lines: 1, columns: 80)).count == 2)
        }
    }

    @Test func `a panel that the daemon does not fill is not opened`() throws {
        let calls = try ReplyingDaemon().calls()
        #expect(throws: SceneCalls.Failed.self) { _ = try ScenesPanel(calls) }
        #expect(throws: SceneCalls.Failed.self) { _ = try InspectorPanel(calls, at: nil) }
        #expect(throws: SceneCalls.Failed.self) { _ = try HistoryPanel(calls, mayGoBack: true) }
    }
}
