import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import RepriseControl
import Synchronization
import SystemPackage
import Varlink

/// A person sits in a scene, at a terminal.
struct AttachCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Shows a scene on the whole terminal, and takes keys and mouse.",
        discussion: """
            The scene is as it is now, and stays so while others change it. Tab and the arrow keys move the \
            focus, Enter does what it is for, Escape goes back, F1 shows all keys, Ctrl-C leaves. When the daemon \
            restarts the scene goes on where it was.
            """)

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup private var named: ApplicationOption
    @OptionGroup private var namedScene: SceneOption

    @Flag(help: "Look only: no key changes anything.")
    private var observe = false

    func validate() throws {
        if daemon.json {
            throw ValidationError("attach draws for a person and takes no --json: use show.")
        }
        if daemon.isQuiet { throw ValidationError("attach takes no --quiet: leave it out.") }
    }

    func run(in session: Session) throws {
        if Terminal.line != nil {
            throw Failure("attach is for a person: leave it out of a batch.", status: .usage)
        }
        var call = AttachCall()
        call.application = named.application
        call.scene = namedScene.scene
        call.columns = TerminalSession.size.columns
        // Wrong names, and a daemon that is not there, are told before the screen is taken.
        let first: AttachCall.Reply
        do {
            first = try AttachCall.decode(session.daemon.call(call, isRepeatable: true))
        } catch let failure as Failure {
            throw failure.suggesting(in: session, for: call)
        }
        call.application = first.application
        call.scene = first.scene
        let options = daemon
        let client = try AttachClient(call, isObserving: observe) {
            DaemonConnection(socket: options.socket, host: options.host, timeout: options.timeout)
        }
        try client.run(first)
    }
}

/// What the threads of a client tell its loop.
private enum AttachEvent: Sendable {
    case reply(AttachCall.Reply)
    /// The daemon is away; a clause says why.
    case away
    /// It does not come back for this scene: a sentence.
    case failed(String)
}

/// Hands what threads tell to a loop that waits for a descriptor.
private final class Mailbox: Sendable {
    private let events = Mutex<[AttachEvent]>([])
    /// Who follows now; what an earlier one tells is not heard.
    private let follower = Mutex(0)
    let reading: FileDescriptor
    let writing: FileDescriptor

    init() throws {
        let ends = try FileDescriptor.pipe()
        (reading, writing) = (ends.readEnd, ends.writeEnd)
        for end in [reading, writing] {
            _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
            _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
        }
    }

    /// A number for a new follower.
    func follow() -> Int {
        follower.withLock {
            $0 += 1
            return $0
        }
    }

    /// - Returns: false if another one follows by now.
    func post(_ event: AttachEvent, by number: Int) -> Bool {
        guard follower.withLock({ $0 == number }) else { return false }
        events.withLock { $0.append(event) }
        wake()
        return true
    }

    func isCurrent(_ number: Int) -> Bool { follower.withLock { $0 == number } }

    private func wake() {
        var byte: UInt8 = 0
        _ = Glibc.write(writing.rawValue, &byte, 1)
    }

    func take() -> [AttachEvent] {
        var bytes = [UInt8](repeating: 0, count: 256)
        while Glibc.read(reading.rawValue, &bytes, bytes.count) == bytes.count {}
        return events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}

/// The loop of a terminal client: keys in, operations to the daemon, what changed on the screen.
private final class AttachClient {
    private var call: AttachCall
    /// Makes a way to the daemon: each thread has its own.
    private let makeConnection: () -> DaemonConnection
    private let daemon: DaemonConnection
    private let isObserving: Bool
    private let mailbox: Mailbox
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
    /// What is looked for, while it is typed.
    private var wanted: String?

    init(
        _ call: AttachCall, isObserving: Bool,
        _ makeConnection: @escaping () -> DaemonConnection
    ) throws {
        self.call = call
        self.makeConnection = makeConnection
        daemon = makeConnection()
        self.isObserving = isObserving
        mailbox = try Mailbox()
        setlocale(LC_CTYPE, "")
        let environment = ProcessInfo.processInfo.environment
        screen = AttachScreen(
            AttachScreen.Abilities(
                hasColor: environment["NO_COLOR", default: ""].isEmpty,
                isUTF8: nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } == "UTF-8"))
    }

    func run(_ first: AttachCall.Reply) throws {
        try TerminalSession.start(waking: mailbox.writing)
        defer { TerminalSession.leave() }
        scene.take(first)
        follow()
        while true {
            draw()
            try wait()
            if TerminalSession.isTold { return }
            for event in mailbox.take() { try take(event) }
            let size = TerminalSession.size
            if size.columns != call.columns {
                call.columns = size.columns
                follow()
            }
            while let key = decoder.next(isIdle: isIdle) {
                try catchUp()
                if try !press(key) { return }
            }
        }
    }

    // MARK: Waiting

    private var isIdle = false

    /// Waits until there is something to do.
    private func wait() throws {
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: mailbox.reading.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        var patience: CInt = -1
        if let freshUntil {
            let left = (freshUntil - ContinuousClock.now) / .milliseconds(1)
            if left <= 0 { self.freshUntil = nil } else { patience = CInt(left.rounded(.up)) }
        }
        if decoder.isWaiting { patience = 30 }
        let count = poll(&descriptors, nfds_t(descriptors.count), patience)
        isIdle = count == 0 && decoder.isWaiting
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
    private func follow() {
        let number = mailbox.follow()
        let (call, mailbox) = (call, mailbox)
        // Used by this thread alone.
        nonisolated(unsafe) let daemon = makeConnection()
        let queue = DispatchQueue(label: "org.reprise.attach.\(number)")
        queue.async {
            while mailbox.isCurrent(number) {
                do {
                    let json = try JSONText.encode(call)
                    try daemon.connect().follow(AttachCall.qualifiedMethod, json: json) { reply in
                        let reply = try AttachCall.decode(reply)
                        if !mailbox.post(.reply(reply), by: number) { throw Superseded() }
                    }
                } catch is Superseded {
                    return
                } catch let error as VarlinkError {
                    if case .daemonEnding? = ControlError(error) {
                        _ = mailbox.post(.away, by: number)
                    } else {
                        let sentence = ControlError(error)?.description ?? error.description
                        _ = mailbox.post(.failed(sentence), by: number)
                        return
                    }
                } catch let error as ClientError where error.mayPass {
                    _ = mailbox.post(.away, by: number)
                } catch {
                    _ = mailbox.post(.failed("\(error)"), by: number)
                    return
                }
                usleep(50_000)
            }
        }
    }

    private struct Superseded: Error {}

    /// Looks at the scene as it is now, if what was pressed before may have changed what is there: keys that
    /// are typed ahead are for what a person expects to see.
    private func catchUp() throws {
        for event in mailbox.take() { try take(event) }
        guard isBehind, !isAway else { return }
        follow()
        while isBehind, !isAway {
            var descriptor = pollfd(
                fd: mailbox.reading.rawValue, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, 1000) == 0 || TerminalSession.isTold { return }
            for event in mailbox.take() { try take(event) }
        }
    }

    private func take(_ event: AttachEvent) throws {
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
        let isTyping = [.field, .text].contains(scene.focused?.kind)
        if case .text(let text) = key, !isTyping, text.count > 1 {
            // Each is a command of its own, and the next one is for what that leads to.
            guard try press(.text(String(text.prefix(1)))) else { return false }
            try catchUp()
            return try press(.text(String(text.dropFirst())))
        }
        switch key {
        case .control("c"), .control("q"): return false
        case .text("q") where !isTyping: return false
        case .control("z"):
            try TerminalSession.suspend()
            screen.forget()
        case .control("l"): screen.forget()
        case .help: isHelping = true
        case .text("?") where !isTyping: isHelping = true
        case .text("/") where !isTyping: wanted = ""
        default:
            message = ""
            isAlarming = false
            switch scene.press(key) {
            case .nothing, .moved: break
            case .refused(let sentence): tell(sentence)
            case .operation(let operation):
                switch operation {
                case .insert, .edit: break
                default: isBehind = !isObserving
                }
                carryOut(operation)
            }
        }
        return true
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

    private func tell(_ sentence: String, isAlarming: Bool = false) {
        message = sentence
        self.isAlarming = isAlarming
    }

    // MARK: Operating

    private func carryOut(_ operation: AttachedScene.Operation) {
        if isObserving { return tell("this client only looks: it was started with --observe") }
        if isAway { return tell("the key was not taken: there is no daemon", isAlarming: true) }
        switch operation {
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
            if !change(DismissCall.self, { _ in }, isTried: true) { change(BackCall.self) { _ in } }
        }
    }

    /// Makes a call, and tells how safe its change is, or why there is none.
    ///
    /// - Parameter isTried: whether it is only tried: that it is not possible is not told.
    /// - Returns: whether it was carried out.
    @discardableResult
    private func change<Call: SceneCall & ChangingCall>(
        _ type: Call.Type, _ state: (inout Call) -> Void, isTried: Bool = false
    ) -> Bool {
        var call = Call()
        call.application = self.call.application
        call.scene = self.call.scene
        state(&call)
        do {
            let client = try operating ?? daemon.connect()
            operating = client
            let reply = try client.call(Call.qualifiedMethod, call, returning: SavedReply.self)
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
            return error != .permissionDenied && !isTried
        } catch {
            operating = nil
            tell("the key may not have been taken: the daemon went away", isAlarming: true)
            return true
        }
    }

    // MARK: Drawing

    private static let keys = [
        "", "  Tab, Shift-Tab      the next, the one before",
        "  arrows              move about, choose, move the caret",
        "  Enter, Space        do what has the focus",
        "  Escape              close what was opened, or go back",
        "  e                   edit mode of a list",
        "  d, Delete           delete the row, in the edit mode",
        "  J, K, Ctrl-arrows   move the row down, up", "  Page Up, Page Down  scroll a list",
        "  Ctrl-A E B F D      start and end of the line, left, right, delete",
        "  Ctrl-K U W          delete to the end, to the start, the word before",
        "  /                   find", "  Ctrl-L              draw everything again",
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
                scene, bar: bar, overlay: isHelping ? Self.keys : nil, size: TerminalSession.size))
    }
}
