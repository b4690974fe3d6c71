import SavedState
import StateRestoration

// The intervals after which a turn is made to save, to make durable and to look again (P14, P20). At
// rest none passes, so that nobody wakes.

/// The intervals of one application that pass now.
struct Intervals {
    /// Those that make a turn when they are over, by its reason.
    fileprivate(set) var passing: [TurnReason: Task<Void, Never>] = [:]
    private var givenUp: [Task<Void, Never>] = []

    /// None of them makes a turn any more.
    mutating func giveUp() {
        for task in passing.values { task.cancel() }
        givenUp += passing.values
        passing = [:]
    }

    /// Tasks that may not have noticed yet that they were given up.
    fileprivate mutating func takeGivenUp() -> [Task<Void, Never>] {
        defer { givenUp = [] }
        return givenUp
    }
}

extension Application {
    /// Lets each interval begin for which there is something to do, unless it passes already.
    func beginIntervals() {
        guard let intervals, intervals.passing.count < 2 else { return }
        let isAtRest = isAtRest
        if !isAtRest { begin(.interval) }
        if !isAtRest || saver.generations.failure != nil { begin(.history) }
    }

    /// Lets those that pass begin anew, because their lengths are others.
    func restartIntervals() {
        let passing = intervals?.passing ?? [:]
        intervals?.giveUp()
        for reason in passing.keys { begin(reason) }
    }

    private func begin(_ reason: TurnReason) {
        guard let intervals, intervals.passing[reason] == nil else { return }
        let length = reason == .history ? settings.history.interval : settings.interval
        self.intervals?.passing[reason] = sleep(for: length, on: settings.clock, until: reason)
    }

    private func sleep<C: Clock<Duration>>(
        for length: Duration, on clock: C, until reason: TurnReason
    ) -> Task<Void, Never> {
        let end = clock.now.advanced(by: length)
        return Task.immediate(executorPreference: taskExecutor) {
            do {
                try await clock.sleep(until: end, tolerance: nil)
            } catch {
                return  // The sleep ends early only when the interval is given up.
            }
            // It may have been given up since.
            if Task.isCancelled { return }
            intervals?.passing[reason] = nil
            turns.withQueue { $0.mark(reason) }
            turns.wake()
        }
    }

    /// No interval passes any more, and nothing of them runs.
    func endIntervals() async {
        intervals?.giveUp()
        let tasks = intervals?.takeGivenUp() ?? []
        intervals = nil
        for task in tasks { await task.value }
    }

    /// Whether an interval would find nothing to do.
    private var isAtRest: Bool {
        switch phase {
        case .new: true
        case .launching: false
        case .stopped, .failed: isNothingUnsaved
        case .running(let hosted):
            isNothingUnsaved && (saver.isRemoved || saver.archive.isDurable && !saver.isAccountOpen)
                && !tasks.isAnyRunning && !launches.sceneGuard.mayEndure
                && hosted.isAtRest(except: saver.isUnwilling)
        }
    }

    /// Whether nothing waits for another attempt.
    private var isNothingUnsaved: Bool {
        // What a launch made of nothing is in memory alone until something changes (L4).
        saver.failure == nil && (saver.isRemoved || !saver.archive.hasUnwritten)
            && !saver.archive.isGenerationOverdue && !saver.archive.isChangedExternally
            && external.unkept == nil
    }
}
