/// The commands that wait for a turn of an application, and what else a turn is due for (P14).
struct TurnQueue<Command> {
    /// The most commands that one turn runs (P14).
    static var commandsPerTurn: Int { 64 }
    /// The most commands that may be waiting.
    static var maximumWaiting: Int { 8192 }

    private var waiting: [Command] = []
    private var isIntervalDue = false

    /// Whether no command is waiting.
    var isEmpty: Bool { waiting.isEmpty }

    /// Whether another command may wait.
    var hasRoom: Bool { waiting.count < Self.maximumWaiting }

    /// A command waits behind those that wait already.
    mutating func append(_ command: Command) {
        waiting.append(command)
    }

    /// The preservation interval has passed: the next turn is made for it.
    mutating func markInterval() {
        isIntervalDue = true
    }

    /// Why the next turn is made, unless somebody asks for it.
    mutating func takeReason() -> TurnReason {
        defer { isIntervalDue = false }
        return isIntervalDue ? .interval : .commands
    }

    /// Takes out the commands of one turn, those that have waited longest first.
    mutating func takeTurn() -> [Command] {
        let turn = waiting.prefix(Self.commandsPerTurn)
        waiting.removeFirst(turn.count)
        return Array(turn)
    }
}
