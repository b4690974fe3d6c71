import Glibc
import RepriseControl
import Testing
import Varlink

/// Main loop of the terminal client, as a user at a terminal sees it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AttachClientTests {
    private static let application = "org.example.A"
    private static let saved = TapCall.Reply.with { $0.saved = .written }
    private static let noScene = Answer.error(
        .noSuchScene(application: application, scene: "other"))

    private static func element(
        _ path: String, _ kind: DrawnKind, line: Int = 0, index: Int? = nil
    ) -> DrawnElement {
        .with {
            ($0.path, $0.kind, $0.index, $0.enabled) = (path, kind, index, true)
            ($0.line, $0.lines, $0.columns) = (line, 1, 20)
        }
    }

    private static func scene(_ elements: [DrawnElement]) -> AttachCall.Reply {
        .with {
            ($0.application, $0.scene, $0.launchReason) = (application, "main", "restore")
            ($0.height, $0.elements) = (6, elements)
            $0.lines = (0..<6).map { number in
                .with { ($0.number, $0.text) = (number, "line \(number)") }
            }
        }
    }

    private static let field = scene([element("nav/field", .field)])
    private static let buttons = scene([
        element("nav/a", .button), element("nav/b", .button, line: 1),
    ])

    /// Returns a scene with a list that shows its first three rows.
    ///
    /// - Parameter rowCount: The number of rows. If it exceeds three, the list shows its scroll position.
    private static func list(rowCount: Int = 3, editing: Bool = false) -> AttachCall.Reply {
        let rows = (0..<3).map { element("nav/list", .row, line: $0, index: $0) }
        let list = DrawnElement.with {
            ($0.path, $0.kind, $0.lines, $0.columns) = ("nav/list", .list, 4, 20)
            ($0.enabled, $0.editing, $0.rows) = (true, editing, rowCount)
        }
        var scene = scene(rows + [list])
        for row in 0..<3 { scene.lines[row].text = "⊖ ○ Item \(row) ≡" }
        if rowCount > 3 {
            scene.lines[3].spans = [.with { ($0.role, $0.columns) = (.position, 10) }]
        }
        return scene
    }

    private static func scrollable(_ kind: DrawnKind, _ path: String) -> AttachCall.Reply {
        var element = element(path, kind)
        element.lines = 5
        element.view = .init(x: 0, y: 0, scale: 1, step: 1)
        return scene([element])
    }

    /// Returns a change of one line.
    private static func change(_ line: Int, _ text: String) -> AttachCall.Reply {
        .with {
            $0.height = 6
            $0.lines = [.with { ($0.number, $0.text) = (line, text) }]
        }
    }

    private static let listedScenes = ListCall.Reply.with {
        $0.applications = [
            .with {
                ($0.bundleIdentifier, $0.phase) = (application, .running)
                $0.scenes = ["main", "other"].map { name in
                    .with { ($0.name, $0.phase) = (name, .running) }
                }
            }
        ]
    }

    // MARK: Size

    @Test func `a resized terminal is followed anew only after the previous rendering has arrived`()
        async throws
    {
        try await AttachedTerminal.with(
            Self.buttons,
            following: [
                .reply(Self.buttons), .reply(Self.change(5, "partial")), .reply(Self.buttons),
            ]
        ) { terminal in
            try terminal.resize(columns: 90)
            try terminal.daemon.waitForCalls("Attach", count: 3)
            for columns in [80, 70] { try terminal.resize(columns: columns) }
            try terminal.daemon.update(Self.buttons)
            try terminal.daemon.waitForCalls("Attach", count: 4)
            let calls = terminal.daemon.calls.filter { $0.hasPrefix("Attach ") }
            for (call, columns) in zip(calls, [100, 100, 90, 70]) {
                #expect(call.contains("\"columns\":\(columns),"))
            }
        }
    }

    // MARK: Typing

    @Test func `typed text is sent at once, and the bar is green for a moment after it is saved`()
        async throws
    {
        try await AttachedTerminal.with(
            Self.field, answers: ["EditText": .reply(Self.saved)]
        ) { terminal in
            try terminal.type("ab")
            try terminal.waitForBar("saved: written")
            #expect(
                terminal.daemon.calls.filter { $0.hasPrefix("EditText ") } == [
                    #"EditText {"application":"org.example.A","path":"nav/field","#
                        + #""scene":"main","text":"ab"}"#
                ])
            // On a busy machine, the moment can be over before the bar is drawn.
            var count = 1
            while !terminal.contents.output.contains(";32m"), count < 20 {
                try terminal.type("c")
                count += 1
                try terminal.daemon.waitForCalls("EditText", count: count)
                try terminal.redraw()
            }
            #expect(terminal.contents.output.contains(";32m"))
            try terminal.wait("the bar is no longer green") {
                !terminal.contents.styledBar.contains(";32m")
            }
            // Text needs no complete rendering. The client called twice when it started.
            #expect(terminal.daemon.callCount("Attach") == 2)
            try terminal.type("\u{3}")
            #expect(try terminal.waitForExit() == 0)
            for sequence in ["\u{1B}[?1049h", "\u{1B}[?1049l"] {
                #expect(terminal.contents.output.ranges(of: sequence).count == 1)
            }
        }
    }

    @Test func `letters are separate commands, and the client exits at the first q`() async throws {
        try await AttachedTerminal.with(Self.scrollable(.scroll, "nav/view")) { terminal in
            try terminal.type("q+")
            #expect(try terminal.waitForExit() == 0)
            #expect(terminal.daemon.callCount("Zoom") == 0)
        }
    }

    @Test func `each letter applies to the scene that the previous letter has changed`()
        async throws
    {
        try await AttachedTerminal.with(
            Self.list(), answers: ["Edit": .reply(Self.saved)],
            following: [.reply(Self.list()), .reply(Self.list(editing: true))]
        ) { terminal in
            try terminal.type("ed")
            try terminal.waitForBar("delete \"Item 0\"? (y/n)")
        }
    }

    // MARK: Prompts

    @Test func `a text that is not found is reported until the next key`() async throws {
        try await AttachedTerminal.with(Self.buttons) { terminal in
            try terminal.type("/zzz")
            try terminal.waitForBar("/zzz")
            try terminal.type("\u{15}")
            try terminal.waitForBar(without: "zzz")
            try terminal.type("zzz\r")
            try terminal.waitForBar("\"zzz\" was not found")
            try terminal.type("\t")
            try terminal.waitForBar("F1 keys")
            try terminal.type("/zzz\r")
            try terminal.waitForBar("\"zzz\" was not found")
            terminal.daemon.becomeUnavailable()
            try terminal.waitForBar("no daemon; waiting for it")
            #expect(terminal.contents.output.ranges(of: "was not found").count == 2)
        }
    }

    @Test func `the bar names a focused page, and an address has at most 4096 characters`()
        async throws
    {
        try await AttachedTerminal.with(
            Self.scrollable(.page, "nav/page1"), answers: ["Load": .reply(Self.saved)]
        ) { terminal in
            #expect(terminal.contents.bar.contains("page1"))
            try terminal.type("\r")
            try terminal.waitForBar("address: ")
            try terminal.type("\u{1B}[200~\(String(repeating: "x", count: 5000))\u{1B}[201~")
            try terminal.waitForBar("xxx")
            try terminal.type("\r")
            try terminal.daemon.waitForCalls("Load", count: 1)
            let call = terminal.daemon.calls.first { $0.hasPrefix("Load ") }
            let address = String(repeating: "x", count: 4096)
            #expect(call?.contains(#""url":"\#(address)""#) == true)
        }
    }

    @Test func `the bar names an empty list that has the focus`() async throws {
        let list = DrawnElement.with {
            ($0.path, $0.kind, $0.lines, $0.columns, $0.enabled) = (
                "nav/list1", .list, 4, 20, true
            )
        }
        try await AttachedTerminal.with(Self.scene([list])) { terminal in
            #expect(terminal.contents.bar.contains("list1"))
        }
    }

    // MARK: Questions

    @Test func `a question is closed when the row that it names changes`() async throws {
        try await AttachedTerminal.with(
            Self.list(editing: true), answers: ["Delete": .reply(Self.saved)]
        ) { terminal in
            // The second key was typed before the question was shown, so it is not an answer.
            try terminal.type("dy")
            try terminal.waitForBar("delete \"Item 0\"? (y/n)")
            try terminal.daemon.update(Self.change(4, "changed"))
            try terminal.waitUntilShown("changed")
            try terminal.waitForBar("delete \"Item 0\"? (y/n)")
            try terminal.daemon.update(Self.change(0, "⊖ ○ Other ≡"))
            try terminal.waitForBar(without: "(y/n)")
            try terminal.type("d")
            try terminal.waitForBar("delete \"Other\"? (y/n)")
            try terminal.type("\u{1B}")
            try terminal.waitForBar(without: "(y/n)")
            #expect(terminal.daemon.callCount("Delete") == 0)
        }
    }

    // MARK: Switching scenes

    @Test func `if the chosen scene cannot be shown, the client returns to the previous scene`()
        async throws
    {
        try await AttachedTerminal.with(
            Self.buttons, answers: ["List": .reply(Self.listedScenes)],
            following: [.reply(Self.buttons), Self.noScene, .reply(Self.buttons)]
        ) { terminal in
            try terminal.type("\u{1B}[12~\u{1B}[B\r")
            try terminal.waitForBar("has no scene other")
            #expect(terminal.contents.styledBar.contains(";31m"))
            try terminal.daemon.waitForCalls("Attach", count: 4)
            let scenes = terminal.daemon.calls.filter { $0.hasPrefix("Attach ") }.map {
                $0.contains(#""scene":"other""#) ? "other" : "main"
            }
            #expect(scenes.suffix(2) == ["other", "main"])
        }
    }

    @Test func `if the previous scene cannot be shown either, the client exits`() async throws {
        try await AttachedTerminal.with(
            Self.buttons, answers: ["List": .reply(Self.listedScenes)],
            following: [.reply(Self.buttons), Self.noScene]
        ) { terminal in
            try terminal.type("\u{1B}[12~\u{1B}[B\r")
            #expect(try terminal.waitForExit() == 1)
            #expect(terminal.errors.contains("has no scene other"))
        }
    }

    // MARK: Problems

    @Test func `a lost key is reported until the daemon responds, and later keys are dropped`()
        async throws
    {
        try await AttachedTerminal.with(Self.buttons, answers: ["Tap": .closes]) { terminal in
            try terminal.type("\r\r")
            let problem = "the last key may have had no effect: the daemon is not available"
            try terminal.waitForBar(problem)
            try terminal.redraw()
            #expect(terminal.contents.bar.contains(problem))
            #expect(terminal.daemon.callCount("Tap") == 1)
            try terminal.daemon.update(Self.change(3, "changed"))
            try terminal.waitForBar("the daemon responds again, and this is its current state")
            terminal.daemon.becomeUnavailable()
            try terminal.waitForBar("no daemon; waiting for it")
            terminal.daemon.becomeAvailable()
            try terminal.waitForBar("the daemon is back: restore")
            #expect(!terminal.contents.bar.contains("current state"))
        }
    }

    @Test func `after another key, a lost key is no longer mentioned`() async throws {
        try await AttachedTerminal.with(Self.buttons, answers: ["Tap": .closes]) { terminal in
            try terminal.type("\r")
            try terminal.waitForBar("may have had no effect")
            try terminal.type("\t")
            try terminal.waitForBar("F1 keys")
            try terminal.daemon.update(Self.change(3, "changed"))
            try terminal.waitUntilShown("changed")
            try terminal.waitForBar("F1 keys")
            #expect(!terminal.contents.output.contains("the daemon responds"))
        }
    }

    @Test func `a message about a lost key stays until the daemon is back`() async throws {
        try await AttachedTerminal.with(Self.buttons, answers: ["Tap": .closes]) { terminal in
            try terminal.type("\r")
            try terminal.waitForBar("may have had no effect")
            terminal.daemon.becomeUnavailable()
            try terminal.daemon.waitForRefusals(count: 3)
            try terminal.redraw()
            terminal.daemon.becomeAvailable()
            try terminal.waitForBar("the daemon is back: restore, and this is its current state")
            #expect(!terminal.contents.output.contains("no daemon"))
        }
    }

    @Test func `a refused key is reported in red, and later keys take effect`() async throws {
        let refusal = Answer.error(
            .notApplicable(path: "nav/a", class: "View", method: "tap"))
        try await AttachedTerminal.with(Self.buttons, answers: ["Tap": refusal]) { terminal in
            try terminal.type("\r")
            try terminal.waitForBar("which tap does not apply to")
            #expect(terminal.contents.styledBar.contains(";31m"))
            try terminal.daemon.update(Self.change(3, "changed"))
            try terminal.waitUntilShown("changed")
            try terminal.waitForBar("which tap does not apply to")
        }
        try await AttachedTerminal.with(
            Self.buttons, answers: ["Tap": .sequence([refusal, .reply(Self.saved)])]
        ) { terminal in
            try terminal.type("\r\r")
            try terminal.daemon.waitForCalls("Tap", count: 2)
            try terminal.waitForBar("saved: written")
        }
    }

    @Test func `with --follow, the client connects to the host that takes over the application`()
        async throws
    {
        let ssh = try FakeSSH(FakeSSH.relay)
        var scene = Self.buttons
        scene.launchReason = "recover"
        let owner = Answer.error(.ownedElsewhere(application: Self.application, host: "far"))
        try await AttachedTerminal.with(
            Self.buttons, answers: ["Tap": .reply(Self.saved)],
            following: [.reply(Self.buttons), owner, .reply(scene), .reply(Self.buttons)],
            options: ["--follow"],
            environment: ssh.environment
        ) { terminal in
            try terminal.daemon.failFollower(.ownedElsewhere(application: Self.application))
            try terminal.waitForBar("connected to far: recover")
            #expect(try ssh.starts.count == 1)
            try terminal.type("\r")
            try terminal.waitForBar("saved: written")
            #expect(try ssh.starts.count == 2)
            // The feed and the calls have terminated `ssh` when the client uses this host again.
            try terminal.daemon.failFollower(.ownedElsewhere(application: Self.application))
            try terminal.waitForBar("the daemon is back")
            try terminal.waitForChildren(0)
        }
    }

    @Test func `without --follow, the client names the host that has taken over the application`()
        async throws
    {
        let owner = ControlError.ownedElsewhere(application: Self.application, host: "far")
        try await AttachedTerminal.with(
            Self.buttons, following: [.reply(Self.buttons), .error(owner)]
        ) { terminal in
            try terminal.daemon.failFollower(.ownedElsewhere(application: Self.application))
            #expect(try terminal.waitForExit() == 1)
            #expect(terminal.errors.contains(owner.description), "\(terminal.errors)")
        }
    }

    @Test func `a key is ignored while the daemon is not available`() async throws {
        try await AttachedTerminal.with(
            Self.buttons, answers: ["Tap": .reply(Self.saved)]
        ) { terminal in
            try terminal.type("\r")
            try terminal.waitForBar("saved: written")
            // Before the second key, the client connects again to receive the effect of the first key.
            terminal.daemon.refuseConnections()
            try terminal.type("\r")
            try terminal.waitForBar("the key was ignored: the daemon is not available")
        }
    }

    @Test func `an observing client changes nothing`() async throws {
        try await AttachedTerminal.with(Self.field, options: ["--observe"]) { terminal in
            try terminal.type("x")
            try terminal.waitForBar("this client is read-only: it was started with --observe")
            #expect(terminal.daemon.callCount("EditText") == 0)
        }
    }

    @Test func `the bar shows a message while the daemon does not respond`() async throws {
        try await AttachedTerminal.with(Self.field, answers: ["EditText": .silence]) { terminal in
            try terminal.type("a")
            try terminal.waitForBar("the daemon has not responded yet")
            try terminal.daemon.sendReply(Self.saved)
            try terminal.waitForBar("saved: written")
        }
    }

    @Test func `changes that arrive while a key waits for its reply are all shown`() async throws {
        try await AttachedTerminal.with(Self.field, answers: ["EditText": .silence]) { terminal in
            try terminal.type("a")
            try terminal.daemon.waitForCalls("EditText", count: 1)
            try terminal.daemon.update(Self.change(2, "second"))
            try terminal.daemon.update(Self.change(3, "third"))
            try terminal.waitForBar("the daemon has not responded yet")
            try terminal.daemon.sendReply(Self.saved)
            try terminal.waitUntilShown("third")
            try terminal.waitUntilShown("second")
            try terminal.waitForBar("saved: written")
        }
    }

    @Test func `a warning that a change is not saved disappears when the application is saved`()
        async throws
    {
        func application(_ identifier: String, _ level: SaveLevel) -> ApplicationDescription {
            .with { ($0.bundleIdentifier, $0.saved) = (identifier, level) }
        }
        func status(_ level: SaveLevel) -> Answer {
            .reply(
                StatusCall.Reply.with {
                    $0.applications = [
                        application("org.example.B", .durable),
                        application(Self.application, level),
                    ]
                })
        }
        let unsaved = TapCall.Reply.with { ($0.saved, $0.notSavedReason) = (.no, "it is full") }
        try await AttachedTerminal.with(
            Self.buttons,
            answers: [
                "Tap": .reply(unsaved), "Status": .sequence([status(.no), status(.durable)]),
            ]
        ) { terminal in
            try terminal.type("\r")
            try terminal.waitForBar("NOT SAVED: it is full")
            try terminal.waitForBar("saved: durable")
            #expect(terminal.daemon.callCount("Status") == 2)
        }
    }

    // MARK: Errors

    /// Keys after which the client needs a new rendering of the scene.
    @Test(
        arguments: [
            // After these keys, the row with the focus is not on the screen yet.
            (list(rowCount: 10), ["\u{1B}[B\u{1B}[B\u{1B}[B"], ["Scroll": .reply(saved)]),
            (list(rowCount: 10, editing: true), ["\u{1B}[B\u{1B}[BJ"], ["Move": .reply(saved)]),
            (list(editing: true), ["d", "y"], ["Delete": .reply(saved)]),
            (
                disabledButton, ["\u{1B}", "y"],
                [
                    "Dismiss": .sequence([
                        .error(.unsavedChanges(path: "nav", method: "dismiss")), .reply(saved),
                    ])
                ]
            ),
        ] as [(AttachCall.Reply, [String], [String: Answer])])
    func `the client exits if the scene can no longer be followed`(
        scene: AttachCall.Reply, keys: [String], answers: [String: Answer]
    ) async throws {
        try await AttachedTerminal.with(
            scene, answers: answers, following: [.reply(scene), Self.noScene]
        ) { terminal in
            try terminal.type(keys[0])
            for key in keys.dropFirst() {
                try terminal.waitForBar("(y/n)")
                try terminal.type(key)
            }
            #expect(try terminal.waitForExit() == 1)
            #expect(terminal.errors.contains("has no scene other"))
        }
    }

    private static var disabledButton: AttachCall.Reply {
        var button = element("nav/a", .button)
        button.enabled = false
        return scene([button])
    }

    @Test func `the client exits if the scene is gone while a key waits for its reply`()
        async throws
    {
        try await AttachedTerminal.with(Self.field, answers: ["EditText": .silence]) { terminal in
            try terminal.type("a\r")
            try terminal.daemon.waitForCalls("EditText", count: 1)
            try terminal.daemon.failFollower(
                .noSuchScene(application: Self.application, scene: "main"))
            try terminal.waitForBar("the daemon has not responded yet")
            try terminal.daemon.sendReply(Self.saved)
            #expect(try terminal.waitForExit() == 1)
        }
    }

    // MARK: Panels

    @Test func `a panel is updated when the scene changes, and stays open after an error`()
        async throws
    {
        let objects: [TreeObject] = ["nav", "nav/a"].map { path in
            .with { ($0.path, $0.class, $0.preserved) = (path, "View", true) }
        }
        let explanation = Answer.reply(ExplainCall.Reply.with { $0.story = ["it is preserved"] })
        try await AttachedTerminal.with(
            Self.buttons,
            answers: [
                "Report": .reply(ReportCall.Reply()),
                "Tree": .reply(TreeCall.Reply.with { $0.objects = objects }),
                "Explain": .sequence([explanation, .message("{}"), explanation]),
                "Get": .reply(GetCall.Reply.with { $0.values = [:] }),
            ], columns: 160
        ) { terminal in
            try terminal.type("\u{1B}[14~")
            try terminal.waitForBar("Up, Down: choose")
            // Drawing the panel does not load it again.
            try terminal.redraw()
            #expect(terminal.daemon.callCount("Report") == 1)
            try terminal.type("\u{1B}[A")
            try terminal.waitForBar("the daemon's reply to Explain")
            try terminal.type("\u{1B}[D")
            try terminal.waitForBar("Up, Down: choose")
            try terminal.daemon.update(Self.change(3, "changed"))
            try terminal.daemon.waitForCalls("Report", count: 2)
        }
    }

    // MARK: Stopping

    @Test func `after a stop signal, the client restores the terminal until it continues`()
        async throws
    {
        try await AttachedTerminal.with(Self.buttons) { terminal in
            func count(_ sequence: String) -> Int {
                terminal.contents.output.ranges(of: sequence).count
            }
            terminal.send(signal: SIGTSTP)
            try terminal.waitUntilStopped()
            try terminal.wait("the screen is restored") { count("\u{1B}[?1049l") == 1 }
            #expect(terminal.processesLines)
            terminal.send(signal: SIGCONT)
            try terminal.wait("the client continues") { count("\u{1B}[?1049h") == 2 }
            try terminal.waitUntilShown("line 0")
            for _ in 0..<3 { try terminal.redraw() }
            #expect(count("\u{1B}[?1049h") == 2)
        }
    }

    @Test func `a client that was stopped without notice restores the terminal when it exits`()
        async throws
    {
        try await AttachedTerminal.with(Self.buttons) { terminal in
            terminal.send(signal: SIGSTOP)
            try terminal.waitUntilStopped()
            terminal.send(signal: SIGCONT)
            try terminal.wait("the client continues") {
                terminal.contents.output.ranges(of: "\u{1B}[?1049h").count == 2
            }
            #expect(!terminal.processesLines)
            try terminal.type("\u{3}")
            #expect(try terminal.waitForExit() == 0)
            #expect(terminal.processesLines)
        }
    }
}
