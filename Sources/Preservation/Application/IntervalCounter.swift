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

    /// Advances by ``next``; tells which intervals have passed.
    mutating func pass() -> [TurnReason] {
        let passed = next
        untilSaving -= passed
        untilHistory -= passed
        var due: [TurnReason] = []
        if untilSaving == .zero { (untilSaving, due) = (saving, [.interval]) }
        if untilHistory == .zero { (untilHistory, due) = (history, due + [.history]) }
        return due
    }

    /// Counts until there are other intervals, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - others: sent when the intervals are others.
    ///   - tell: told of intervals that have passed.
    func count(
        by clock: any Clock<Duration>, until others: Signal<Void>,
        _ tell: @escaping @Sendable ([TurnReason]) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                var intervals = self
                do {
                    while true {
                        try await clock.sleep(for: intervals.next)
                        await tell(intervals.pass())
                    }
                } catch {
                    return  // The sleep ends early only when the count does.
                }
            }
            group.addTask { for await _ in others.events { return } }
            await group.next()
            group.cancelAll()
        }
    }
}
