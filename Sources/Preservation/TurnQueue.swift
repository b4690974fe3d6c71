/// The commands that wait for a turn of an application, and what else a turn is due for (P14).
struct TurnQueue<Command, Key: Hashable> {
    /// The most commands that one turn runs (P14).
    static var commandsPerTurn: Int { 64 }
    /// The most commands that may be waiting.
    static var maximumWaiting: Int { 8192 }

    private var waiting: [Command] = []
    private var held: [Key: [Command]] = [:]
    private var heldCount = 0
    private var isIntervalDue = false
    private var isHistoryDue = false

    /// Whether no command is waiting for a turn.
    var isEmpty: Bool { waiting.isEmpty }

    /// Whether another command may wait.
    var hasRoom: Bool { waiting.count + heldCount < Self.maximumWaiting }

    /// A command waits behind those that wait already.
    mutating func append(_ command: Command) {
        waiting.append(command)
    }

    /// The preservation interval has passed: the next turn is made for it.
    mutating func markInterval() {
        isIntervalDue = true
    }

    /// The interval of the history has passed: the next turn is made for it.
    mutating func markHistory() {
        isHistoryDue = true
    }

    /// Why the next turn is made, unless somebody asks for it.
    mutating func takeReason() -> TurnReason {
        defer {
            isIntervalDue = false
            isHistoryDue = false
        }
        if isHistoryDue { return .history }
        return isIntervalDue ? .interval : .commands
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

    /// Takes out everything that waits, held or not.
    mutating func takeAll() -> [Command] {
        defer {
            waiting = []
            held = [:]
            heldCount = 0
        }
        return held.values.flatMap(\.self) + waiting
    }

    // MARK: Holding

    /// A command that was taken out waits on, for what the key stands for.
    mutating func hold(_ command: Command, for key: Key) {
        held[key, default: []].append(command)
        heldCount += 1
    }

    /// What was held for the key waits for the next turn, before anything else.
    mutating func release(_ key: Key) {
        waiting = takeHeld(key) + waiting
    }

    /// Takes out what was held for the key.
    mutating func takeHeld(_ key: Key) -> [Command] {
        let commands = held.removeValue(forKey: key) ?? []
        heldCount -= commands.count
        return commands
    }
}
