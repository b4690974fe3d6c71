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

    /// Question that the user must answer before an operation is performed.
    private enum Question {
        /// Whether the operation may discard the unsaved changes of the controller at a path.
        case discard(AttachedScene.Operation, path: String)
        /// Whether to delete the row with the given text.
        case delete(text: String, path: String, row: Int)

        var operation: AttachedScene.Operation {
            switch self {
            case .discard(let operation, _): operation
            case .delete(_, let path, let row): .delete(path: path, row: row)
            }
        }

        var displayText: String {
            switch self {
            case .discard: "discard the unsaved changes? (y/n)"
            case .delete("", _, let row): "delete row \(row + 1)? (y/n)"
            case .delete(let text, _, _): "delete \"\(text)\"? (y/n)"
            }
        }

        /// Returns whether a scene still contains the subject of the question.
        func applies(to scene: AttachedScene) -> Bool {
            switch self {
            case .discard(_, let path): scene.shows(path)
            case .delete(let text, let path, let row): scene.rowText(path: path, row: row) == text
            }
        }
    }

    /// Prompt for a line of text in the bar at the bottom.
    private struct Prompt {
        enum Purpose {
            /// Text to find.
            case find
            /// Address of a page to load.
            case load(path: String)
        }

        let purpose: Purpose
        var text = ""

        var displayText: String {
            switch purpose {
            case .find: "/\(text)"
            case .load: "address: \(text)"
            }
        }
    }

    private var call: AttachCall
    /// Closure that creates a connection to the daemon. Each thread uses its own connection.
    private let makeConnection: () -> sending DaemonConnection
    private let calls: SceneCalls
    private let isObserving: Bool
    private let feed: AttachFeed
    private var mode = Mode.scene
    private var scene = AttachedScene()
    private var screen: AttachScreen
    private let input: AttachInput
    private var isDaemonUnavailable = false
    private var message = ""
    private var isErrorMessage = false
    private var highlightEndTime: ContinuousClock.Instant?
    /// Whether the client needs a complete rendering before it handles the next key, because an earlier key press may
    /// have changed the scene.
    private var needsFullRendering = false
    /// Whether the current follower has not received a complete rendering yet.
    private var isWaitingForRendering = false
    /// Text that the user last searched for.
    private var searchText = ""
    /// Scene to which the client returns if the newly selected scene cannot be shown, or `nil` if the client already
    /// shows the selected scene.
    private var previousTarget: (application: String?, scene: String?)?
    /// Whether the effect of the last key press is unknown.
    private var isOutcomeUnknown = false
    /// Number of times that the client has dropped queued keys.
    private var inputDropCount = 0
    /// Durability level of the last change, or the warning that it was not saved.
    private var saveStatus = SaveStatus()

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - ownerHost: The host to which the first call was redirected because it runs the application, or `nil` if the
    ///     call was not redirected.
    ///   - makeConnection: A closure that creates a connection to the daemon.
    init(
        _ call: AttachCall, ownerHost: String? = nil,
        _ makeConnection: @escaping () -> sending DaemonConnection
    ) throws {
        self.call = call
        self.makeConnection = makeConnection
        isObserving = call.observing == true
        let feed = try AttachFeed()
        self.feed = feed
        let environment = ProcessInfo.processInfo.environment
        let input = AttachInput(watching: feed, escapeDelay: EscapeDelay.delay(in: environment))
        self.input = input
        calls = SceneCalls(makeConnection, waitForReply: input.waitForReply) { feed.wakeMainLoop() }
        setlocale(LC_CTYPE, "")
        screen = AttachScreen(
            AttachScreen.Capabilities(
                hasColor: environment["NO_COLOR", default: ""].isEmpty,
                isUTF8: nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } == "UTF-8"))
        calls.ownerHost = ownerHost
    }

    /// Runs until the user exits the client, or until a signal terminates the process.
    func run(from firstReply: AttachCall.Reply) throws {
        try TerminalSession.start(waking: feed.writeDescriptor)
        defer { TerminalSession.restoreTerminal() }
        input.invalidateScreen = { [unowned self] in screen.invalidate() }
        input.drawScreen = { [unowned self] in draw() }
        scene.apply(firstReply)
        followScene()
        while !input.shouldExit {
            let size = TerminalSession.size.renderingSize
            // While the user drags the edge of the window, each follower receives its first rendering before the next
            // follower starts. With --host, each follower starts `ssh`.
            if !isWaitingForRendering, (size.columns, size.lines) != (call.columns, call.lines) {
                followScene()
            }
            draw()
            // The check is deferred while the daemon is unavailable.
            let checkTime = isDaemonUnavailable ? nil : saveStatus.checkTime
            try input.wait(until: [highlightEndTime, checkTime].compactMap(\.self).min())
            try applyEvents()
            checkSaveStatus()
            while let key = input.next() { try handle(key) }
            if input.consumeOverflow() {
                showMessage("the last keys were ignored: too many keys are waiting", isError: true)
            }
        }
    }

    // MARK: Following

    /// Follows the scene at the current size, and stops the previous follower.
    private func followScene() {
        (call.columns, call.lines) = TerminalSession.size.renderingSize
        (calls.bundleIdentifier, calls.sceneName) = (call.application, call.scene)
        let connection = makeConnection()
        connection.switchHost(to: calls.ownerHost)
        isWaitingForRendering = true
        feed.follow(call, over: connection)
    }

    /// Waits for the current state of the scene if an earlier key press may have changed the scene. Queued keys then
    /// apply to the screen that the user expects to see.
    ///
    /// - Returns: `false` if the user exits the client.
    private func catchUp() throws -> Bool {
        try applyEvents()
        guard needsFullRendering, !isDaemonUnavailable else { return true }
        var failure: (any Error)?
        followScene()
        // The first rendering that this follower receives includes the effects of the earlier keys.
        let hasReplyArrived = input.waitForReply {
            do {
                if try applyEvents() { needsFullRendering = false }
            } catch {
                failure = error
            }
            return !needsFullRendering || isDaemonUnavailable || failure != nil
        }
        if let failure { throw failure }
        return hasReplyArrived
    }

    /// Applies the events that the feed has received for the scene.
    ///
    /// - Returns: Whether the events included a complete rendering.
    @discardableResult
    private func applyEvents() throws -> Bool {
        var (hasFullRendering, hasReply) = (false, false)
        for event in feed.popEvents() {
            switch event {
            case .reply(let reply, let ownerHost):
                scene.apply(reply)
                hasReply = true
                if reply.application == nil { continue }
                hasFullRendering = true
                isWaitingForRendering = false
                previousTarget = nil
                calls.ownerHost = ownerHost
                if isDaemonUnavailable {
                    let sentence =
                        ownerHost.map { "connected to \($0)" } ?? "the daemon is back"
                    showMessage("\(sentence): \(scene.launchReason)\(currentStateSuffix)")
                }
                isDaemonUnavailable = false
            case .unavailable(let reason): waitForDaemon(because: reason)
            case .ownerUnknown(let sentence) where previousTarget == nil:
                waitForDaemon(because: sentence)
            case .ownerUnknown(let sentence), .failed(let sentence):
                try returnToPreviousTarget(because: sentence)
            }
        }
        if hasReply, isOutcomeUnknown {
            if isErrorMessage { showMessage("the daemon responds again\(currentStateSuffix)") }
            isOutcomeUnknown = false
        }
        // Another client may have closed the controller or moved the row.
        if hasReply, case .question(let question) = mode, !question.applies(to: scene) {
            mode = .scene
        }
        if hasReply {
            _ = withPanel { panel throws(SceneCalls.CallError) in try panel.sceneDidChange(calls) }
        }
        return hasFullRendering
    }

    /// Rejects keys until a daemon replies.
    private func waitForDaemon(because reason: String?) {
        // A message about a lost key remains on the screen.
        if !isErrorMessage, let newMessage = reason ?? (isDaemonUnavailable ? nil : "") {
            message = newMessage
        }
        isDaemonUnavailable = true
        calls.disconnect()
    }

    /// Shows the previous scene again, because the newly selected scene cannot be shown.
    ///
    /// - Throws: ``Failure`` if there is no previous scene.
    private func returnToPreviousTarget(because sentence: String) throws {
        guard let previousTarget else { throw Failure(sentence) }
        (call.application, call.scene) = previousTarget
        self.previousTarget = nil
        showMessage(sentence, isError: true)
        followScene()
    }

    private var currentStateSuffix: String {
        isOutcomeUnknown ? ", and this is its current state" : ""
    }

    // MARK: Keys

    /// Whether typed letters are inserted into text.
    private var isTyping: Bool {
        switch mode {
        case .prompt: true
        case .scene: [.field, .text].contains(scene.focusedElement?.kind)
        case .panel, .question: false
        }
    }

    /// Handles a key. Outside text input, each letter is a separate command, and applies to the scene that results from
    /// the previous letter.
    private func handle(_ key: Key) throws {
        switch key {
        // These keys do not wait for the daemon.
        case .control("c"), .control("q"): input.requestExit()
        case .control("z"): try input.suspend()
        case .control("l"): screen.invalidate()
        case .text(let text):
            var remainingText = text[...]
            let previousDropCount = inputDropCount
            while !input.shouldExit, inputDropCount == previousDropCount,
                let first = remainingText.first,
                try catchUp()
            {
                if isTyping { return try press(.text(String(remainingText))) }
                try press(.text(String(first)))
                remainingText.removeFirst()
            }
        default: if try catchUp() { try press(key) }
        }
    }

    /// Drops the queued keys, which could affect a different target than the user expects, and shows a message.
    private func rejectQueuedKeys(_ sentence: String) {
        dropKeys()
        showMessage(sentence, isError: true)
    }

    private func dropKeys() {
        input.dropQueuedKeys()
        inputDropCount += 1
    }

    private func press(_ key: Key) throws {
        switch mode {
        case .prompt(let prompt): pressInPrompt(key, prompt)
        case .question(let question): try answer(question, key)
        case .panel: pressInPanel(key)
        case .scene:
            switch key {
            case .text("q") where !isTyping: input.requestExit()
            case .help: mode = .panel(KeyBindingsPanel())
            case .text("?") where !isTyping: mode = .panel(KeyBindingsPanel())
            case .text("/") where !isTyping: mode = .prompt(Prompt(purpose: .find))
            case .control("n"): switchToNextScene()
            case .scenes: openPanel { calls throws(SceneCalls.CallError) in try ScenesPanel(calls) }
            case .history:
                openPanel { calls throws(SceneCalls.CallError) in
                    try HistoryPanel(calls, allowsRollback: !isObserving)
                }
            case .inspector:
                let path = scene.focus?.path
                openPanel { calls throws(SceneCalls.CallError) in
                    try InspectorPanel(calls, at: path)
                }
            default:
                message = ""
                isErrorMessage = false
                try pressInScene(key)
            }
        }
    }

    /// Handles a key press in the scene.
    private func pressInScene(_ key: Key) throws {
        guard let key = screen.translatedKey(key) else { return }
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
        case .deletionRequested(let text, let path, let row):
            if checkMayChange() { ask(.delete(text: text, path: path, row: row)) }
        case .addressRequired(let path): mode = .prompt(Prompt(purpose: .load(path: path)))
        case .operation(let operation):
            guard perform(operation) else { return scene.focus = focus }
            try didPerform(operation)
        }
    }

    private func didPerform(_ operation: AttachedScene.Operation) throws {
        switch operation {
        case .insert, .edit: break
        default: needsFullRendering = true
        }
        // The focused element may have disappeared, or may not have arrived yet.
        if scene.focusedElement == nil { _ = try catchUp() }
    }

    /// Asks the user before an operation is performed.
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
            guard perform(question.operation, discardsChanges: true) else { return }
            try didPerform(question.operation)
            try offerUndo(of: question)
        case .text("n"), .escape: mode = .scene
        default: break
        }
    }

    /// Shows a message that a row was deleted, and how to restore the row.
    private func offerUndo(of question: Question) throws {
        guard case .delete(let text, let path, let row) = question, try catchUp() else { return }
        let hint = scene.canUndoDeletion(in: path) ? "; press u to restore it" : ""
        let subject = text.isEmpty ? "row \(row + 1)" : "\"\(text)\""
        if message.isEmpty { showMessage("deleted \(subject)\(hint)") }
    }

    /// Maximum number of characters in a prompt.
    private static let maximumPromptLength = 4096

    /// Handles a key press in the prompt.
    private func pressInPrompt(_ key: Key, _ prompt: Prompt) {
        var prompt = prompt
        switch key {
        case .text(let text), .paste(let text):
            prompt.text = String((prompt.text + text).prefix(Self.maximumPromptLength))
        case .backspace: _ = prompt.text.popLast()
        case .control("u"): prompt.text = ""
        case .enter:
            mode = .scene
            return submit(prompt)
        case .escape: return mode = .scene
        default: break
        }
        mode = .prompt(prompt)
    }

    private func submit(_ prompt: Prompt) {
        switch prompt.purpose {
        case .find:
            if !prompt.text.isEmpty { searchText = prompt.text }
            guard !searchText.isEmpty else { return }
            screen.scrollToFocus()
            if !scene.find(searchText) { showMessage("\"\(searchText)\" was not found") }
        case .load(let path):
            needsFullRendering =
                perform(.load(path: path, address: prompt.text)) || needsFullRendering
        }
    }

    // MARK: Panels

    private func openPanel(
        _ makePanel: (SceneCalls) throws(SceneCalls.CallError) -> any AttachPanel
    ) {
        message = ""
        do {
            mode = .panel(try makePanel(calls))
        } catch {
            showMessage(error.sentence, isError: true)
        }
    }

    /// Calls a closure with the open panel. If the closure throws an error, the panel stays open.
    private func withPanel<Result>(
        _ body: (inout any AttachPanel) throws(SceneCalls.CallError) -> Result
    ) -> Result? {
        guard case .panel(var panel) = mode else { return nil }
        defer { mode = .panel(panel) }
        do {
            return try body(&panel)
        } catch {
            if !isDaemonUnavailable { showMessage(error.sentence, isError: true) }
            return nil
        }
    }

    private func pressInPanel(_ key: Key) {
        message = ""
        let outcome = withPanel { panel throws(SceneCalls.CallError) in try panel.press(key, calls)
        }
        switch outcome {
        case nil, .stayOpen: return
        case .close: break
        case .switchScene(let bundleIdentifier, let sceneName):
            switchScene(bundleIdentifier, sceneName)
        case .rollBack(let generation): rollBack(to: generation)
        }
        mode = .scene
    }

    private func switchScene(_ bundleIdentifier: String, _ sceneName: String) {
        previousTarget = (call.application, call.scene)
        (call.application, call.scene) = (bundleIdentifier, sceneName)
        (saveStatus, needsFullRendering) = (SaveStatus(), true)
        followScene()
    }

    /// Switches to the next running scene of any application.
    private func switchToNextScene() {
        do {
            guard let nextScene = try ListedScenes(calls).nextRunningScene(calls) else {
                return showMessage("there is no other running scene")
            }
            switchScene(nextScene.bundleIdentifier, nextScene.name)
        } catch {
            showMessage(error.sentence, isError: true)
        }
    }

    private func rollBack(to generation: String) {
        guard checkMayChange() else { return }
        do {
            let reply = try calls.make(RollbackCall.with { $0.generation = generation })
            showSaveLevel(reply.saved, reason: reply.notSavedReason)
            needsFullRendering = true
            if reply.saved != .no {
                showMessage("rolled back to \(generation); press F3 to undo this")
            }
        } catch {
            showMessage(error.sentence, isError: true)
        }
    }

    // MARK: Operating

    /// Returns whether this client may currently change the scene. If not, shows the reason.
    private func checkMayChange() -> Bool {
        if isObserving { showMessage("this client is read-only: it was started with --observe") }
        if isDaemonUnavailable {
            showMessage("the key was ignored: the daemon is not available", isError: true)
        }
        return !isObserving && !isDaemonUnavailable
    }

    /// Performs an operation, and shows the durability level of the change or the reason for the failure.
    ///
    /// - Returns: Whether the operation was performed.
    private func perform(
        _ operation: AttachedScene.Operation, discardsChanges: Bool = false
    ) -> Bool {
        guard checkMayChange() else { return false }
        do {
            let reply = try calls.perform(
                operation, drawnSize: scene.drawnSize(for: operation),
                discardsChanges: discardsChanges)
            showSaveLevel(reply.saved, reason: reply.notSavedReason)
            return true
        } catch {
            if case .unsavedChanges(let path, _)? = error.refusal {
                ask(.discard(operation, path: path))
                return false
            }
            isOutcomeUnknown = error.refusal == nil
            if isOutcomeUnknown {
                rejectQueuedKeys(error.sentence)
            } else {
                showMessage(error.sentence, isError: true)
            }
            return false
        }
    }

    /// Shows the durability level of a change.
    private func showSaveLevel(_ level: SaveLevel, reason: String?) {
        highlightEndTime = .now + .milliseconds(600)
        saveStatus.changeDidFinish(level, reason, now: .now)
    }

    /// After a warning that the application is not saved, checks whether it has been saved since.
    private func checkSaveStatus() {
        guard let time = saveStatus.checkTime, time <= .now, !isDaemonUnavailable else { return }
        let level: SaveLevel?
        do throws(SceneCalls.CallError) {
            level = try calls.make(daemonCall: StatusCall()).applications
                .first { $0.bundleIdentifier == calls.bundleIdentifier }?.saved
        } catch {
            level = nil  // The level is unknown. The next check tries again.
        }
        saveStatus.checkDidFinish(level, now: .now)
    }

    private func showMessage(_ sentence: String, isError: Bool = false) {
        message = sentence
        isErrorMessage = isError
    }

    // MARK: Drawing

    private func draw() {
        let size = TerminalSession.size
        var panel: (lines: [DrawnLine], hint: String)?
        if case .panel(var currentPanel) = mode {
            panel = (
                currentPanel.lines(.init(lines: size.lines - 1, columns: size.columns)),
                currentPanel.hint
            )
            mode = .panel(currentPanel)
        }
        if let highlightEndTime, highlightEndTime <= .now { self.highlightEndTime = nil }
        let bar = makeBar(panelHint: panel?.hint)
        TerminalSession.write(screen.draw(scene, bar: bar, panel: panel?.lines, size: size))
    }

    /// Description of the scene, for the left side of the bar.
    private var sceneDescription: String {
        var parts = ["\(scene.bundleIdentifier) \(scene.sceneName)", scene.launchReason]
        if scene.isEditing { parts.insert("EDIT MODE", at: 0) }
        if isObserving { parts.append("observing") }
        // The rendering does not clearly show when one of these elements has the focus, so the bar names the element.
        if let focusedElement = scene.focusedElement,
            [.scroll, .page, .list].contains(focusedElement.kind)
        {
            parts.append(String(focusedElement.path.split(separator: "/").last ?? ""))
        }
        return parts.joined(separator: " · ")
    }

    private func makeBar(panelHint: String?) -> AttachScreen.Bar {
        var bar = AttachScreen.Bar(leftText: sceneDescription)
        if input.isReplyOverdue {
            bar.rightText = "the daemon has not responded yet; keys are kept; Ctrl-C: exit"
            bar.isError = true
        } else if isDaemonUnavailable {
            bar.rightText = message.isEmpty ? "no daemon; waiting for it" : message
            bar.isError = true
        } else if case .prompt(let prompt) = mode {
            (bar.rightText, bar.isTyping) = (prompt.displayText, true)
        } else if case .question(let question) = mode {
            (bar.rightText, bar.isError) = (question.displayText, true)
        } else if let warning = saveStatus.warning {
            // A panel's hint can be a question.
            let rightText = message.isEmpty ? panelHint ?? "" : message
            bar.rightText = rightText.isEmpty ? warning : "\(rightText) · \(warning)"
            bar.isError = true
        } else if !message.isEmpty {
            (bar.rightText, bar.isError) = (message, isErrorMessage)
        } else if let panelHint {
            bar.rightText = panelHint
        } else {
            bar.rightText =
                saveStatus.level.map { "saved: \($0.rawValue) · F1 keys" } ?? "F1 keys"
            bar.isHighlighted = highlightEndTime != nil
        }
        return bar
    }
}
