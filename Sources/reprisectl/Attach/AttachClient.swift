import ArgumentParser
import FoundationEssentials
import Glibc
import RepriseControl
import SystemPackage
import Varlink

/// Main loop of the terminal client, which reads keys, sends operations to the daemon, and draws changes on the screen.
final class AttachClient {
    /// Part of the client that receives the keys.
    private enum Mode {
        case scene
        case prompt(Prompt)
        case question(Question)
        case panel(any AttachPanel)
    }

    /// Question about discarding unsaved changes.
    private struct Question {
        /// Operation that would discard the changes.
        let operation: AttachedScene.Operation
        /// Path of the controller that has the changes.
        let path: String
    }

    /// Line that the user types in the bar at the bottom.
    private struct Prompt {
        enum Purpose {
            /// Text to find.
            case find
            /// Address of a page to load.
            case load(path: String)
        }

        let purpose: Purpose
        var text = ""

        var shown: String {
            switch purpose {
            case .find: "/\(text)"
            case .load: "address: \(text)"
            }
        }
    }

    private var call: AttachCall
    /// Closure that opens a connection to the daemon. Each thread uses its own connection.
    private let makeConnection: () -> sending DaemonConnection
    private let calls: SceneCalls
    private let isObserving: Bool
    private let feed: AttachFeed
    private var mode = Mode.scene
    private var scene = AttachedScene()
    private var screen: AttachScreen
    private let input: AttachInput
    private var isAway = false
    private var message = ""
    private var isAlarming = false
    private var saved = ""
    private var freshUntil: ContinuousClock.Instant?
    /// Whether a key may have changed the scene, and the client has not yet received a complete rendering of the new
    /// state.
    private var mayBeOutdated = false
    /// Text that the user last searched for.
    private var wanted = ""
    /// Scene to return to if the scene to which the user switched cannot be shown, or `nil`.
    private var earlier: (application: String?, scene: String?)?
    /// Whether the outcome of the last key is unknown.
    private var isInDoubt = false
    /// Number of times that queued keys were dropped.
    private var refusals = 0

    init(
        _ call: AttachCall, _ makeConnection: @escaping () -> sending DaemonConnection
    ) throws {
        self.call = call
        self.makeConnection = makeConnection
        isObserving = call.observing == true
        let feed = try AttachFeed()
        self.feed = feed
        let environment = ProcessInfo.processInfo.environment
        let input = AttachInput(besides: feed, escapeDelay: EscapeDelay.in(environment))
        self.input = input
        calls = SceneCalls(makeConnection, wait: input.waitForAnswer) { feed.wake() }
        setlocale(LC_CTYPE, "")
        screen = AttachScreen(
            AttachScreen.Abilities(
                hasColor: environment["NO_COLOR", default: ""].isEmpty,
                isUTF8: nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } == "UTF-8"))
    }

    /// Runs until the user exits the client. If the process receives a terminating signal, it exits.
    func run(_ first: AttachCall.Reply) throws {
        try TerminalSession.start(waking: feed.writing)
        defer { TerminalSession.leave() }
        input.forgetScreen = { [unowned self] in screen.forget() }
        input.draw = { [unowned self] in draw() }
        scene.apply(first)
        follow()
        while !input.isLeaving {
            let columns = TerminalSession.size.drawnColumns
            if columns != call.columns {
                call.columns = columns
                follow()
            }
            draw()
            try input.wait(until: freshUntil)
            try applyEvents()
            while let key = input.next() { try pressAll(key) }
        }
    }

    // MARK: Following

    /// Follows the scene again, with the current number of columns.
    private func follow() {
        (calls.application, calls.scene) = (call.application, call.scene)
        feed.follow(call, over: makeConnection())
    }

    /// Waits for the current state of the scene if an earlier key may have changed it. Queued keys apply to the
    /// screen that the user expects to see.
    ///
    /// - Returns: Whether the daemon has sent the current state.
    private func catchUp() throws -> Bool {
        try applyEvents()
        guard mayBeOutdated, !isAway else { return true }
        var failure: (any Error)?
        follow()
        // The first rendering that this follower receives includes the effects of the earlier keys.
        let hasArrived = input.waitForAnswer {
            do {
                if try applyEvents() { mayBeOutdated = false }
            } catch {
                failure = error
            }
            return !mayBeOutdated || isAway || failure != nil
        }
        if let failure { throw failure }
        return hasArrived
    }

    /// Applies the events of the scene.
    ///
    /// - Returns: Whether the events included a complete rendering.
    @discardableResult
    private func applyEvents() throws -> Bool {
        var (isWhole, isAny) = (false, false)
        for event in feed.popEvents() {
            switch event {
            case .reply(let reply):
                scene.apply(reply)
                isAny = true
                if reply.application == nil { continue }
                isWhole = true
                earlier = nil
                if isAway { showMessage("the daemon is back: \(scene.launchReason)\(doubt)") }
                isAway = false
            case .away:
                // A message about a lost key remains on the screen.
                if !isAway, !isAlarming { message = "" }
                isAway = true
                calls.disconnect()
            case .failed(let sentence):
                guard let earlier else { throw Failure(sentence) }
                (call.application, call.scene) = earlier
                self.earlier = nil
                showMessage(sentence, isAlarming: true)
                follow()
            }
        }
        if isAny, isInDoubt {
            if isAlarming { showMessage("the daemon responds again\(doubt)") }
            isInDoubt = false
        }
        // Another client may have closed the controller.
        if isAny, case .question(let question) = mode, !scene.shows(question.path) { mode = .scene }
        if isAny {
            _ = inPanel { panel throws(SceneCalls.Failed) in try panel.sceneDidChange(calls) }
        }
        return isWhole
    }

    private var doubt: String { isInDoubt ? ", and this is its current state" : "" }

    // MARK: Keys

    /// Whether typed letters are inserted into text.
    private var isTyping: Bool {
        switch mode {
        case .prompt: true
        case .scene: [.field, .text].contains(scene.focused?.kind)
        case .panel, .question: false
        }
    }

    /// Handles a key. Outside of text, each letter is a separate command and applies to the result of the previous
    /// letter.
    private func pressAll(_ key: Key) throws {
        switch key {
        // These keys do not wait for the daemon.
        case .control("c"), .control("q"): input.leave()
        case .control("z"): try input.suspend()
        case .control("l"): screen.forget()
        case .text(let text):
            var rest = text[...]
            let before = refusals
            while !input.isLeaving, refusals == before, let first = rest.first, try isUpToDate() {
                if isTyping { return try press(.text(String(rest))) }
                try press(.text(String(first)))
                rest.removeFirst()
            }
        default: if try isUpToDate() { try press(key) }
        }
    }

    /// Returns whether the client knows the state after the earlier keys. If not, it drops the queued keys.
    private func isUpToDate() throws -> Bool {
        if try catchUp() { return true }
        refuseWaiting("the keys were ignored: the daemon does not respond")
        return false
    }

    /// Drops the queued keys, because they would apply to a different target than the user expects.
    private func refuseWaiting(_ sentence: String) {
        dropKeys()
        showMessage(sentence, isAlarming: true)
    }

    private func dropKeys() {
        input.drop()
        refusals += 1
    }

    private func press(_ key: Key) throws {
        switch mode {
        case .prompt(let prompt): type(key, prompt)
        case .question(let question): try answer(question, key)
        case .panel: pressInPanel(key)
        case .scene:
            switch key {
            case .text("q") where !isTyping: input.leave()
            case .help: mode = .panel(KeysPanel())
            case .text("?") where !isTyping: mode = .panel(KeysPanel())
            case .text("/") where !isTyping: mode = .prompt(Prompt(purpose: .find))
            case .scenes: open { calls throws(SceneCalls.Failed) in try ScenesPanel(calls) }
            case .history:
                open { calls throws(SceneCalls.Failed) in
                    try HistoryPanel(calls, mayGoBack: !isObserving)
                }
            case .inspector:
                let path = scene.focus?.path
                open { calls throws(SceneCalls.Failed) in try InspectorPanel(calls, at: path) }
            default:
                message = ""
                isAlarming = false
                try operate(key)
            }
        }
    }

    /// Handles a key for the scene.
    private func operate(_ key: Key) throws {
        guard let key = screen.placed(key) else { return }
        let focus = scene.focus
        let outcome = scene.press(key)
        switch (outcome, key) {
        case (.nothing, .wheel(_, _, let offset)): return screen.scroll(by: 3 * offset)
        case (.nothing, .pageUp): return screen.scroll(byPages: -1)
        case (.nothing, .pageDown): return screen.scroll(byPages: 1)
        default: screen.scrollToFocus()
        }
        switch outcome {
        case .nothing, .moved: break
        case .refused(let sentence): showMessage(sentence)
        case .asksAddress(let path): mode = .prompt(Prompt(purpose: .load(path: path)))
        case .operation(let operation):
            guard carryOut(operation) else { return scene.focus = focus }
            try didCarryOut(operation)
        }
    }

    private func didCarryOut(_ operation: AttachedScene.Operation) throws {
        switch operation {
        case .insert, .edit: break
        default: mayBeOutdated = true
        }
        // The focused element may have disappeared, or may not have arrived yet.
        if scene.focused == nil { _ = try catchUp() }
    }

    /// Asks the user before an operation discards changes.
    private func ask(_ question: Question) {
        // Keys that were typed before the user saw the question are not answers to it.
        dropKeys()
        mode = .question(question)
    }

    /// Handles a key that answers a question. Other keys have no effect.
    private func answer(_ question: Question, _ key: Key) throws {
        switch key {
        case .text("y"):
            mode = .scene
            if carryOut(question.operation, discardsChanges: true) {
                try didCarryOut(question.operation)
            }
        case .text("n"), .escape: mode = .scene
        default: break
        }
    }

    /// Maximum number of characters in a prompt.
    private static let longestPrompt = 4096

    /// Handles a key for the prompt.
    private func type(_ key: Key, _ prompt: Prompt) {
        var prompt = prompt
        switch key {
        case .text(let text), .paste(let text):
            prompt.text = String((prompt.text + text).prefix(Self.longestPrompt))
        case .backspace: _ = prompt.text.popLast()
        case .control("u"): prompt.text = ""
        case .enter:
            mode = .scene
            return enter(prompt)
        case .escape: return mode = .scene
        default: break
        }
        mode = .prompt(prompt)
    }

    private func enter(_ prompt: Prompt) {
        switch prompt.purpose {
        case .find:
            if !prompt.text.isEmpty { wanted = prompt.text }
            guard !wanted.isEmpty else { return }
            screen.scrollToFocus()
            if !scene.find(wanted) { showMessage("\"\(wanted)\" was not found") }
        case .load(let path):
            mayBeOutdated = carryOut(.load(path: path, address: prompt.text)) || mayBeOutdated
        }
    }

    // MARK: Panels

    private func open(
        _ make: (SceneCalls) throws(SceneCalls.Failed) -> any AttachPanel
    ) {
        message = ""
        do {
            mode = .panel(try make(calls))
        } catch {
            showMessage(error.sentence, isAlarming: true)
        }
    }

    /// Calls a closure with the open panel. If the daemon does not reply, the panel stays unchanged.
    private func inPanel<Result>(
        _ body: (inout any AttachPanel) throws(SceneCalls.Failed) -> Result
    ) -> Result? {
        guard case .panel(var panel) = mode else { return nil }
        defer { mode = .panel(panel) }
        do {
            return try body(&panel)
        } catch {
            if !isAway { showMessage(error.sentence, isAlarming: true) }
            return nil
        }
    }

    private func pressInPanel(_ key: Key) {
        message = ""
        let outcome = inPanel { panel throws(SceneCalls.Failed) in try panel.press(key, calls) }
        switch outcome {
        case nil, .stays: return
        case .ends: break
        case .goes(let application, let scene):
            earlier = (call.application, call.scene)
            (call.application, call.scene) = (application, scene)
            (saved, mayBeOutdated) = ("", true)
            follow()
        case .rollsBack(let generation): rollBack(to: generation)
        }
        mode = .scene
    }

    private func rollBack(to generation: String) {
        guard mayChange else { return }
        do {
            let reply = try calls.make(RollbackCall.with { $0.generation = generation })
            show(reply.saved, reply.notSavedReason)
            mayBeOutdated = true
            if reply.saved != .no {
                showMessage("rolled back to \(generation); press F3 to undo this")
            }
        } catch {
            showMessage(error.sentence, isAlarming: true)
        }
    }

    // MARK: Operating

    /// Whether this client may currently change the scene. If not, the getter shows the reason.
    private var mayChange: Bool {
        if isObserving { showMessage("this client is read-only: it was started with --observe") }
        if isAway {
            showMessage("the key was ignored: the daemon is not available", isAlarming: true)
        }
        return !isObserving && !isAway
    }

    /// Carries out the operation of a key, and shows the durability level of its change or the reason for its
    /// failure.
    ///
    /// - Returns: Whether the operation was carried out.
    private func carryOut(
        _ operation: AttachedScene.Operation, discardsChanges: Bool = false
    ) -> Bool {
        guard mayChange else { return false }
        do {
            let reply = try calls.carryOut(operation, discardsChanges: discardsChanges)
            show(reply.saved, reply.notSavedReason)
            return true
        } catch {
            if case .unsavedChanges(let path, _)? = error.refusal {
                ask(Question(operation: operation, path: path))
                return false
            }
            isInDoubt = error.refusal == nil
            if isInDoubt {
                refuseWaiting(error.sentence)
            } else {
                showMessage(error.sentence, isAlarming: true)
            }
            return false
        }
    }

    /// Shows the durability level of a change.
    private func show(_ level: SaveLevel, _ reason: String?) {
        saved = level.rawValue
        freshUntil = .now + .milliseconds(600)
        if level == .no { showMessage("NOT SAVED: \(reason ?? "")", isAlarming: true) }
    }

    private func showMessage(_ sentence: String, isAlarming: Bool = false) {
        message = sentence
        self.isAlarming = isAlarming
    }

    // MARK: Drawing

    private func draw() {
        var bar = AttachScreen.Bar()
        bar.left = "\(scene.application) \(scene.scene) · \(scene.launchReason)"
        if isObserving { bar.left += " · observing" }
        // The screen does not show that a picture has the focus, so the bar does.
        if let focused = scene.focused, [.scroll, .page, .list].contains(focused.kind) {
            bar.left += " · \(focused.path.split(separator: "/").last ?? "")"
        }
        let size = TerminalSession.size
        var panel: (lines: [DrawnLine], hint: String)?
        if case .panel(var open) = mode {
            panel = (open.lines(.init(lines: size.lines - 1, columns: size.columns)), open.hint)
            mode = .panel(open)
        }
        if let freshUntil, freshUntil <= .now { self.freshUntil = nil }
        if input.isAnswerLate {
            bar.right = "the daemon has not responded yet; press Ctrl-C to exit"
            bar.isAlarming = true
        } else if isAway {
            bar.right = message.isEmpty ? "no daemon; waiting for it" : message
            bar.isAlarming = true
        } else if case .prompt(let prompt) = mode {
            (bar.right, bar.isTyped) = (prompt.shown, true)
        } else if case .question = mode {
            (bar.right, bar.isAlarming) = ("discard the unsaved changes? (y/n)", true)
        } else if !message.isEmpty {
            (bar.right, bar.isAlarming) = (message, isAlarming)
        } else if let panel {
            bar.right = panel.hint
        } else {
            bar.right = saved.isEmpty ? "F1 keys" : "saved: \(saved) · F1 keys"
            bar.isFresh = freshUntil != nil
        }
        TerminalSession.write(screen.draw(scene, bar: bar, panel: panel?.lines, size: size))
    }
}
