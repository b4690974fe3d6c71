/// Why a turn is made (P14).
enum TurnReason: String, Sendable {
    /// A launch has completed.
    case launch
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

    /// Whether the turn looks at every object, marked or not.
    var isFull: Bool {
        switch self {
        case .launch, .commands, .interval: false
        case .history, .demand, .stop: true
        }
    }
}
