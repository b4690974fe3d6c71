import ExactText
import SavedState
import StateRestoration

// Intervals after which a turn saves state, makes it durable and checks for missed invalidations (P14, P20). A timer
// runs only while there is something to do, so that an idle process does not wake up.

/// Operation that is performed after an interval.
enum Interval {
    /// A turn saves changes that were made outside of commands, and makes them durable.
    case preservation
    /// A turn adds a generation if there are changes.
    case history
    /// Scenes that have not been used during the interval are closed.
    case idleness
    /// Replies that have waited for replication throughout the interval are sent.
    case replication
}

/// Timers for an application's intervals.
struct Intervals {
    fileprivate(set) var timers: [Interval: Task<Void, Never>] = [:]
    private var cancelledTasks: [Task<Void, Never>] = []

    /// Cancels all timers, so that they do not schedule turns.
    mutating func cancelAll() {
        for task in timers.values { task.cancel() }
        cancelledTasks += timers.values
        timers = [:]
    }

    /// Cancels the timer for an interval, if the timer is running. The timer's task ends on its own.
    mutating func cancel(_ interval: Interval) {
        timers.removeValue(forKey: interval)?.cancel()
    }

    /// Removes and returns the cancelled tasks, which may still be running.
    fileprivate mutating func consumeCancelledTasks() -> [Task<Void, Never>] {
        defer { cancelledTasks = [] }
        return cancelledTasks
    }
}

extension Application {
    /// Starts a timer for each interval whose turn will have work to do, unless the timer is already running.
    func beginIntervals() {
        let isReplying = turnExecutor.newestReplicaTurn != nil
        let maximum = 2 + (settings.idleTime == nil ? 0 : 1) + (isReplying ? 1 : 0)
        guard let intervals, intervals.timers.count < maximum else { return }
        if isReplying { begin(.replication) }
        if settings.idleTime != nil, hosted?.table.launched.isEmpty == false { begin(.idleness) }
        let isIdle = isIdle
        if !isIdle { begin(.preservation) }
        if !isIdle || saver.generations.failure != nil { begin(.history) }
    }

    /// Restarts the running timers, because the intervals have changed.
    func restartIntervals() {
        let timers = intervals?.timers ?? [:]
        intervals?.cancelAll()
        for interval in timers.keys { begin(interval) }
        beginIntervals()
    }

    private func begin(_ interval: Interval) {
        guard let intervals, intervals.timers[interval] == nil else { return }
        let length: Duration? =
            switch interval {
            case .preservation: settings.interval
            case .history: settings.history.interval
            case .idleness: settings.idleTime
            case .replication: settings.replicationTimeout
            }
        guard let length else { return }
        self.intervals?.timers[interval] = sleep(for: length, on: settings.clock, until: interval)
    }

    private func sleep<C: Clock<Duration>>(
        for length: Duration, on clock: C, until interval: Interval
    ) -> Task<Void, Never> {
        let end = clock.now.advanced(by: length)
        let newestReplicaTurn = turnExecutor.newestReplicaTurn
        return Task.immediate(priority: .medium, executorPreference: executors.task) {
            do {
                try await clock.sleep(until: end, tolerance: nil)
            } catch {
                return  // The sleep ends early only if the timer is cancelled.
            }
            // The timer may have been cancelled since the sleep ended.
            if Task.isCancelled { return }
            intervals?.timers[interval] = nil
            switch interval {
            case .preservation: turns.withQueue { $0.markDue(.interval) }
            case .history: turns.withQueue { $0.markDue(.history) }
            case .idleness: closeIdleScenes()
            case .replication:
                replyUnreplicated(upTo: newestReplicaTurn ?? 0)
                return stateDidChange()
            }
            turns.wake()
        }
    }

    /// Closes the scenes that have not been used during the interval.
    ///
    /// A scene is unused if no command addressed it, nothing in it changed, and none of its tasks is running. A scene
    /// that is not saved stays open.
    private func closeIdleScenes() {
        for scene in hosted?.table.launched ?? [] {
            let isSaved = !saver.isRemoved && saver.failure == nil && !saver.isOptedOut(scene.name)
            if scene.isUsed || scene.tasks.hasRunningTasks || !isSaved {
                scene.isUsed = false
                continue
            }
            // If a scene cannot be closed now, the next interval tries again.
            let closing = SceneCommand(
                kind: .close { _ in }, isIdleTimeout: true, scene: scene.name, refuse: { _ in })
            if turns.append(closing) { turns.wake() }
        }
        beginIntervals()
    }

    /// Cancels all timers and waits for their tasks.
    func endIntervals() async {
        intervals?.cancelAll()
        let tasks = intervals?.consumeCancelledTasks() ?? []
        intervals = nil
        for task in tasks { await task.value }
    }

    /// Whether a turn for the preservation interval would have nothing to do.
    private var isIdle: Bool {
        switch phase {
        case .new: true
        case .launching: false
        case .stopped, .failed: isEverythingSaved
        case .running(let hosted):
            isEverythingSaved
                && (saver.isRemoved || saver.archive.isDurable && !saver.isSummaryOpen)
                && !launches.tasks.hasRunningTasks && !launches.sceneGuard.isInGracePeriod
                && hosted.isIdle(except: saver.isOptedOut)
        }
    }

    /// Whether no failed or deferred save has to be retried.
    private var isEverythingSaved: Bool {
        // The state that a pristine launch creates is only in memory until something changes (L4).
        saver.failure == nil && (saver.isRemoved || !saver.archive.hasUnwritten)
            && !saver.archive.isGenerationOverdue && !saver.archive.isChangedExternally
            && external.unquarantinedArchive == nil
    }
}
