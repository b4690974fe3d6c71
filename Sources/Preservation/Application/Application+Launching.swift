import ExactText
import Logging
import SavedState
import StateRestoration

// Launching and quitting the application.

extension Application {
    /// Launches an application that is not running, for example after a failed launch.
    ///
    /// The first launch is part of ``run()``. The method returns when the application accepts commands. It waits for
    /// extended restorations (R13).
    ///
    /// - Throws: ``ApplicationError`` if the application is running, if its service has not been started or has
    ///   stopped, or if the launch fails.
    public func launch() async throws {
        try throwIfLaunchWouldDeadlock()
        if hasStoppedPermanently { throw ApplicationError.ending(application: bundleIdentifier) }
        // Only the service runs tasks, syncs and timers.
        if !isServiceRunning { throw ApplicationError.notRunning(application: bundleIdentifier) }
        if hostedScenes != nil {
            throw ApplicationError.alreadyRunning(application: bundleIdentifier)
        }
        if settings.isClustered, ownership?.isValid() != true {
            throw ApplicationError.ownedElsewhere(application: bundleIdentifier)
        }
        beginLaunch(isUserRequested: true)
        await waitForLaunch()
        _ = try runningScenes()
    }

    /// Loads the saved state and launches scenes until a launch has to wait.
    ///
    /// - Parameters:
    ///   - isUserRequested: Whether the user requested the launch.
    ///   - removalDescription: A sentence, without a period, that describes how the saved state was removed, or `nil`
    ///     if no state was removed.
    func beginLaunch(isUserRequested: Bool = false, removalDescription: String? = nil) {
        saver.prepareForLaunch()
        do {
            let classes = definition.makeClasses()
            try classes.validate()
            let (reason, damage) = try turnExecutor.operationTimer.measure("reading its archive") {
                try ArchiveLoader(archive: saver.archive, log: log).load()
            }
            saver.updateLastPassTime()
            let model = try saver.modelSaver.loadModel(definition.makeModel)
            let hostedScenes = HostedScenes(
                definition: definition, archive: saver.archive, classes: classes, model: model,
                valueDeclarations: launchSequence.valueDeclarations, reason: reason,
                limits: settings.limits,
                toleratesUnrestoredValues: settings.toleratesUnrestoredValues,
                isEager: settings.isLaunchEager)
            if let damage { hostedScenes.losses = damage.losses(of: hostedScenes.namesToLaunch) }
            if let removalDescription {
                for name in hostedScenes.namesToLaunch {
                    hostedScenes.losses[name] = StateLoss(lossDescription: removalDescription)
                }
            }
            phase = .launching(hostedScenes)
            if launchSequence.crashRecovery.fallBackReplacedScenes(
                hostedScenes, crashLimit: settings.crashLimit)
            {
                hostedScenes.scheduleLaunches(isEager: settings.isLaunchEager)
            }
            launchSequence.crashRecovery.scheduleLaunchesWithoutState(hostedScenes)
            saver.generations.pruneHistory()
            if isUserRequested { hostedScenes.table.markWaitingAsUserRequested() }
            launchSequence.crashRecovery.logCrashes(hostedScenes)
            advanceLaunches()
        } catch let error as LoadError {
            failLaunch(
                settings.hasControlSocket
                    ? "\(error) Then run `reprisectl --app \(bundleIdentifier) launch`."
                    : "\(error) Then restart the program.")
        } catch {
            failLaunch("\(error)")
        }
    }

    /// Launches the queued scenes until a launch has to wait.
    func advanceLaunches() {
        guard let hostedScenes else { return }
        guard areScenesLaunching else {
            return launchSequence.crashRecovery.logLaunchGuardProblems()
        }
        while let launchStep = turnExecutor.operationTimer.measure(
            "the launch of a scene", { launchSequence.launchUntilNextStep(of: hostedScenes) })
        {
            switch launchStep {
            case .launched(let scene):
                // A scene that replaces another scene accepts commands only after all new scenes have been launched.
                if hostedScenes.table.isBeingExchanged(scene.name) { continue }
                startAcceptingCommands(scene, of: hostedScenes)
                commandInbox.withQueue { $0.resume(scene.name) }
                wakeUps.sendStatusChange()
            case .extended(let name):
                wakeUps.extendedRestoration.send(name)
            case .unrestored(let name, let reason) where isLaunching:
                hostedScenes.markFailed(name, reason)
                return failLaunch(reason)
            case .unrestored(let name, let reason):
                failSceneLaunch(name, of: hostedScenes, .launchFailed, reason)
            case .failed(let name, let event, let reason):
                failSceneLaunch(name, of: hostedScenes, event, reason)
            }
        }
        launchSequence.crashRecovery.logLaunchGuardProblems()
        hostedScenes.completeChange()
        if isLaunching, !hostedScenes.table.isLaunching {
            completeLaunch(hostedScenes)
        }
        launchesDidAdvance()
    }

    /// Resumes callers that are waiting for launches to end, and schedules a deferred check of the archive.
    func launchesDidAdvance() {
        if externalChange.isCheckNeeded, !areScenesLaunching { commandInbox.wake() }
        stateDidChange()
    }

    private func failSceneLaunch(
        _ name: RestorationIdentifier, of hostedScenes: HostedScenes, _ event: LogEvent,
        _ reason: String
    ) {
        if hostedScenes.table.isBeingExchanged(name) {
            return hostedScenes.failChange(
                StateChangeFailure(cause: .notLaunched, reason: reason, sceneName: name))
        }
        hostedScenes.markFailed(name, reason)
        wakeUps.sendStatusChange()
        log.logProblem(
            .error, event, "could not be launched: \(reason)", scene: name.text, reason: reason)
        for command in commandInbox.withQueue({ $0.popPostponedCommands(name) }) {
            command.refuse(sceneFailedError(name, reason))
        }
    }

    /// Lets a launched scene accept commands, and logs the result of its launch.
    func startAcceptingCommands(_ scene: HostedScene, of hostedScenes: HostedScenes) {
        let weakLinks = (scene: WeakLink(to: scene), hostedScenes: WeakLink(to: hostedScenes))
        scene.scene.records.onPassNeeded = { [commandInbox] in
            guard let hostedScenes = weakLinks.hostedScenes.object,
                let scene = weakLinks.scene.object
            else { return }
            hostedScenes.markDue(scene)
            if !hostedScenes.areCommandsRunning { commandInbox.wake() }
        }
        hostedScenes.markDue(scene)
        if scene.scene.needsPass { commandInbox.wake() }
        let report = scene.scene.report
        let name = scene.name.text
        let reason = report.reason.rawValue
        log.log(.notice, .launched, "launched (\(reason))", scene: name, reason: reason)
        guard report.reason != .pristine else { return }
        log.log(
            .notice, .restored,
            "restored \(report.restored) of \(report.recorded) objects"
                + (report.gone.isEmpty ? "" : "; removed on purpose: \(report.gone.count)"),
            scene: name, reason: reason)
        log.logMigrations(of: scene, to: definition.bundleVersion)
        for siblings in UnrestoredSiblings.groups(of: report.unrestored).prefix(100) {
            let object = siblings.first
            // If an earlier launch has already logged a warning about the loss, the loss is logged at a lower level.
            log.log(
                object.isRepeated ? .info : .warning, .notRestored,
                "\(siblings.subject) not restored (\(object.code.rawValue)): \(object.detail)"
                    + (object.remedy.isEmpty ? "" : ". \(object.remedy)"),
                scene: name, path: object.path, reason: object.code.rawValue)
        }
        logExpiry(report, of: name)
        guard log.isLogged(.debug) else { return }
        for object in ObjectExplainer(scene.scene).foundObjects() {
            log.log(
                .debug, .objectFound, "\(object.path) was found: \(object.summary)", scene: name,
                path: object.path)
        }
    }

    /// Logs the records that too many launches could not restore (R16).
    ///
    /// Expired records are removed now. Expiring records are removed by the next launch if that launch cannot restore
    /// them either.
    private func logExpiry(_ report: RestorationReport, of scene: String) {
        func explanation(_ path: String, _ content: String) -> String {
            settings.hasControlSocket
                ? ": `reprisectl --app \(bundleIdentifier) --scene \(scene) explain \(path)` \(content)"
                : ""
        }
        func logRecord(_ event: LogEvent, _ path: String, _ outcomeSentence: String) {
            log.log(.warning, event, "\(path) \(outcomeSentence)", scene: scene, path: path)
        }
        for path in report.expiring.prefix(100) {
            logRecord(
                .recordsExpiring, path,
                "was not restored by \(SceneRecords.maximumRestorationAttempts) launches: if the next launch does not restore it "
                    + "either, its state is moved from the archive to the history. To keep it, fix the cause"
                    + explanation(path, "shows the cause"))
        }
        for path in report.expired.prefix(100) {
            logRecord(
                .recordsExpired, path,
                "is removed from the archive, because more than \(SceneRecords.maximumRestorationAttempts) launches did not restore "
                    + "it; the history contains it"
                    + explanation(path, "identifies the generation"))
        }
    }

    /// Completes the application's launch after every scene has been launched, has failed or has been deferred.
    private func completeLaunch(_ hostedScenes: HostedScenes) {
        if hostedScenes.table.launchedScenes.isEmpty,
            let failure = hostedScenes.table.failures.first
        {
            // No scene was launched, so a deferred scene is launched instead.
            guard let name = hostedScenes.popDeferredScene() else {
                return failLaunch(failure.reason)
            }
            hostedScenes.table.scheduleLaunch(for: name)
            return advanceLaunches()
        }
        phase = .running(hostedScenes)
        turnExecutor.pruneQuarantine()
        saver.markOpened()
        stateDidChange()
        // The first save must not overwrite changes that another program made during the launch.
        if externalChange.isCheckNeeded { checkArchive() }
        turnExecutor.operationTimer.measure("saving the launched scenes") {
            turnExecutor.save(hostedScenes, .launch)
        }
        commandInbox.wake()
        wakeUps.deferredLaunch.send()
    }

    /// Launches the deferred scenes that were in use, one at a time, so that commands can run in between (S3).
    func launchDeferredScenes() async {
        for await _ in wakeUps.deferredLaunch.events {
            while await launchNextDeferredScene() {
                do {
                    try await settings.clock.sleep(for: .microseconds(250))
                } catch {
                    return  // The sleep ends early only if the application stops.
                }
                // Other applications may have kept the event loop busy during the sleep.
                await settings.yieldExecutor()
            }
        }
    }

    /// Launches the next deferred scene after all other launches have ended.
    ///
    /// - Returns: Whether deferred scenes may remain.
    private func launchNextDeferredScene() async -> Bool {
        await waitUntilLaunchesEnd()
        guard activity == .active, case .running(let hostedScenes) = phase else { return false }
        if let name = hostedScenes.popDeferredScene() {
            hostedScenes.table.scheduleLaunch(for: name)
            advanceLaunches()
            if externalChange.isCheckNeeded { checkArchive() }
            turnExecutor.operationTimer.measure("saving a launched scene") {
                turnExecutor.save(hostedScenes, .laterLaunch)
            }
        }
        if hostedScenes.hasDeferredScenes { return true }
        saver.generations.launchesDidEnd()
        stateDidChange()
        return false
    }

    private func failLaunch(_ reason: String) {
        if let hostedScenes {
            launchSequence.stopLaunching(hostedScenes)
            hostedScenes.table.closeAndRemoveAll()
        }
        phase = .failed(reason: reason)
        saver.modelSaver.release()
        log.log(.error, .launchFailed, "could not be launched: \(reason)", reason: reason)
        log.recordProblem(reason)
        refuseCommands()
        launchesDidAdvance()
    }

    /// Ends a restoration that has been extended beyond the launch timeout (R13).
    ///
    /// - Parameter launchEnd: The end flag of the launch. If another launch has begun in the meantime, it is not
    ///   affected.
    func endRestoration(of launchEnd: LaunchEnd) {
        guard let launchingScene = hostedScenes?.table.launchingScene,
            launchingScene.scene.launchEnd === launchEnd, !launchingScene.scene.isLaunched
        else { return }
        let unfinishedPaths = launchingScene.scene.unfinishedPaths
        let sentence =
            "its restoration was not completed within \(settings.launchTimeout): the launch "
            + "continues"
            + (unfinishedPaths.isEmpty
                ? "" : " without \(unfinishedPaths.joined(separator: ", "))")
        log.log(.warning, .extensionMisused, sentence, scene: launchingScene.name.text)
        log.recordProblem("\(launchingScene.name): \(sentence)")
        launchingScene.scene.completeLaunch(hasTimedOut: true)
    }

    /// Starts the tasks that objects in the scenes have requested. The tasks run on this actor (S4).
    func startTasks() {
        for scene in hostedScenes?.dueScenes ?? [] where scene.tasks.hasPendingTasks {
            let sceneTasks = scene.tasks
            sceneTasks.start { number, body in
                launchSequence.tasks.didStartTask()
                // An async closure runs on the task's preferred executor, not on its caller's executor. Here, both are
                // this actor's executor.
                return Task { [self] in
                    await withTaskExecutorPreference(executors.taskExecutor) { await body() }
                    sceneTasks.finish(number)
                    launchSequence.tasks.didFinishTask()
                    hostedScenes?.markNeedsFullScan()
                    stateDidChange()
                }
            }
        }
    }

    // MARK: Stopping

    /// Stops the application for good, so that ``run()`` returns.
    ///
    /// An orderly quit runs the waiting commands, makes a last full pass and closes the archive. Scenes that are still
    /// being launched are closed without being saved (P17).
    ///
    /// A forced quit (L1) makes no pass and does not call the delegates. It moves the saved state to the history, so
    /// that the next launch is pristine. The model data is not removed.
    ///
    /// To run the application again, create another `Application` with the same ``ApplicationStateDirectory``. In a
    /// service group, the application's `successTerminationBehavior` determines what happens to the other services
    /// after ``run()`` has returned. If the application is not running, this method only makes ``run()`` return.
    ///
    /// - Parameter force: Whether to remove the saved state.
    /// - Throws: An error that states why the last pass could not be saved. The application stops regardless. ``run()``
    ///   also throws this error, unless the state has been saved by then. A forced quit throws
    ///   ``ApplicationError/stateNotRemoved(application:reason:)`` if the state cannot be removed. In this case, the
    ///   application continues.
    public func quit(force: Bool = false) throws {
        if force { try forceQuit() }
        if !hasStoppedPermanently { activity = .stoppedPermanently() }
        commandInbox.finish()
        defer { launchesDidAdvance() }
        if !force { try quitGracefully() }
    }

    /// Stops the application but lets ``run()`` continue, so that ``launch()`` can launch the application again.
    ///
    /// If the application is not running, the method does nothing.
    ///
    /// - Throws: An error that states why the last pass could not be saved. The application stops regardless.
    package func quitUntilLaunch() throws {
        defer { launchesDidAdvance() }
        try quitGracefully()
    }

    /// Stops the application for good.
    ///
    /// No further turns run, so callers must not wait for a turn.
    func stopPermanently() -> Result<Void, any Error> {
        if !hasStoppedPermanently { activity = .stoppedPermanently() }
        defer { wakeUps.sceneChange.finish() }
        return Result { try quitUntilLaunch() }
    }

    private func quitGracefully() throws {
        if isLaunching { refuseCommands() }
        guard let hostedScenes else {
            if hasStoppedPermanently { try saveUnsavedState() }
            return
        }
        // From here on, changes by other programs are handled by the next launch.
        if activity == .active { activity = .quitting }
        defer { if activity == .quitting { activity = .active } }
        hostedScenes.failChange(.applicationStopping)
        runWaitingCommands()
        launchSequence.stopLaunching(hostedScenes)
        // A scene whose restoration is complete by now accepts the commands that were waiting for it.
        advanceLaunches()
        runWaitingCommands()
        runTurn(.stop)
        closeAllScenes(hostedScenes, isOrderly: true)
        defer { turnExecutor.sendAllReplies() }
        let isOwnArchive = try loggingUnsavedState { () throws(UnsavedStop) in
            do throws(UnsavedStop) {
                return try turnExecutor.closeOrAbandonArchive()
            } catch {
                // A failed write has already been counted.
                if saver.failureReason == nil, !saver.recordDurability.isSaved {
                    log.metrics.countSaveFailure()
                }
                throw error
            }
        }
        let losses = saver.firstLosses.sorted { $0.key.text < $1.key.text }
        for (scene, loss) in losses.prefix(100) {
            log.log(
                .warning, .notPreserved, "stopped without saving all of its state: \(loss)",
                scene: scene.text)
        }
        let isSaved = isOwnArchive && saver.isSavedDurably
        log.log(.notice, .stopped, isSaved ? "stopped, everything is saved" : "stopped")
    }

    /// Saves state that an earlier stop could not save. Call this method before the application stops for good.
    private func saveUnsavedState() throws(UnsavedStop) {
        defer { turnExecutor.logArchiveEvents() }
        try loggingUnsavedState { () throws(UnsavedStop) in
            if saver.recordDurability.isSaved {
                try turnExecutor.storeStateInMemory()
            } else {
                saver.retrySaving()  // Also writes the model data.
                _ = try turnExecutor.closeOrAbandonArchive()
            }
        }
    }

    /// Runs a closure that saves the last state, and logs an error if the state could not be saved.
    private func loggingUnsavedState<Result>(
        _ body: () throws(UnsavedStop) -> Result
    ) throws(UnsavedStop) -> Result {
        do throws(UnsavedStop) {
            return try body()
        } catch {
            log.logProblem(
                .error, .saveFailed,
                hasStoppedPermanently
                    ? "stopped together with the program, and its last state was not saved: \(error.reason)"
                    : "stopped; its last state is only in memory, and is lost if the program stops before "
                        + "the state can be saved: \(error.reason)",
                reason: error.reason)
            throw error
        }
    }

    /// Runs all waiting commands.
    private func runWaitingCommands() {
        while hasWaitingCommands, !isLaunching { runTurn(.commands) }
    }

    /// Stops the application without saving, and moves its saved state to the history.
    ///
    /// ``run()`` continues, so that ``launch()`` can launch the application again.
    ///
    /// - Returns: The path of the generation that contains the state, or `nil` if no state was saved.
    @discardableResult
    package func forceQuit() throws -> String? {
        defer { launchesDidAdvance() }
        hostedScenes?.failChange(.applicationStopping)
        let generation: String?
        do throws(SaveError) {
            generation = try saver.removeState()
        } catch {
            throw ApplicationError.stateNotRemoved(
                application: bundleIdentifier, reason: "\(error)")
        }
        if let hostedScenes {
            closeAllScenes(hostedScenes, isOrderly: false)
        } else {
            phase = .stopped
        }
        launchSequence.sceneLaunchGuard.recordStateRemoval()
        turnExecutor.retryQuarantine()
        turnExecutor.sendAllReplies()
        log.log(.notice, .stateRemoved, "stopped by force, and its saved state was removed")
        log.notifyFollower([ApplicationEvent(.ended, message: "stopped by force")])
        return generation
    }

    /// Closes all scenes, and refuses all waiting commands.
    private func closeAllScenes(_ hostedScenes: HostedScenes, isOrderly: Bool) {
        launchSequence.sceneLaunchGuard.record(
            LaunchEvent.closed, of: hostedScenes.table.launchedScenes.map(\.name))
        launchSequence.stopLaunching(hostedScenes)
        // The scene may have completed its launch although no turn has marked it as launched.
        if hostedScenes.table.launchingScene != nil {
            launchSequence.sceneLaunchGuard.recordAbandonedLaunch()
        }
        hostedScenes.table.closeAndRemoveAll(isOrderly: isOrderly)
        launchSequence.sceneLaunchGuard.launchTicket.release()
        documents.openDocuments.closeAll()
        phase = .stopped
        refuseCommands()
    }

    private func refuseCommands() { turnExecutor.refuseCommands(unavailableError) }
}

// MARK: - Deadlocks

extension Application {
    /// Throws an error if a command would wait for a launch that is itself waiting for the caller.
    ///
    /// - Parameter scene: The command's target scene, or `nil` for the default scene.
    func throwIfCommandWouldDeadlock(on scene: RestorationIdentifier?) throws {
        if case .running(let hostedScenes) = phase,
            let name = scene ?? hostedScenes.defaultSceneName,
            case .launched = hostedScenes.state(of: name)
        {
            return
        }
        try throwIfLaunchWouldDeadlock()
    }

    /// Throws an error if the caller would wait for launches while one of the launches is waiting for the caller.
    func throwIfLaunchWouldDeadlock() throws {
        guard let launch = ExtendedLaunch.unfinished, areScenesLaunching || isLaunching,
            launch.launchGuard === stateDirectory.launchGuard
        else { return }
        throw ApplicationError.restoring(application: bundleIdentifier)
    }
}
