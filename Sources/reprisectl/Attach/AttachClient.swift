import ArgumentParser
import FoundationEssentials
import Glibc
import RepriseControl
import SystemPackage
import Varlink

/// The loop of a terminal client: keys in, operations to the daemon, what changed on the screen.
final class AttachClient {
    /// What the keys are for.
    private enum Mode {
        case scene
        case prompt(Prompt)
        case question(Question)
        case panel(any AttachPanel)
    }

    /// Asks whether changes that are not saved are discarded.
    private struct Question {
        /// The operation that would discard them.
        let operation: AttachedScene.Operation
        /// The controller that holds them.
        let path: String
    }

    /// A line that is typed at the foot.
    private struct Prompt {
        enum Purpose {
            /// A text is looked for.
            case find
            /// A page is gone to.
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
    /// Makes a way to the daemon: each thread has its own.
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
    /// Whether a key may have changed what the next one is for, and nobody has begun to follow since.
    private var isBehind = false
    /// The text that a person looked for last.
    private var wanted = ""
    /// The scene before the one that a person went to, until that is shown.
    private var earlier: (application: String?, scene: String?)?
    /// Whether it is not known what became of what was pressed last.
    private var isInDoubt = false
    /// How often keys were refused that were typed ahead.
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

    /// Returns when the person leaves; if the process is told to end it does.
    func run(_ first: AttachCall.Reply) throws {
        try TerminalSession.start(waking: feed.writing)
        defer { TerminalSession.leave() }
        input.forgetScreen = { [unowned self] in screen.forget() }
        input.draw = { [unowned self] in draw() }
        scene.take(first)
        follow()
        while !input.isLeaving {
            let columns = TerminalSession.size.drawnColumns
            if columns != call.columns {
                call.columns = columns
                follow()
            }
            draw()
            try input.wait(until: freshUntil)
            try takeEvents()
            while let key = input.next() { try pressAll(key) }
        }
    }

    // MARK: Following

    /// Follows the scene anew, in the columns that there are now.
    private func follow() {
        (calls.application, calls.scene) = (call.application, call.scene)
        feed.follow(call, over: makeConnection())
    }

    /// Looks at the scene as it is now, if what was pressed before may have changed what is there: keys that
    /// are typed ahead are for what a person expects to see.
    ///
    /// - Returns: whether the daemon has told it.
    private func catchUp() throws -> Bool {
        try takeEvents()
        guard isBehind, !isAway else { return true }
        var failure: (any Error)?
        follow()
        // The first drawing of this follower is of after what was pressed.
        let isTold = input.waitForAnswer {
            do {
                if try takeEvents() { isBehind = false }
            } catch {
                failure = error
            }
            return !isBehind || isAway || failure != nil
        }
        if let failure { throw failure }
        return isTold
    }

    /// Takes what was told of the scene.
    ///
    /// - Returns: whether a whole drawing was.
    @discardableResult
    private func takeEvents() throws -> Bool {
        var (isWhole, isAny) = (false, false)
        for event in feed.take() {
            switch event {
            case .reply(let reply):
                scene.take(reply)
                isAny = true
                if reply.application == nil { continue }
                isWhole = true
                earlier = nil
                if isAway { tell("the daemon is back: \(scene.launchReason)\(doubt)") }
                isAway = false
            case .away:
                // A sentence about a key that was lost stays.
                if !isAway, !isAlarming { message = "" }
                isAway = true
                calls.disconnect()
            case .failed(let sentence):
                guard let earlier else { throw Failure(sentence) }
                (call.application, call.scene) = earlier
                self.earlier = nil
                tell(sentence, isAlarming: true)
                follow()
            }
        }
        if isAny, isInDoubt {
            if isAlarming { tell("the daemon answers again\(doubt)") }
            isInDoubt = false
        }
        // Another client may have left the controller.
        if isAny, case .question(let question) = mode, !scene.shows(question.path) { mode = .scene }
        if isAny {
            _ = inPanel { panel throws(SceneCalls.Failed) in try panel.sceneDidChange(calls) }
        }
        return isWhole
    }

    private var doubt: String { isInDoubt ? ", and this is its current state" : "" }

    // MARK: Keys

    /// Whether letters are typed into a text.
    private var isTyping: Bool {
        switch mode {
        case .prompt: true
        case .scene: [.field, .text].contains(scene.focused?.kind)
        case .panel, .question: false
        }
    }

    /// Presses a key; of letters that are no text each is a command of its own, and the next one is for what
    /// that leads to.
    private func pressAll(_ key: Key) throws {
        switch key {
        // These wait for no daemon.
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

    /// Whether the scene is known as the keys before have left it; if not, those that were typed ahead are
    /// refused.
    private func isUpToDate() throws -> Bool {
        if try catchUp() { return true }
        refuseWaiting("the keys were ignored: the daemon does not answer")
        return false
    }

    /// Drops the keys that were typed ahead: they would be for something else than a person has thought of.
    private func refuseWaiting(_ sentence: String) {
        dropKeys()
        tell(sentence, isAlarming: true)
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

    /// Takes a key that is for the scene.
    private func operate(_ key: Key) throws {
        guard let key = screen.placed(key) else { return }
        let focus = scene.focus
        let outcome = scene.press(key)
        switch (outcome, key) {
        case (.nothing, .wheel(_, _, let offset)): return screen.scroll(by: 3 * offset)
        case (.nothing, .pageUp): return screen.scroll(byPages: -1)
        case (.nothing, .pageDown): return screen.scroll(byPages: 1)
        default: screen.lookAtFocus()
        }
        switch outcome {
        case .nothing, .moved: break
        case .refused(let sentence): tell(sentence)
        case .asksAddress(let path): mode = .prompt(Prompt(purpose: .load(path: path)))
        case .operation(let operation):
            guard carryOut(operation) else { return scene.focus = focus }
            try didCarryOut(operation)
        }
    }

    private func didCarryOut(_ operation: AttachedScene.Operation) throws {
        switch operation {
        case .insert, .edit: break
        default: isBehind = true
        }
        // The element that has the focus may be gone, or not have come.
        if scene.focused == nil { _ = try catchUp() }
    }

    /// Asks before an operation discards changes.
    private func ask(_ question: Question) {
        // Keys that were typed ahead answer no question that nobody has seen.
        dropKeys()
        mode = .question(question)
    }

    /// Takes a key for a question. Keys that are no answer do nothing.
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

    /// The most characters of a line that is typed at the foot.
    private static let longestPrompt = 4096

    /// Takes a key of a line that is typed at the foot.
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
            screen.lookAtFocus()
            if !scene.find(wanted) { tell("nothing here has \"\(wanted)\"") }
        case .load(let path):
            isBehind = carryOut(.load(path: path, address: prompt.text)) || isBehind
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
            tell(error.sentence, isAlarming: true)
        }
    }

    /// Has the panel that is open do something; without an answer of the daemon it stays as it is.
    private func inPanel<Result>(
        _ body: (inout any AttachPanel) throws(SceneCalls.Failed) -> Result
    ) -> Result? {
        guard case .panel(var panel) = mode else { return nil }
        defer { mode = .panel(panel) }
        do {
            return try body(&panel)
        } catch {
            if !isAway { tell(error.sentence, isAlarming: true) }
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
            (saved, isBehind) = ("", true)
            follow()
        case .rollsBack(let generation): rollBack(to: generation)
        }
        mode = .scene
    }

    private func rollBack(to generation: String) {
        guard mayChange else { return }
        do {
            let reply = try calls.make(RollbackCall.with { $0.generation = generation })
            note(reply.saved, reply.notSavedReason)
            isBehind = true
            if reply.saved != .no { tell("went back to \(generation); F3 can undo it") }
        } catch {
            tell(error.sentence, isAlarming: true)
        }
    }

    // MARK: Operating

    /// Whether this client may change something now; if not it is told.
    private var mayChange: Bool {
        if isObserving { tell("this client is read-only: it was started with --observe") }
        if isAway { tell("the key was ignored: there is no daemon", isAlarming: true) }
        return !isObserving && !isAway
    }

    /// Does what a key is for, and tells how safe its change is, or why there is none.
    ///
    /// - Returns: whether it was carried out.
    private func carryOut(
        _ operation: AttachedScene.Operation, discardsChanges: Bool = false
    ) -> Bool {
        guard mayChange else { return false }
        do {
            let reply = try calls.carryOut(operation, discardsChanges: discardsChanges)
            note(reply.saved, reply.notSavedReason)
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
                tell(error.sentence, isAlarming: true)
            }
            return false
        }
    }

    /// Something was changed.
    private func note(_ level: SaveLevel, _ reason: String?) {
        saved = level.rawValue
        freshUntil = .now + .milliseconds(600)
        if level == .no { tell("NOT SAVED: \(reason ?? "")", isAlarming: true) }
    }

    private func tell(_ sentence: String, isAlarming: Bool = false) {
        message = sentence
        self.isAlarming = isAlarming
    }

    // MARK: Drawing

    private func draw() {
        var bar = AttachScreen.Bar()
        bar.left = "\(scene.application) \(scene.scene) · \(scene.launchReason)"
        if isObserving { bar.left += " · observing" }
        // That a picture has the focus is not seen on the picture.
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
            bar.right = "the daemon does not answer yet; Ctrl-C leaves"
            bar.isAlarming = true
        } else if isAway {
            bar.right = message.isEmpty ? "no daemon; waiting for it" : message
            bar.isAlarming = true
        } else if case .prompt(let prompt) = mode {
            (bar.right, bar.isTyped) = (prompt.shown, true)
        } else if case .question = mode {
            (bar.right, bar.isAlarming) = ("discard the unsaved changes? y, n", true)
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
