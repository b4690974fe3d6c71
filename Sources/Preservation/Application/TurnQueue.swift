import StateRestoration

/// Why a turn is made (P14).
enum TurnReason: String, Sendable {
    /// A launch has completed.
    case launch
    /// Scenes were launched while commands are taken.
    case laterLaunch
    /// Commands were waiting, or something was invalidated outside of commands.
    case commands
    /// The preservation interval has passed.
    case interval
    /// The interval of the history has passed, and what changed is to be kept.
    case history
    /// A person asked for it.
    case demand
    /// The application ends.
    case stop

    /// Whether it looks at every scene; otherwise at those alone that have something to save.
    var isOfAllScenes: Bool { if case .marked = scope { false } else { true } }

    /// How much the turn's passes look at. At an interval they look at a slice of the objects that
    /// nothing marked, too (P20).
    var scope: PassScope {
        switch self {
        case .launch, .laterLaunch, .commands: .marked
        case .interval: .slice(4096)
        case .history, .demand, .stop: .everything(snapshot: true)
        }
    }
}

/// Something that an application was asked to do with a scene, waiting for its turn (P14).
struct SceneCommand: Sendable {
    /// The request.
    enum Kind: Sendable {
        /// A body that runs on the scene; one that is only saved is launched first (S3).
        case perform(@Sendable (Scene) -> CommandAnswer)
        /// The launch of a scene that is not launched yet (S3).
        case open(@Sendable (Saved) -> Void)
        /// The end of a scene (S3).
        case close(@Sendable (Saved) -> Void)
    }

    var kind: Kind
    /// Whether its body only looks: what changes in its turn is not its doing.
    var isLook = false
    /// Whether a scene that is only saved is launched for it.
    var launches = true
    /// Whether it closes a scene because nobody uses it.
    var isOfIdleness = false
    /// The scene; nil: the one that commands without a name go to.
    var scene: RestorationIdentifier?
    /// Who waits for the answer; `nil`: somebody who cannot go.
    var caller: CommandCaller?
    /// Answers that it was not done.
    var refuse: @Sendable (any Error) -> Void

    /// Whether no command behind this one belongs to its turn: it may name a scene that this one
    /// ends.
    var endsTurn: Bool {
        if case .close = kind { true } else { false }
    }
}

/// The commands that wait for a turn of an application, and what else a turn is due for (P14).
struct TurnQueue<Command, Key: Hashable> {
    /// The most commands that one turn runs (P14).
    static var commandsPerTurn: Int { 64 }
    /// After so long a turn begins no further command (P14).
    static var turnTime: Duration { .milliseconds(10) }
    /// The most commands that may be waiting.
    static var maximumWaiting: Int { 8192 }

    private var waiting: [Command] = []
    private var postponed: [Key: [Command]] = [:]
    private var postponedCount = 0
    private var due = TurnReason.commands

    /// Whether no command is waiting for a turn.
    var isEmpty: Bool { waiting.isEmpty }

    /// Whether another command may wait.
    var hasRoom: Bool { waiting.count + postponedCount < Self.maximumWaiting }

    /// A command waits behind those that wait already.
    mutating func append(_ command: Command) {
        waiting.append(command)
    }

    /// An interval has passed: the next turn is made for it. That of the history goes before the
    /// other.
    mutating func mark(_ reason: TurnReason) {
        if due != .history { due = reason }
    }

    /// Whether an interval has passed since the last turn.
    var isIntervalDue: Bool { due != .commands }

    /// Why the next turn is made, unless somebody asks for it.
    mutating func takeReason() -> TurnReason {
        defer { due = .commands }
        return due
    }

    /// Takes out the commands of one turn, those that have waited longest first.
    ///
    /// - Parameter endsTurn: whether the turn has no further command behind this one.
    mutating func takeTurn(endsTurn: (Command) -> Bool = { _ in false }) -> [Command] {
        var turn = waiting.prefix(Self.commandsPerTurn)
        if let last = turn.firstIndex(where: endsTurn) { turn = turn[...last] }
        waiting.removeFirst(turn.count)
        return Array(turn)
    }

    /// Commands that were taken out, and not run, wait for the next turn, before all others.
    mutating func putBack(_ commands: some Collection<Command>) {
        waiting.insert(contentsOf: commands, at: 0)
    }

    /// Takes out everything that waits, postponed or not.
    mutating func takeAll() -> [Command] {
        defer {
            waiting = []
            postponed = [:]
            postponedCount = 0
        }
        return postponed.values.flatMap(\.self) + waiting
    }

    // MARK: Postponing

    /// A command that was taken out waits on, for what the key stands for.
    mutating func postpone(_ command: Command, until key: Key) {
        postponed[key, default: []].append(command)
        postponedCount += 1
    }

    /// Commands that were postponed until the key wait for the next turn, before all others.
    mutating func resume(_ key: Key) {
        putBack(takePostponed(key))
    }

    /// Takes out what was postponed until the key.
    mutating func takePostponed(_ key: Key) -> [Command] {
        let commands = postponed.removeValue(forKey: key) ?? []
        postponedCount -= commands.count
        return commands
    }
}
