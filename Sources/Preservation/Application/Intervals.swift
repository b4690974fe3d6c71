import ExactText
import SavedState
import StateRestoration

// The intervals after which a turn is made to save, to make durable and to look again (P14, P20). At
// rest none passes, so that nobody wakes.

/// What is done when some time has passed.
enum Interval {
    /// A turn saves what nobody asked to save, and makes it durable.
    case preservation
    /// A turn keeps what changed as a generation.
    case history
    /// The scenes are closed that nobody has used meanwhile.
    case idleness
}

/// The intervals of one application that pass now.
struct Intervals {
    fileprivate(set) var passing: [Interval: Task<Void, Never>] = [:]
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
        let most = settings.idleTime == nil ? 2 : 3
        guard let intervals, intervals.passing.count < most else { return }
        if settings.idleTime != nil, hosted?.table.launched.isEmpty == false { begin(.idleness) }
        let isAtRest = isAtRest
        if !isAtRest { begin(.preservation) }
        if !isAtRest || saver.generations.failure != nil { begin(.history) }
    }

    /// Lets those that pass begin anew, because their lengths are others.
    func restartIntervals() {
        let passing = intervals?.passing ?? [:]
        intervals?.giveUp()
        for interval in passing.keys { begin(interval) }
        beginIntervals()
    }

    private func begin(_ interval: Interval) {
        guard let intervals, intervals.passing[interval] == nil else { return }
        let length: Duration? =
            switch interval {
            case .preservation: settings.interval
            case .history: settings.history.interval
            case .idleness: settings.idleTime
            }
        guard let length else { return }
        self.intervals?.passing[interval] = sleep(for: length, on: settings.clock, until: interval)
    }

    private func sleep<C: Clock<Duration>>(
        for length: Duration, on clock: C, until interval: Interval
    ) -> Task<Void, Never> {
        let end = clock.now.advanced(by: length)
        return Task.immediate(priority: .medium, executorPreference: taskExecutor) {
            do {
                try await clock.sleep(until: end, tolerance: nil)
            } catch {
                return  // The sleep ends early only when the interval is given up.
            }
            // It may have been given up since.
            if Task.isCancelled { return }
            intervals?.passing[interval] = nil
            switch interval {
            case .preservation: turns.withQueue { $0.mark(.interval) }
            case .history: turns.withQueue { $0.mark(.history) }
            case .idleness: closeIdleScenes()
            }
            turns.wake()
        }
    }

    /// Lets the scenes be closed that nobody has used since this was done last: no command named
    /// them, nothing in them changed, and no task of theirs runs. One that is not saved stays.
    private func closeIdleScenes() {
        for scene in hosted?.table.launched ?? [] {
            let isSaved = !saver.isRemoved && saver.failure == nil && !saver.isUnwilling(scene.name)
            if scene.isUsed || scene.tasks.isAnyRunning || !isSaved {
                scene.isUsed = false
                continue
            }
            // One that is not closed now is tried again.
            let closing = SceneCommand(
                kind: .close { _ in }, isOfIdleness: true, scene: scene.name, refuse: { _ in })
            if turns.append(closing) { turns.wake() }
        }
        beginIntervals()
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
