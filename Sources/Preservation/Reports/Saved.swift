/// How safe a change is when a command is answered.
public enum Saved: Sendable, Equatable {
    /// It survives a power cut.
    case durable
    /// It survives the end of the process.
    case written
    /// It is not saved; the live state has it, and saving is tried again.
    case no(reason: String)
}

/// What a command gave, and how safe what it changed is.
public struct Reply<Result: Sendable>: Sendable {
    /// What the command gave.
    public let result: Result
    /// How safe the change is.
    public let saved: Saved
}
