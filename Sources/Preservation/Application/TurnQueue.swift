import DequeModule
import StateRestoration

/// Reason for a turn (P14).
enum TurnReason: String, Sendable {
    /// A launch has completed.
    case launch
    /// Deferred scenes were launched while the application was accepting commands.
    case laterLaunch
    /// Commands were waiting, or an object was invalidated outside of a command.
    case commands
    /// The preservation interval has elapsed.
    case interval
    /// The history interval has elapsed, so changes are added to the history.
    case history
    /// A user or an operation requested a full pass.
    case demand
    /// The application is stopping.
    case stop

    /// Whether the turn checks all scenes, not only scenes that have changes to save.
    var coversAllScenes: Bool { if case .marked = scope { false } else { true } }

    /// Scope of the turn's passes: the objects that the passes check.
    ///
    /// At the preservation interval, passes also check some objects that are not invalidated (P20).
    var scope: PassScope {
        switch self {
        case .launch, .laterLaunch, .commands: .marked
        case .interval: .slice(4096)
        case .history, .demand, .stop: .everything(snapshot: true)
        }
    }
}

/// Command that runs on a scene in a turn (P14).
struct SceneCommand: Sendable {
    /// Operation that the command performs.
    enum Kind: Sendable {
        /// Runs a closure on the scene. A saved scene that is not running is launched first (S3).
        case perform(@Sendable (Scene) -> TurnReply)
        /// Launches a scene that is not running (S3).
        case open(@Sendable (DurabilityLevel) -> Void)
        /// Closes a scene (S3).
        case close(@Sendable (DurabilityLevel) -> Void)
    }

    var kind: Kind
    /// Whether the command is read-only. If so, changes in its turn are not attributed to the command.
    var isReadOnly = false
    /// Whether the command's scene is launched first if it is saved but not running.
    var launchesScene = true
    /// Whether the command closes the scene because of the idle timeout.
    var isIdleTimeout = false
    /// Name of the scene, or `nil` for the default scene.
    var sceneName: RestorationIdentifier?
    /// Client that is waiting for the reply, or `nil` if the caller cannot disconnect.
    var caller: CommandCaller?
    /// Closure that replies with an error because the command did not run.
    var refuse: @Sendable (any Error) -> Void

    /// Whether the turn ends after this command, because later commands may address the scene that this command closes.
    var endsTurn: Bool {
        if case .close = kind { true } else { false }
    }
}

/// Queue of commands that are waiting for a turn, with the reason for the next turn (P14).
struct TurnQueue<Command, Key: Hashable> {
    /// Maximum number of commands in a turn (P14).
    static var maximumCommandsPerTurn: Int { 64 }
    /// Time after which a turn starts no further commands (P14).
    static var turnTimeLimit: Duration { .milliseconds(10) }
    /// Maximum number of waiting commands.
    ///
    /// This number allows 16 commands for each of the 4,096 connections that a server accepts by default.
    static var maximumWaitingCommands: Int { 65536 }

    private var waitingCommands: Deque<Command> = []
    private var postponedCommands: [Key: [Command]] = [:]
    private var postponedCommandCount = 0
    private var nextTurnReason = TurnReason.commands

    /// Whether no command is waiting for a turn.
    var isEmpty: Bool { waitingCommands.isEmpty }

    /// Whether the queue can accept another command.
    var hasRoom: Bool {
        waitingCommands.count + postponedCommandCount < Self.maximumWaitingCommands
    }

    /// Adds a command to the end of the queue.
    mutating func append(_ command: Command) {
        waitingCommands.append(command)
    }

    /// Sets the reason for the next turn. Call this method after an interval has elapsed.
    ///
    /// The history interval has priority over the preservation interval.
    mutating func markDue(_ reason: TurnReason) {
        if nextTurnReason != .history { nextTurnReason = reason }
    }

    /// Whether an interval has elapsed since the last turn.
    var isIntervalDue: Bool { nextTurnReason != .commands }

    /// Returns the reason for the next turn, and resets it to `commands`.
    mutating func popTurnReason() -> TurnReason {
        defer { nextTurnReason = .commands }
        return nextTurnReason
    }

    /// Removes and returns the commands for one turn, in the order they were queued.
    ///
    /// - Parameter endsTurn: A closure that returns whether the turn ends after a command.
    mutating func popTurnCommands(endsTurn: (Command) -> Bool = { _ in false }) -> [Command] {
        var turnCommands = Array(waitingCommands.prefix(Self.maximumCommandsPerTurn))
        if let lastIndex = turnCommands.firstIndex(where: endsTurn) {
            turnCommands.removeSubrange((lastIndex + 1)...)
        }
        waitingCommands.removeFirst(turnCommands.count)
        return turnCommands
    }

    /// Inserts commands at the front of the queue, for example commands that did not fit into the turn.
    mutating func prepend(_ commands: some Collection<Command>) {
        waitingCommands.prepend(contentsOf: commands)
    }

    /// Removes and returns all commands, including postponed commands.
    mutating func popAllCommands() -> [Command] {
        defer {
            waitingCommands = []
            postponedCommands = [:]
            postponedCommandCount = 0
        }
        return postponedCommands.values.flatMap(\.self) + waitingCommands
    }

    // MARK: Postponing

    /// Postpones a command until ``resume(_:)`` is called with the same key.
    ///
    /// The command must already have been removed from the queue.
    mutating func postpone(_ command: Command, until key: Key) {
        postponedCommands[key, default: []].append(command)
        postponedCommandCount += 1
    }

    /// Moves the commands that are waiting for a key to the front of the queue.
    mutating func resume(_ key: Key) {
        prepend(popPostponedCommands(key))
    }

    /// Removes and returns the commands that are waiting for a key.
    mutating func popPostponedCommands(_ key: Key) -> [Command] {
        let commands = postponedCommands.removeValue(forKey: key) ?? []
        postponedCommandCount -= commands.count
        return commands
    }
}
