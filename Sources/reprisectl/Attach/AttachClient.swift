import ArgumentParser
import FoundationEssentials
import Glibc
import RepriseControl
import SystemPackage
import Varlink

/// The loop of a terminal client: keys in, operations to the daemon, what changed on the screen.
final class AttachClient {
    private var call: AttachCall
    /// Makes a way to the daemon: each thread has its own.
    private let makeConnection: () -> sending DaemonConnection
    private let daemon: DaemonConnection
    private let isObserving: Bool
    private let feed: AttachFeed
    private var scene = AttachedScene()
    private var screen: AttachScreen
    private var decoder = KeyDecoder()
    /// The connection for what a person does.
    private var operating: VarlinkClient?
    private var isAway = false
    private var message = ""
    private var isAlarming = false
    private var saved = ""
    private var freshUntil: ContinuousClock.Instant?
    private var isHelping = false
    /// Whether a key may have changed what the next one is for, and nobody has begun to follow since.
    private var isBehind = false
    /// The text that a person looks for, while it is typed.
    private var wanted: String?
    /// The scenes that can be gone to, while one is chosen.
    private var choice: SceneChoice?

    private struct SceneChoice {
        var scenes: [(application: String, scene: ListedScene)]
        var index: Int

        var lines: [String] {
            ["", "  Scenes: Enter goes to one, Escape stays", ""]
                + scenes.enumerated().map { place, entry in
                    let phase =
                        entry.scene.phase == .running ? "" : " (\(entry.scene.phase.rawValue))"
                    return
                        "  \(place == index ? "›" : " ") \(entry.application) \(entry.scene.name)\(phase)"
                }
        }
    }

    init(
        _ call: AttachCall, isObserving: Bool,
        _ makeConnection: @escaping () -> sending DaemonConnection
    ) throws {
        self.call = call
        self.makeConnection = makeConnection
        daemon = makeConnection()
        self.isObserving = isObserving
        feed = try AttachFeed()
        setlocale(LC_CTYPE, "")
        let environment = ProcessInfo.processInfo.environment
        screen = AttachScreen(
            AttachScreen.Abilities(
                hasColor: environment["NO_COLOR", default: ""].isEmpty,
                isUTF8: nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } == "UTF-8"))
    }

    func run(_ first: AttachCall.Reply) throws {
        try TerminalSession.start(waking: feed.writing)
        defer { TerminalSession.leave() }
        scene.take(first)
        follow()
        while true {
            draw()
            try wait()
            if TerminalSession.isTold { return }
            for event in feed.take() { try take(event) }
            let size = TerminalSession.size
            if AttachCommand.columns(of: size) != call.columns {
                call.columns = AttachCommand.columns(of: size)
                follow()
            }
            while let key = decoder.next(isIdle: isIdle) {
                if try !pressAll(key) { return }
            }
        }
    }

    // MARK: Waiting

    private var isIdle = false

    /// Waits until there is something to do.
    private func wait() throws {
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: feed.reading.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        var patience: CInt = -1
        if let freshUntil {
            let left = (freshUntil - ContinuousClock.now) / .milliseconds(1)
            if left <= 0 { self.freshUntil = nil } else { patience = CInt(left.rounded(.up)) }
        }
        if let waiting = decoder.patience { patience = waiting }
        let count = poll(&descriptors, nfds_t(descriptors.count), patience)
        isIdle = count == 0 && decoder.patience != nil
        guard count > 0, descriptors[0].revents != 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let read = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if read > 0 {
            decoder.add(bytes[..<read])
        } else if read == 0 || errno != EINTR {
            throw ExitCode(0)  // The terminal is gone.
        }
    }

    // MARK: Following

    /// Follows the scene anew, in the columns that there are now.
    private func follow() { feed.follow(call, over: makeConnection()) }

    /// Looks at the scene as it is now, if what was pressed before may have changed what is there: keys that
    /// are typed ahead are for what a person expects to see.
    private func catchUp() throws {
        for event in feed.take() { try take(event) }
        guard isBehind, !isAway else { return }
        follow()
        while isBehind, !isAway {
            var descriptor = pollfd(
                fd: feed.reading.rawValue, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, 1000) == 0 || TerminalSession.isTold { return }
            for event in feed.take() { try take(event) }
        }
    }

    private func take(_ event: AttachFeed.Event) throws {
        switch event {
        case .reply(let reply):
            scene.take(reply)
            // The first drawing of a follower is of after what was pressed before it began.
            if reply.application != nil { isBehind = false }
            if isAway {
                isAway = false
                tell("the daemon is back: \(scene.launchReason)")
            }
        case .away:
            isAway = true
            operating = nil
        case .failed(let sentence):
            throw Failure(sentence)
        }
    }

    // MARK: Keys

    /// Whether letters are typed into a text.
    private var isTyping: Bool {
        wanted != nil || [.field, .text].contains(scene.focused?.kind)
    }

    /// Presses a key; of letters that are no text each is a command of its own, and the next one is for what
    /// that leads to.
    ///
    /// - Returns: false if the person leaves.
    private func pressAll(_ key: Key) throws -> Bool {
        try catchUp()
        guard case .text(let text) = key else { return try press(key) }
        var rest = text[...]
        while let first = rest.first {
            if isTyping { return try press(.text(String(rest))) }
            guard try press(.text(String(first))) else { return false }
            rest.removeFirst()
            try catchUp()
        }
        return true
    }

    /// - Returns: false if the person leaves.
    private func press(_ key: Key) throws -> Bool {
        if isHelping {
            isHelping = false
            return true
        }
        if wanted != nil {
            look(key)
            return true
        }
        if choice != nil {
            choose(key)
            return true
        }
        switch key {
        case .control("c"), .control("q"): return false
        case .text("q") where !isTyping: return false
        case .control("z"):
            try TerminalSession.suspend()
            screen.forget()
        case .control("l"): screen.forget()
        case .help: isHelping = true
        case .scenes: beginChoice()
        case .text("?") where !isTyping: isHelping = true
        case .text("/") where !isTyping: wanted = ""
        default:
            message = ""
            isAlarming = false
            try operate(key)
        }
        return true
    }

    /// Takes a key that is for the scene.
    private func operate(_ key: Key) throws {
        var key = key
        switch key {
        case .click(let row, let column):
            guard let line = screen.line(inRow: row) else { return }
            key = .click(line: line, column: column)
        case .wheel(let row, let column, let offset):
            guard let line = screen.line(inRow: row) else { return }
            key = .wheel(line: line, column: column, by: offset)
        default: break
        }
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
        case .operation(let operation):
            guard carryOut(operation) else { return scene.focus = focus }
            switch operation {
            case .insert, .edit: break
            default: isBehind = true
            }
            // The element that has the focus may be gone, or not have come.
            if scene.focused == nil { try catchUp() }
        }
    }

    /// Takes a key of what is looked for.
    private func look(_ key: Key) {
        switch key {
        case .text(let text), .paste(let text): wanted? += text
        case .backspace: _ = wanted?.popLast()
        case .enter:
            let text = wanted ?? ""
            wanted = nil
            if !scene.find(text) { tell("nothing here has \"\(text)\"") }
        default: wanted = nil
        }
    }

    /// Lists the scenes of all applications.
    private func beginChoice() {
        do {
            let reply = try connected().call(
                ListCall.qualifiedMethod, ListCall(), returning: ListCall.Reply.self)
            let scenes = reply.applications.flatMap { application in
                application.scenes.map { (application: application.bundleIdentifier, scene: $0) }
            }
            let present = scenes.firstIndex {
                $0.application == call.application && $0.scene.name == call.scene
            }
            choice = SceneChoice(scenes: scenes, index: present ?? 0)
        } catch {
            operating = nil
            tell("the scenes cannot be listed: there is no daemon", isAlarming: true)
        }
    }

    /// Takes a key while a scene is chosen.
    private func choose(_ key: Key) {
        guard var choice, !choice.scenes.isEmpty else { return self.choice = nil }
        switch key {
        case .up, .backTab: choice.index = max(0, choice.index - 1)
        case .down, .tab: choice.index = min(choice.scenes.count - 1, choice.index + 1)
        case .enter:
            let entry = choice.scenes[choice.index]
            (call.application, call.scene) = (entry.application, entry.scene.name)
            (message, saved, isBehind) = ("", "", true)
            follow()
            return self.choice = nil
        default: return self.choice = nil
        }
        self.choice = choice
    }

    private func connected() throws -> VarlinkClient {
        if operating?.isOver == true { operating = nil }
        let client = try operating ?? daemon.connect()
        operating = client
        return client
    }

    private func tell(_ sentence: String, isAlarming: Bool = false) {
        message = sentence
        self.isAlarming = isAlarming
    }

    // MARK: Operating

    /// - Returns: whether it was carried out.
    private func carryOut(_ operation: AttachedScene.Operation) -> Bool {
        if isObserving {
            tell("this client only looks: it was started with --observe")
            return false
        }
        if isAway {
            tell("the key was not taken: there is no daemon", isAlarming: true)
            return false
        }
        return switch operation {
        case .insert(let text, let path):
            change(EditTextCall.self) { ($0.path, $0.text) = (path, text) }
        case .edit(let action, let path):
            change(EditTextCall.self) { ($0.path, $0.action) = (path, action) }
        case .tap(let path, let row): change(TapCall.self) { ($0.path, $0.row) = (path, row) }
        case .choose(let path, let index):
            change(SelectCall.self) { ($0.path, $0.indexes) = (path, [index]) }
        case .scroll(let path, let line):
            change(ScrollCall.self) { ($0.path, $0.y) = (path, Double(line)) }
        case .changeEditing(let path, let isOn):
            change(EditCall.self) { ($0.path, $0.on) = (path, isOn) }
        case .move(let path, let from, let to):
            change(MoveCall.self) { ($0.path, $0.from, $0.to) = (path, from, to) }
        case .delete(let path, let row): change(DeleteCall.self) { ($0.path, $0.row) = (path, row) }
        case .back(let path): change(BackCall.self) { $0.path = path }
        case .leave:
            change(DismissCall.self, { _ in }, isTried: true) || change(BackCall.self) { _ in }
        }
    }

    /// Makes a call, and tells how safe its change is, or why there is none.
    ///
    /// - Parameter isTried: whether it is only tried: that it is not possible is not told.
    /// - Returns: whether it was carried out.
    private func change<Call: SceneCall & ChangingCall>(
        _ type: Call.Type, _ state: (inout Call) -> Void, isTried: Bool = false
    ) -> Bool {
        var call = Call()
        call.application = self.call.application
        call.scene = self.call.scene
        state(&call)
        do {
            let reply = try connected().call(
                Call.qualifiedMethod, call, returning: SavedReply.self, within: Self.patience)
            saved = reply.saved.rawValue
            freshUntil = .now + .milliseconds(600)
            if reply.saved == .no {
                tell("NOT SAVED: \(reply.notSavedReason ?? "")", isAlarming: true)
            }
            return true
        } catch let error as VarlinkError {
            let known = ControlError(error)
            if case .notPossible? = known, isTried { return false }
            tell(known?.description ?? error.description, isAlarming: true)
            return false
        } catch ClientError.timedOut {
            operating = nil
            tell("the key may not have been taken: the daemon does not answer", isAlarming: true)
            return false
        } catch {
            operating = nil
            tell("the key may not have been taken: the daemon went away", isAlarming: true)
            return false
        }
    }

    // MARK: Drawing

    /// How long an answer is waited for.
    private static let patience = Duration.seconds(5)

    private static let keys = [
        "", "  Tab, Shift-Tab      the next, the one before",
        "  arrows              move about, choose, move the caret",
        "  Enter, Space        do what has the focus",
        "  Escape              close what was opened, or go back",
        "  e                   edit mode of a list",
        "  d, Delete           delete the row, in the edit mode",
        "  J, K, Shift-arrows  move the row down, up",
        "  Page Up, Page Down  scroll a list, or the picture",
        "  Ctrl-A E B F D      start and end of the line, left, right, delete",
        "  Ctrl-K U W          delete to the end, to the start, the word before",
        "  /                   find", "  F2                  another scene",
        "  Ctrl-L              draw everything again",
        "  Ctrl-Z              suspend", "  Ctrl-C, q           leave: the scene goes on", "",
        "  any key: back to the scene",
    ]

    private func draw() {
        var bar = AttachScreen.Bar()
        bar.left = "\(scene.application) \(scene.scene) · \(scene.launchReason)"
        if isObserving { bar.left += " · observing" }
        if isAway {
            bar.right = message.isEmpty ? "no daemon; waiting for it" : message
            bar.isAlarming = true
        } else if let wanted {
            bar.right = "/\(wanted)"
        } else if !message.isEmpty {
            (bar.right, bar.isAlarming) = (message, isAlarming)
        } else {
            bar.right = saved.isEmpty ? "F1 keys" : "saved: \(saved) · F1 keys"
            bar.isFresh = freshUntil != nil
        }
        TerminalSession.write(
            screen.draw(
                scene, bar: bar, overlay: isHelping ? Self.keys : choice?.lines,
                size: TerminalSession.size))
    }
}
