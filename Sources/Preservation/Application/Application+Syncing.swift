import LinuxIO
import SavedState
import Tracing

// Syncs that make written state durable.

extension Application {
    /// Starts a sync if one has been requested and no other sync is in progress.
    ///
    /// If the application runs on its own queue and is idle when the sync ends, the sync queue's thread also sends the
    /// replies. This avoids a thread switch.
    func startRequestedSync() {
        if turnExecutor.syncSchedule.beginSync() { startSync(isRetry: false) }
    }

    /// Starts a sync, or sends the waiting replies if there is nothing to sync.
    ///
    /// - Parameter isRetry: Whether the caller has no other work in progress, so that replies can be sent now. Otherwise,
    ///   they are sent later, after another attempt. State that is written in the meantime needs a sync.
    private func startSync(isRetry: Bool) {
        let syncStart = settings.currentMoment()
        guard let job = saver.archive.beginSync() else {
            if isRetry { return endSync(nil, since: syncStart) }
            return runSoon { $0.startSync(isRetry: true) }
        }
        let span = tracer?.startSpan(.sync, of: bundleIdentifier)
        executors.syncQueue.add { [self] in
            let result = job.run()
            if case .failure(let error) = result { span?.fail(with: error) }
            span?.end()
            runSoon { $0.endSync((job, result), since: syncStart) }
        }
    }

    /// Processes the result of a sync, and sends the replies that are waiting for durability.
    private func endSync(_ sync: (SyncJob, Result<Void, IOError>)?, since syncStart: Moment) {
        turnExecutor.syncSchedule.didSync()
        turnExecutor.didSync(sync, since: syncStart)
        debounceExternalChange()
        stateDidChange()
    }

    /// Runs a closure on the application's executor.
    ///
    /// The closure runs immediately if the executor is idle and can use the caller's thread.
    private nonisolated func runSoon(_ body: @escaping @Sendable (isolated Application) -> Void) {
        let didRunImmediately = executors.serialQueue?.runIfIdle {
            assumeIsolated { body($0) }
        }
        if didRunImmediately == true { return }
        Task(executorPreference: executors.taskExecutor) { await body(self) }
    }

    /// Prevents further syncs from starting, then waits for the sync in progress, if any.
    func stopSyncing() async {
        turnExecutor.syncSchedule.stop()
        await wait { [self] in !turnExecutor.syncSchedule.isSyncing }
    }
}
