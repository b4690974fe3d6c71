import ExactText
import FoundationEssentials
import SavedState
import StateRestoration

// Intervals after which a turn saves state, makes it durable and checks for missed invalidations (P14, P20). A timer
// runs only while there is something to do, so that an idle process does not wake up.

/// Kind of interval. It determines what happens when the interval elapses.
enum Interval {
    /// A turn saves changes that were made outside of commands, and makes them durable.
    case preservation
    /// A turn adds a generation if there are changes.
    case history
    /// Scenes that have not been used during the interval are closed.
    case idleness
    /// Replies that have waited for replication during the whole interval are sent with the level `notSaved`.
    case replication
    /// Elements whose deadlines have passed are removed from their collections.
    case expiration
}

/// Timers for an application's intervals.
struct IntervalTimers {
    fileprivate(set) var timers: [Interval: Task<Void, Never>] = [:]
    /// The most recently cancelled task of each interval. Earlier tasks of the interval end before it.
    fileprivate private(set) var cancelledTasks: [Interval: Task<Void, Never>] = [:]
    /// Deadline for which the ``Interval/expiration`` timer was last started, or `nil` if there is no deadline.
    fileprivate var expirationDeadline: Date?

    /// Cancels all timers, so that they do not schedule turns.
    mutating func cancelAll() {
        for interval in timers.keys { cancel(interval) }
    }

    /// Cancels the timer for an interval, if the timer is running. The timer's task ends on its own.
    mutating func cancel(_ interval: Interval) {
        guard let task = timers.removeValue(forKey: interval) else { return }
        task.cancel()
        cancelledTasks[interval] = task
    }
}

extension Application {
    /// Starts the timer of each interval that will have work to do, unless the timer is already running.
    func startIntervalTimers() {
        let hasExpiringElements = launchSequence.hasExpiringElements
        if hasExpiringElements { startExpirationTimer() }
        let isReplyWaiting = turnExecutor.newestAwaitedRecordNumber != nil
        let isElementExpiring = hasExpiringElements && intervalTimers?.expirationDeadline != nil
        let maximumTimerCount =
            2 + (settings.idleTimeout == nil ? 0 : 1) + (isReplyWaiting ? 1 : 0)
            + (isElementExpiring ? 1 : 0)
        guard let intervalTimers, intervalTimers.timers.count < maximumTimerCount else { return }
        if isReplyWaiting { startTimer(.replication) }
        if settings.idleTimeout != nil, hostedScenes?.table.launchedScenes.isEmpty == false {
            startTimer(.idleness)
        }
        let isIdle = isIdle
        if !isIdle { startTimer(.preservation) }
        if !isIdle || saver.generations.failureReason != nil { startTimer(.history) }
    }

    /// Restarts the running timers, because the intervals have changed.
    func restartIntervalTimers() {
        let timers = intervalTimers?.timers ?? [:]
        intervalTimers?.cancelAll()
        for interval in timers.keys { startTimer(interval) }
        startIntervalTimers()
    }

    /// Starts the timer for the earliest deadline of any collection element, and cancels a timer for another deadline.
    private func startExpirationTimer() {
        guard intervalTimers != nil else { return }
        var deadline: Date?
        if case .running(let hostedScenes) = phase, activity == .active, !isOwnershipLost {
            deadline = hostedScenes.nextDeadline
        }
        if deadline != intervalTimers?.expirationDeadline {
            intervalTimers?.cancel(.expiration)
            intervalTimers?.expirationDeadline = deadline
        }
        if deadline != nil { startTimer(.expiration) }
    }

    /// Time until the earliest deadline of any collection element, but at most one day.
    ///
    /// The system clock may be set forward while the timer is running. The maximum limits the resulting delay.
    private var timeUntilExpiration: Duration? {
        intervalTimers?.expirationDeadline.map { deadline in
            let seconds = deadline.timeIntervalSince(Date(microseconds: settings.now()))
            return .microseconds(Int64((min(max(seconds, 0), 86400) * 1_000_000).rounded()))
        }
    }

    /// Queues a command that removes expired elements in the next turn.
    private func removeExpiredElements() {
        let command = SceneCommand(
            kind: .perform { scene in
                for case let collection as CollectionObject in scene.registeredObjects
                where collection.identifierRank == 0 {
                    collection.store.removeExpiredElements(below: collection)
                }
                return TurnReply { _ in }
            }, isReadOnly: true, launchesScene: false, sceneName: definition.scenes.first,
            refuse: { _ in })
        if commandInbox.append(command) { commandInbox.wake() }
    }

    private func startTimer(_ interval: Interval) {
        guard let intervalTimers, intervalTimers.timers[interval] == nil else { return }
        let duration: Duration? =
            switch interval {
            case .preservation: settings.interval
            case .history: settings.history.interval
            case .idleness: settings.idleTimeout
            case .replication: settings.replicationTimeout
            case .expiration: timeUntilExpiration
            }
        guard let duration else { return }
        self.intervalTimers?.timers[interval] = makeTimerTask(
            for: duration, on: settings.clock, until: interval)
    }

    private func makeTimerTask<C: Clock<Duration>>(
        for duration: Duration, on clock: C, until interval: Interval
    ) -> Task<Void, Never> {
        let deadline = clock.now.advanced(by: duration)
        let newestAwaitedRecordNumber = turnExecutor.newestAwaitedRecordNumber
        return Task.immediate(priority: .medium, executorPreference: executors.taskExecutor) {
            do {
                try await clock.sleep(until: deadline, tolerance: nil)
            } catch {
                return  // The sleep ends early only if the timer is cancelled.
            }
            // The timer may have been cancelled since the sleep ended.
            if Task.isCancelled { return }
            intervalTimers?.timers[interval] = nil
            switch interval {
            case .preservation: commandInbox.withQueue { $0.markDue(.interval) }
            case .history: commandInbox.withQueue { $0.markDue(.history) }
            case .idleness: closeIdleScenes()
            case .expiration: removeExpiredElements()
            case .replication:
                sendUnreplicatedReplies(upTo: newestAwaitedRecordNumber ?? 0)
                return stateDidChange()
            }
            commandInbox.wake()
        }
    }

    /// Closes the scenes that have not been used during the interval.
    ///
    /// A scene is unused if no command addressed it, nothing in it changed, and none of its tasks is running. A scene
    /// that is not saved stays open.
    private func closeIdleScenes() {
        for scene in hostedScenes?.table.launchedScenes ?? [] {
            let isSaved =
                !saver.isStateRemoved && saver.failureReason == nil && !saver.isOptedOut(scene.name)
            if scene.hasBeenUsed || scene.tasks.hasRunningTasks || !isSaved {
                scene.hasBeenUsed = false
                continue
            }
            // If a scene cannot be closed now, it is closed after a later interval.
            let closeCommand = SceneCommand(
                kind: .close { _ in }, isIdleTimeout: true, sceneName: scene.name,
                refuse: { _ in })
            if commandInbox.append(closeCommand) { commandInbox.wake() }
        }
        startIntervalTimers()
    }

    /// Cancels all timers and waits for their tasks.
    func stopIntervalTimers() async {
        intervalTimers?.cancelAll()
        let tasks = intervalTimers?.cancelledTasks ?? [:]
        intervalTimers = nil
        for task in tasks.values { await task.value }
    }

    /// Whether a turn for the preservation interval would have nothing to do.
    private var isIdle: Bool {
        switch phase {
        case .new: true
        case .launching: false
        case .stopped, .failed: isEverythingSaved
        case .running(let hostedScenes):
            isEverythingSaved
                && (saver.isStateRemoved || saver.archive.isDurable && !saver.summaryHasPasses)
                && !launchSequence.tasks.hasRunningTasks
                && !launchSequence.sceneLaunchGuard.isInGracePeriod
                && hostedScenes.isIdle(except: saver.isOptedOut)
        }
    }

    /// Whether everything is saved and no save must be retried.
    private var isEverythingSaved: Bool {
        // The state that a pristine launch creates is only in memory until something changes (L4).
        saver.failureReason == nil && (saver.isStateRemoved || !saver.archive.hasUnwrittenState)
            && !saver.archive.isGenerationDeferred && !saver.archive.isChangedExternally
            && externalChange.unquarantinedArchive == nil
    }
}
