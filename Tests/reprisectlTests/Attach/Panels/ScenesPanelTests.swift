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

    @Test func `the panel lists the scenes of all applications and switches to the chosen scene`()
        throws
    {
        let reply = ListCall.Reply.with { $0.applications = Self.applications }
        try StubDaemon.withCalls([ListCall.qualifiedMethod: reply]) { calls in
            (calls.bundleIdentifier, calls.sceneName) = ("org.example.A", "other")
            var panel = try ScenesPanel(calls)
            let drawn = panel.lines(TerminalSession.Size(lines: 10, columns: 80)).map(\.text)
            #expect(
                drawn == [
                    "  Scenes", "", "    org.example.A main", "  › org.example.A other (saved)",
                    "    org.example.B main (stopped: `reprisectl launch` starts it)",
                ])
            #expect(panel.press(.down, calls) == .stayOpen)
            #expect(
                panel.press(.enter, calls)
                    == .switchScene(bundleIdentifier: "org.example.B", sceneName: "main"))
            #expect(panel.press(.delete, calls) == .stayOpen)
            #expect(panel.press(.escape, calls) == .close)
            // Another application has a scene with the same name.
            (calls.bundleIdentifier, calls.sceneName) = ("org.example.B", "main")
            panel = try ScenesPanel(calls)
            #expect(
                panel.press(.enter, calls)
                    == .switchScene(bundleIdentifier: "org.example.B", sceneName: "main"))
        }
    }

    @Test func `typed text filters the scenes, and Escape first removes the filter`() throws {
        let reply = ListCall.Reply.with { $0.applications = Self.applications }
        try StubDaemon.withCalls([ListCall.qualifiedMethod: reply]) { calls in
            (calls.bundleIdentifier, calls.sceneName) = ("org.example.A", "main")
            var panel = try ScenesPanel(calls)
            func drawn() -> [String] {
                panel.lines(TerminalSession.Size(lines: 10, columns: 80)).map(\.text)
            }
            #expect(panel.press(.text("MA"), calls) == .stayOpen)
            #expect(
                drawn() == [
                    "  Scenes that contain \"MA\"", "", "  › org.example.A main",
                    "    org.example.B main (stopped: `reprisectl launch` starts it)",
                ])
            #expect(panel.press(.down, calls) == .stayOpen)
            #expect(panel.press(.backspace, calls) == .stayOpen)
            // The selected scene stays selected.
            #expect(drawn()[4].hasPrefix("  › org.example.B main"))
            #expect(panel.press(.text("q"), calls) == .stayOpen)
            #expect(drawn() == ["  Scenes that contain \"Mq\"", "", "    no scene"])
            #expect(panel.press(.enter, calls) == .stayOpen)
            #expect(panel.press(.escape, calls) == .stayOpen)
            #expect(drawn().count == 5)
            #expect(panel.press(.escape, calls) == .close)
        }
    }

    @Test func `a filter keeps the selected scene, and has at most 256 characters`() throws {
        let reply = ListCall.Reply.with { $0.applications = Self.applications }
        try StubDaemon.withCalls([ListCall.qualifiedMethod: reply]) { calls in
            (calls.bundleIdentifier, calls.sceneName) = ("org.example.A", "other")
            var panel = try ScenesPanel(calls)
            let size = TerminalSession.Size(lines: 10, columns: 80)
            #expect(panel.press(.text("ORG"), calls) == .stayOpen)
            #expect(panel.lines(size)[3].text == "  › org.example.A other (saved)")
            #expect(panel.press(.control("u"), calls) == .stayOpen)
            let text = String(repeating: "x", count: 257)
            #expect(panel.press(.paste(text), calls) == .stayOpen)
            #expect(panel.lines(size)[0].text == "  Scenes that contain \"\(text.dropLast())\"")
        }
    }

    @Test func `the next scene is the next one that is running`() throws {
        var applications = Self.applications
        applications.append(
            .with {
                ($0.bundleIdentifier, $0.phase) = ("org.example.C", .running)
                $0.scenes = [.with { ($0.name, $0.phase) = ("main", .running) }]
            })
        let reply = ListCall.Reply.with { $0.applications = applications }
        try StubDaemon.withCalls([ListCall.qualifiedMethod: reply]) { calls in
            for (application, scene, next) in [
                ("org.example.A", "main", "org.example.C"),
                ("org.example.A", "other", "org.example.C"),
                ("org.example.C", "main", "org.example.A"), ("gone", "main", "org.example.A"),
            ] {
                (calls.bundleIdentifier, calls.sceneName) = (application, scene)
                let found = try ListedScenes(calls).nextRunningScene(calls)
                #expect(found?.bundleIdentifier == next)
            }
        }
        let single = ListCall.Reply.with { $0.applications = Array(Self.applications.prefix(1)) }
        try StubDaemon.withCalls([ListCall.qualifiedMethod: single]) { calls in
            (calls.bundleIdentifier, calls.sceneName) = ("org.example.A", "main")
            let found = try ListedScenes(calls).nextRunningScene(calls)
            #expect(found == nil)
        }
    }

    @Test func `Enter does nothing if there are no scenes`() throws {
        try StubDaemon.withCalls([ListCall.qualifiedMethod: ListCall.Reply()]) { calls in
            var panel = try ScenesPanel(calls)
            #expect(panel.press(.enter, calls) == .stayOpen)
            #expect(panel.lines(TerminalSession.Size(lines: 1, columns: 80)).count == 2)
        }
    }

    @Test func `a panel does not open if the daemon does not reply`() throws {
        let calls = try StubDaemon().calls()
        #expect(throws: SceneCalls.CallError.self) { _ = try ScenesPanel(calls) }
        #expect(throws: SceneCalls.CallError.self) { _ = try InspectorPanel(calls, at: nil) }
        #expect(throws: SceneCalls.CallError.self) {
            _ = try HistoryPanel(calls, allowsRollback: true)
        }
    }
}
