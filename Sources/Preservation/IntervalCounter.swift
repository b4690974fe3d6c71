/// Counts the interval of saving and that of the history with one sleep after the other.
struct IntervalCounter {
    private let saving: Duration
    private let history: Duration
    private var untilSaving: Duration
    private var untilHistory: Duration

    /// - Parameters:
    ///   - saving: the preservation interval, above zero.
    ///   - history: how often a generation is made, above zero.
    init(saving: Duration, history: Duration) {
        self.saving = saving
        self.history = history
        untilSaving = saving
        untilHistory = history
    }

    /// How long to sleep now.
    var next: Duration { min(untilSaving, untilHistory) }

    /// So long was slept; tells which intervals have passed.
    mutating func pass() -> (saving: Bool, history: Bool) {
        let passed = next
        untilSaving -= passed
        untilHistory -= passed
        let due = (saving: untilSaving == .zero, history: untilHistory == .zero)
        if due.saving { untilSaving = saving }
        if due.history { untilHistory = history }
        return due
    }
}
