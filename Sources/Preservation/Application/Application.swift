import ExactText
import FoundationEssentials
import LinuxIO
public import Logging
import SavedState
public import ServiceLifecycle
public import StateRestoration
import Tracing

/// Application that launches its scenes, runs commands on them in turns, and saves the changes.
///
/// All state of an application is isolated to this actor. The actor runs on the executor that was passed to its
/// initializer, or on its own serial queue. As a `Service`, the application launches its scenes, runs turns until
/// the graceful shutdown, saves one last time, and stops.
public actor Application: Service, CustomStringConvertible {
    /// Bundle identifier. It is also the name of the application's directory.
    public nonisolated var bundleIdentifier: String { commandInbox.bundleIdentifier }
    /// Name of the application in a service group's log messages: `application` followed by the bundle identifier.
    public nonisolated var description: String { "application \(bundleIdentifier)" }
    /// Path of the archive. The file might not exist.
    public nonisolated let archivePath: String
    nonisolated let executors: ApplicationExecutors
    nonisolated let commandInbox: CommandInbox
    nonisolated let tracer: (any Tracer)?
    nonisolated let wakeUps = WakeUps()
    package internal(set) var settings: PreservationSettings
    package nonisolated let stateDirectory: ApplicationStateDirectory
    let turnExecutor: TurnExecutor
    let savedHistory: SavedHistory
    let documents: DocumentsDirectory
    /// Path of the directory that contains the application's documents.
    package nonisolated var documentsPath: String { documents.path }
    var phase = Phase.new() {
        didSet {
            turnExecutor.isStopped = isStopped
            updateCommandAcceptance()
            wakeUps.sendStatusChange()
            wakeUps.sceneChange.send()
        }
    }
    var activity = Activity.active {
        didSet { updateCommandAcceptance() }
    }
    /// This host's right to run a clustered application, or `nil` outside a cluster.
    var ownership: Ownership? {
        didSet { turnExecutor.replica = ownership?.replica }
    }
    private var waiters = Waiters()
    /// Timers for the application's intervals (P14), or `nil` while the service is not running.
    var intervalTimers: IntervalTimers?
    /// Whether the application's service has started and has not stopped.
    var isServiceRunning: Bool { intervalTimers != nil }

    /// Phase in the life cycle of the application.
    enum Phase {
        /// The application has not been launched yet.
        ///
        /// - Parameter hasWarned: Whether the application has already logged the warning that it was never started.
        case new(hasWarned: Bool = false)
        case stopped
        case launching(HostedScenes)
        case running(HostedScenes)
        case failed(reason: String)
    }

    /// Activity of the application: active, quitting, or stopped for good.
    enum Activity: Equatable {
        case active
        /// The application is quitting. It can be launched again.
        case quitting
        /// The application has stopped for good. No further turns run.
        ///
        /// - Parameter beforeShutdown: Whether the application stopped before the graceful shutdown of its service.
        case stoppedPermanently(beforeShutdown: Bool = false)
    }

    /// Creates an application from a definition.
    ///
    /// - Parameters:
    ///   - definition: The identifier, the version and the factories of the application.
    ///   - stateDirectory: The directory in which the application stores its state.
    ///   - settings: Settings for saving state, such as the preservation interval and the clock.
    ///   - executor: The application's executor, or `nil` to create a queue. A daemon passes an event loop of the
    ///     control server, so that commands do not switch threads.
    ///   - logger: The logger for launches, passes and failures.
    /// - Throws: An error if the bundle identifier is not a valid directory name.
    public init(
        definition: ApplicationDefinition, stateDirectory: ApplicationStateDirectory,
        settings: PreservationSettings = PreservationSettings(),
        executor: (any SerialExecutor)? = nil, logger: Logger
    ) throws {
        let bundleIdentifier = definition.bundleIdentifier
        commandInbox = CommandInbox(bundleIdentifier: bundleIdentifier)
        executors = ApplicationExecutors(executor, label: bundleIdentifier)
        self.settings = settings
        tracer = settings.tracer
        self.stateDirectory = stateDirectory
        let metrics = ApplicationMetrics(
            settings.metrics, bundleIdentifier: bundleIdentifier,
            launchReasons: LaunchReason.allCases.map(\.rawValue))
        let log = ApplicationLog(
            logger, bundleIdentifier: bundleIdentifier,
            usesJournalFields: settings.usesJournalFields, now: settings.now, metrics: metrics,
            tracing: ApplicationTracing(settings.tracer, bundleIdentifier: bundleIdentifier),
            follower: settings.follower)
        let archive = try stateDirectory.archive(of: bundleIdentifier)
        archivePath = archive.path
        savedHistory = SavedHistory(archive, log: log)
        documents = stateDirectory.documents(of: bundleIdentifier)
        let saver = StateSaver(
            archive: archive, log: log,
            generations: GenerationWriter(archive, log: log, settings: settings),
            documents: documents, clock: settings.clock)
        saver.detectsMissedInvalidations = settings.detectsMissedInvalidations
        archive.reservesSpace = settings.durability != .written
        archive.hasControlSocket = settings.hasControlSocket
        let launchSequence = LaunchSequence(
            definition: definition, crashLimit: settings.crashLimit,
            launchGuard: stateDirectory.launchGuard, saver: saver, commandInbox: commandInbox)
        turnExecutor = TurnExecutor(
            commandInbox: commandInbox, saver: saver, launchSequence: launchSequence,
            wakeUps: wakeUps, settings: settings)
        log.onProblem = { [launchGuard = stateDirectory.launchGuard, bundleIdentifier] in
            launchGuard.record($0, of: bundleIdentifier)
        }
    }

    /// Creates an application that consists of values and plain objects.
    ///
    /// This initializer is meant for programs without view controllers. The registered objects and the values
    /// (``value(_:default:aliases:migrations:)``) are saved and restored.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The bundle identifier, such as `org.example.Agent`. It is also the name of the
    ///     application's directory.
    ///   - bundleVersion: The version of the program.
    ///   - stateDirectory: The directory in which the application stores its state.
    ///   - settings: Settings for saving state, such as the preservation interval.
    ///   - scenes: The names of the scenes to create if they have no saved state (S3).
    ///   - logger: The logger for launches, passes and failures.
    ///   - register: A closure that creates the objects and adds each object with its identifier. It is called on the
    ///     application's actor once for each launch of a scene, before any state is restored. The application retains
    ///     the objects. If the closure throws an error, the launch fails.
    ///   - makeModel: A closure that creates the model data that the scenes share, or `nil` if there is no model data.
    /// - Throws: An error if the bundle identifier is not a valid directory name.
    public init(
        bundleIdentifier: String, bundleVersion: String,
        stateDirectory: ApplicationStateDirectory,
        settings: PreservationSettings = PreservationSettings(),
        scenes: [RestorationIdentifier] = ["main"], logger: Logger,
        register: @escaping @Sendable (RegisteredObjects) throws -> Void = { _ in },
        makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)? = nil
    ) throws {
        try self.init(
            definition: ApplicationDefinition(
                bundleIdentifier: bundleIdentifier, bundleVersion: bundleVersion,
                scenes: scenes, makeClasses: { ClassRegistry() }, makeModel: makeModel,
                makeDelegate: { RegisteringDelegate(model: $0.model, register) }),
            stateDirectory: stateDirectory, settings: settings, logger: logger)
    }

    /// Executor on which the application's actor runs.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executors.serialExecutor.asUnownedSerialExecutor()
    }

    /// Stream that delivers an event whenever the result of ``status(scenesAtMost:)`` may have changed.
    ///
    /// The stream begins with an initial event. Changes that occur while the consumer is busy are merged into one
    /// event.
    public nonisolated var changes: AsyncStream<Void> {
        wakeUps.statusChange.subscribe(deliversInitialEvent: true)
    }

    /// Registers a function that is called on the application's executor whenever ``changes`` reports a change.
    ///
    /// The function is called for as long as the application exists. Unlike consuming ``changes``, calling the function
    /// does not wake a task.
    package nonisolated func observeChanges(_ body: @escaping @Sendable () -> Void) {
        wakeUps.statusChange.observe(body)
    }

    /// Stream that delivers an event whenever the application's health may have changed.
    ///
    /// The health consists of the application's phase, the number of launched scenes, and whether everything is saved.
    ///
    /// The stream begins with an initial event. Unlike ``changes``, it delivers no event when changes become durable or
    /// replicated, which can happen after every command.
    package nonisolated var healthChanges: AsyncStream<Void> {
        wakeUps.healthChange.subscribe(deliversInitialEvent: true)
    }

    /// Current definition of the application, including changes made by the last reload.
    public var definition: ApplicationDefinition { launchSequence.definition }

    // MARK: Service

    /// Launches the application, runs turns until the graceful shutdown or ``quit(force:)``, and then stops the
    /// application.
    ///
    /// An application can run only once. If the application quit before this method was called, the method returns
    /// immediately.
    ///
    /// - Throws: ``ApplicationError/alreadyRun(application:)`` if this method has already been called, or an error that
    ///   states why the last pass could not be saved.
    public nonisolated func run() async throws {
        try await withTaskExecutorPreference(executors.taskExecutor) {
            guard try await markRunCalled() else { return }
            try await withGracefulShutdownHandler {
                await beginService()
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await self.endOverdueRestorations() }
                    group.addTask { await self.launchDeferredScenes() }
                    group.addTask { await self.runCompactions() }
                    group.addTask { await self.handleExternalChanges() }
                    await self.runTurns()
                    group.cancelAll()
                }
                await stopSyncing()
                let stopResult: Result<Void, any Error> = await self.stopPermanently()
                await stopIntervalTimers()
                await waitForTasks()
                // A service group stops this service after the services that use it. This service must therefore wait
                // for the group.
                if case .stoppedPermanently(beforeShutdown: true) = await activity {
                    try await gracefulShutdown()
                }
                try stopResult.get()
            } onGracefulShutdown: {
                self.commandInbox.finish()
            }
        }
    }

    /// Stops the application if it is being launched, because the program is stopping.
    ///
    /// Callers that are waiting for the launch receive an error.
    package func stopIfLaunching() {
        guard isLaunching else { return }
        activity = .stoppedPermanently(beforeShutdown: true)
        commandInbox.finish()
    }

    /// Records that ``run()`` has been called.
    ///
    /// - Returns: Whether the application can be launched. An application that has already quit cannot be launched.
    private func markRunCalled() throws(ApplicationError) -> Bool {
        if !commandInbox.claim() { throw .alreadyRun(application: bundleIdentifier) }
        if hasStoppedPermanently {
            log.log(
                .notice, .stopped,
                "was not launched, because it was quit before run() was called")
        }
        return !hasStoppedPermanently
    }

    private func beginService() {
        intervalTimers = IntervalTimers()
        turnExecutor.syncSchedule.start()
        guard settings.isClustered else { return beginLaunch() }
        phase = .stopped
        stateDidChange()
    }

    private func runTurns() async {
        await withTaskCancellationHandler {
            while await commandInbox.waitForTurn() {
                repeat {
                    runTurn(commandInbox.withQueue { $0.popTurnReason() })
                    if hasWaitingCommands { await settings.yieldExecutor() }
                } while hasWaitingCommands && !isLaunching
            }
        } onCancel: {
            commandInbox.finish()
        }
    }

    /// Runs a turn for new commands.
    ///
    /// If the executor is idle, the turn runs immediately on the caller's thread. Otherwise, the turn is scheduled on
    /// the executor.
    nonisolated func runCommandTurn() {
        let didRunImmediately = executors.serialQueue?.runIfIdle {
            assumeIsolated { application in
                // A task that an object has requested must not start as a child of the caller's task.
                guard case .running(let hostedScenes) = application.phase,
                    application.activity == .active,
                    !hostedScenes.dueScenes.contains(where: \.tasks.hasPendingTasks)
                else { return application.commandInbox.wake() }
                application.runTurn(application.commandInbox.withQueue { $0.popTurnReason() })
                if application.hasWaitingCommands { application.commandInbox.wake() }
            }
        }
        if didRunImmediately != true { commandInbox.wake() }
    }

    /// Whether the application has stopped for good.
    var hasStoppedPermanently: Bool {
        if case .stoppedPermanently = activity { true } else { false }
    }

    /// Whether at least one command is waiting for a turn.
    var hasWaitingCommands: Bool { commandInbox.withQueue { !$0.isEmpty } }

    private func runCompactions() async {
        for await job in wakeUps.compactionRequest.events {
            let launchGuard = launchSequence.sceneLaunchGuard.launchGuard
            let result = await executors.compactionQueue.run { [bundleIdentifier] in
                launchGuard.readFiles(of: bundleIdentifier) { job.run() }
            }
            turnExecutor.didCompact(job, result)
            debounceExternalChange()
            stateDidChange()
        }
    }

    private func handleExternalChanges() async {
        for await _ in wakeUps.externalChange.events {
            while let changeNumber = externalChange.pendingChangeNumber {
                do {
                    try await settings.clock.sleep(for: ExternalChangeHandler.debounce)
                } catch {
                    return  // The sleep ends early only if the application stops.
                }
                recheckExternalChange(changeNumber)
            }
        }
    }

    /// Ends each restoration that is still extended when the launch timeout elapses (R13).
    private func endOverdueRestorations() async {
        await withDiscardingTaskGroup { group in
            for await name in wakeUps.extendedRestoration.events {
                guard let launchingScene = hostedScenes?.table.launchingScene,
                    launchingScene.name == name
                else {
                    continue
                }
                // The task retains the flag, so another launch cannot have a flag with the same address.
                let launchEnd = launchingScene.scene.launchEnd
                group.addTask { [settings] in
                    do {
                        try await settings.clock.sleep(for: settings.launchTimeout)
                    } catch {
                        return  // The sleep ends early only if the application stops.
                    }
                    await self.endRestoration(of: launchEnd)
                }
            }
        }
    }

    // MARK: Waiting

    /// Waits until the application accepts commands.
    ///
    /// The method also waits for an extended restoration, up to the launch timeout (R13). If an object calls this
    /// method during its own extended restoration, the method returns immediately.
    ///
    /// - Throws: ``ApplicationError/failed(application:reason:)`` if the launch has failed, or `CancellationError` if
    ///   the task is cancelled.
    public func waitUntilReady() async throws {
        try await waitUntilFirstLaunchEnds()
        if case .failed = phase { throw unavailableError }
    }

    /// Waits until the application accepts commands or its first launch has failed.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitUntilFirstLaunchEnds() async throws {
        if ExtendedLaunch.unfinished?.bundleIdentifier == bundleIdentifier { return }
        try await waitUnlessCancelled { [self] in
            switch phase {
            case .new, .launching: hasStoppedPermanently
            case .stopped, .running, .failed: true
            }
        }
    }

    /// Waits for the first launch on behalf of code that uses a declared value.
    ///
    /// If the application already accepts commands, the method returns without switching threads.
    nonisolated func waitUntilReady(for identifier: RestorationIdentifier) async throws {
        guard refusesCommands else { return }
        async let _ = warnIfNotStarted(awaiting: identifier)
        async let _ = stopIfNeverRun()
        try await waitUntilFirstLaunchEnds()
    }

    /// Waits for the graceful shutdown, then stops the application if ``run()`` has never been called.
    ///
    /// Callers that are waiting for the launch receive an error.
    func stopIfNeverRun() async {
        do {
            try await gracefulShutdown()
        } catch {
            return  // The wait was cancelled.
        }
        if case .new = phase, activity == .active {
            activity = .stoppedPermanently()
            stateDidChange()
        }
    }

    /// Logs a warning if a caller has waited two seconds for the launch and the application has not been started.
    ///
    /// The warning is logged only once.
    func warnIfNotStarted(awaiting identifier: RestorationIdentifier) async {
        do {
            try await settings.clock.sleep(for: .seconds(2))
        } catch {
            return  // The wait was cancelled.
        }
        guard case .new(hasWarned: false) = phase, activity == .active else { return }
        phase = .new(hasWarned: true)
        log.log(
            .warning, .neverStarted,
            "was not started, and \"\(identifier.text)\" waits for it: add the application to the "
                + "service group before the services that use its values, or call its run()")
    }

    /// Waits until the first launch has finished, successfully or not.
    ///
    /// The wait includes scenes that are launched after the application has begun to accept commands (see
    /// ``PreservationSettings/isLaunchEager``).
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitUntilLaunched() async throws {
        if ExtendedLaunch.unfinished?.bundleIdentifier == bundleIdentifier { return }
        try await waitUnlessCancelled { [self] in
            switch phase {
            case .new, .launching: hasStoppedPermanently
            case .running(let hostedScenes):
                hasStoppedPermanently || hostedScenes.areLaunchesFinished
            case .stopped, .failed: true
            }
        }
    }

    /// Waits until no launch of the application is in progress.
    func waitForLaunch() async {
        await wait { [self] in !isLaunching }
    }

    /// Waits until the given launch has finished, even if another launch has started in the meantime.
    func waitForLaunch(of launchedScenes: HostedScenes?) async {
        await wait { [self] in !isLaunching || hostedScenes !== launchedScenes }
    }

    /// Waits until no scene is being launched or replaced.
    func waitUntilLaunchesEnd() async {
        await wait { [self] in !areScenesLaunching || hasStoppedPermanently }
    }

    /// Waits until all state that has been written is durable or cannot be made durable.
    ///
    /// - Returns: The durability level of the state.
    /// - Throws: `CancellationError` if the task is cancelled.
    func waitUntilDurable() async throws -> DurabilityLevel {
        let reply = CancellableReply<DurabilityLevel>()
        return try await reply.wait {
            // Checked inside the closure, because a reply added after the sync has finished would not be sent.
            guard saver.durabilityLevel == .written, !hasStoppedPermanently else {
                return reply.send(.success(saver.durabilityLevel))
            }
            turnExecutor.addReplyUntilDurable { [saver] durabilityLevel in
                if case .notSaved = saver.durabilityLevel {
                    return reply.send(.success(saver.durabilityLevel))
                }
                reply.send(.success(durabilityLevel))
            }
            startRequestedSync()
        }
    }

    /// Waits until all of the scenes' tasks have returned, because no task may use the executor after its release.
    ///
    /// The wait for tasks that ignore cancellation is limited to ``RunningTaskCounter/cancellationTimeout``.
    private func waitForTasks() async {
        if launchSequence.tasks.areFinished { return }
        // A child task would be cancelled together with the service's task, and its sleep would end immediately.
        let timeout = Task(executorPreference: executors.taskExecutor) { [settings] in
            do { try await settings.clock.sleep(for: RunningTaskCounter.cancellationTimeout) } catch
            {
                return
            }
            await self.abandonTasks()
        }
        await wait { [self] in launchSequence.tasks.areFinished }
        timeout.cancel()
        await timeout.value
    }

    private func abandonTasks() {
        launchSequence.tasks.abandonTasks()
        stateDidChange()
    }

    /// Waits until the application's service has started or stopped.
    func waitUntilServiceStarted() async {
        await wait { [self] in
            if case .new = phase { hasStoppedPermanently } else { true }
        }
    }

    /// Waits until a condition holds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    private func waitUnlessCancelled(until condition: @escaping () -> Bool) async throws {
        while !condition() {
            let reply = CancellableReply<Void>()
            do {
                try await reply.wait {
                    // Checked again, because the condition may hold now.
                    if condition() { return reply.send(.success(())) }
                    waiters.append({ reply.isCancelled || condition() }) {
                        reply.send(.success(()))
                    }
                }
            } catch {
                // Removes the cancelled waiter.
                waiters.resume()
                throw error
            }
        }
    }

    /// Waits until a condition holds, even if the task is cancelled.
    func wait(until condition: @escaping () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { continuation in
                // Checked again inside the closure, because the condition may hold now.
                if condition() {
                    continuation.resume()
                } else {
                    waiters.append(condition) { continuation.resume() }
                }
            }
        }
    }

    /// Resumes waiters whose conditions now hold, and reports a changed status.
    ///
    /// Call this method at the end of every operation that changes the application.
    func stateDidChange() {
        sendReplicatedReplies()
        saver.updateNondurableTime(since: settings.currentMoment)
        startRequestedSync()
        waiters.resume()
        let durabilityChange = saver.consumeDurabilityChange()
        if durabilityChange.becameDurable { log.notifyFollower([ApplicationEvent(.durable)]) }
        if durabilityChange.hasFailureChanged {
            wakeUps.sendStatusChange()
        } else if durabilityChange.hasLevelChanged {
            wakeUps.statusChange.send()
        }
        startIntervalTimers()
    }

    // MARK: Inspecting

    /// The application's scenes while the application is launching or running, or `nil` otherwise.
    var hostedScenes: HostedScenes? {
        switch phase {
        case .launching(let hostedScenes), .running(let hostedScenes): hostedScenes
        case .new, .stopped, .failed: nil
        }
    }

    /// Whether the application has not been launched yet or has been stopped.
    private var isStopped: Bool {
        switch phase {
        case .new, .stopped: true
        case .launching, .running, .failed: false
        }
    }

    /// Whether the application is being launched. Until the launch has finished, commands wait.
    var isLaunching: Bool {
        if case .launching = phase { true } else { false }
    }

    /// Whether a scene is being launched or replaced.
    var areScenesLaunching: Bool {
        hostedScenes.map { isLaunching || $0.change != nil || $0.table.isLaunching } ?? false
    }

    /// Updates whether the application accepts new commands.
    private func updateCommandAcceptance() {
        commandInbox.refusalError =
            hostedScenes == nil || activity != .active ? unavailableError : nil
    }

    var launchSequence: LaunchSequence { turnExecutor.launchSequence }
    var saver: StateSaver { turnExecutor.saver }
    var log: ApplicationLog { saver.log }
    /// Handler for changes that other programs make to the archive.
    var externalChange: ExternalChangeHandler {
        get { turnExecutor.externalChange }
        _modify { yield &turnExecutor.externalChange }
    }

    /// Returns the status of the application, as shown to operators.
    ///
    /// - Parameter limit: The maximum number of scenes in the status.
    public func status(scenesAtMost limit: Int = ApplicationStatus.maximumScenes)
        -> ApplicationStatus
    {
        var status = ApplicationStatus(
            bundleIdentifier: bundleIdentifier, bundleVersion: definition.bundleVersion,
            phase: .stopped, scenes: sceneStatuses(atMost: limit), saved: saver.durabilityLevel,
            notDurableWrites: Int(saver.archive.writeNumber - saver.archive.durableWriteNumber),
            notDurableSince: (saver.notDurableSince?.time).map { Date(microseconds: $0) },
            lastPass: saver.lastPassTime.map { Date(microseconds: $0) },
            lastError: turnExecutor.unquarantinedProblem ?? log.lastProblem,
            lastErrorTime: log.lastProblemTime.map { Date(microseconds: $0) })
        if status.lastError == nil,
            let earlierProblem = launchSequence.sceneLaunchGuard.earlierProblem
        {
            status.lastError = "before the last start: \(earlierProblem.sentence)"
            status.lastErrorTime = Date(microseconds: earlierProblem.time)
        }
        status.launchedSceneCount = hostedScenes?.table.launchedScenes.count ?? 0
        status.failedSceneCount = hostedScenes?.table.failures.count ?? 0
        status.savedSceneCount = saver.archive.sceneCount
        status.savedObjectCount = saver.archive.objectCount
        status.historyFailure = saver.generations.failureReason
        status.notReplicated = ownership?.replica.progress.unreplicatedCount
        status.notDurableDuration = saver.notDurableSince?.elapsed()
        status.interval = settings.interval
        status.isUnsavedByOptOut = saver.isUnsavedByOptOut
        switch phase {
        case .new, .stopped: break
        case .launching: status.phase = .launching
        case .failed(let reason): status.phase = .failed(reason: reason)
        case .running: status.phase = .running
        }
        return status
    }

    private func sceneStatuses(atMost limit: Int = .max) -> [SceneStatus] {
        if let hostedScenes { return hostedScenes.names(atMost: limit).map(hostedScenes.status) }
        return saver.archive.scenes(atMost: limit).map {
            SceneStatus(name: $0.sceneName, phase: .saved)
        }
    }

    /// Returns the status of every scene that is launched or saved.
    public func scenes() -> [SceneStatus] { sceneStatuses() }

    /// Returns the restoration report of a scene's last launch (R15).
    ///
    /// - Parameter scene: The name of the scene, or `nil` for the first configured scene.
    /// - Throws: ``ApplicationError`` if the application does not have the scene or has not launched it.
    public func report(scene: String? = nil) throws -> RestorationReport {
        try launchedScene(scene).report
    }

    /// Returns the name and the restoration report (R15) of a scene that is launched or being launched.
    ///
    /// - Parameter scene: The name of the scene, or `nil` for the first configured scene.
    /// - Throws: ``ApplicationError`` if the application does not have the scene or has not launched it.
    package func launchedScene(
        _ scene: String? = nil
    ) throws -> (name: RestorationIdentifier, report: RestorationReport) {
        guard let hostedScenes else { throw unavailableError }
        let name = scene.map(RestorationIdentifier.init(recorded:)) ?? hostedScenes.defaultSceneName
        guard let name, hostedScenes.isKnown(name) else {
            throw hostedScenes.noSuchSceneError(name, of: bundleIdentifier)
        }
        let status = hostedScenes.status(of: name)
        if case .failed(let reason) = status.phase { throw sceneFailedError(name, reason) }
        guard var report = status.report else {
            throw ApplicationError.sceneNotLaunched(
                application: bundleIdentifier, scene: name.text)
        }
        if case .launched(let scene) = hostedScenes.state(of: name) {
            report.unclaimed = min(report.unclaimed, scene.scene.records.unclaimedRecordCount)
        }
        return (name, report)
    }

    /// Returns the reserved values for a pass at the current time (P4).
    package func passMetadata() -> PassMetadata { turnExecutor.passMetadata() }

    /// Makes the process exit when a launch, a turn or a pass of this application reaches the given stage.
    ///
    /// The setting is held only in memory and has no effect after a restart.
    ///
    /// - Parameters:
    ///   - stage: The stage at which the process exits. A launch stage takes effect during the next launch.
    ///   - action: How the process exits.
    package func armDebugExit(stage: Stage, action: DebugExitAction) {
        launchSequence.armDebugExit(DebugExit(stage: stage, action: action))
    }

    /// Registers a follower for the application's events, or returns `false` if the application already has a follower.
    package func follow(by follower: any ApplicationEventFollower) -> Bool {
        guard settings.follower == nil else { return false }
        settings.follower = follower
        log.follower = follower
        return true
    }

    /// Removes the follower.
    package func removeFollower() {
        settings.follower = nil
        log.follower = nil
    }

    /// Applies new settings to the application, including its running scenes.
    ///
    /// The clocks, the system version and the settings that the daemon controls do not change. Limits for values take
    /// effect the next time an object is encoded. Limits for the history and the quarantine take effect immediately:
    /// the oldest entries that exceed a limit are deleted. The timeout of a restoration that is already extended does
    /// not change.
    public func apply(_ newSettings: PreservationSettings) {
        let previousSettings = settings
        settings = newSettings
        settings.clock = previousSettings.clock
        settings.now = previousSettings.now
        settings.systemVersion = previousSettings.systemVersion
        settings.follower = previousSettings.follower
        settings.yieldExecutor = previousSettings.yieldExecutor
        settings.metrics = previousSettings.metrics
        settings.tracer = previousSettings.tracer
        settings.isClustered = previousSettings.isClustered
        settings.usesJournalFields = previousSettings.usesJournalFields
        settings.hasControlSocket = previousSettings.hasControlSocket
        launchSequence.crashLimit = newSettings.crashLimit
        hostedScenes?.limits = newSettings.limits
        saver.detectsMissedInvalidations = newSettings.detectsMissedInvalidations
        saver.archive.reservesSpace = newSettings.durability != .written
        turnExecutor.durability = newSettings.durability
        turnExecutor.operationTimer.slowOperationThreshold = newSettings.maximumTurnDuration
        saver.generations.apply(newSettings)
        turnExecutor.pruneQuarantine()
        if newSettings.interval != previousSettings.interval
            || newSettings.history.interval != previousSettings.history.interval
            || newSettings.idleTimeout != previousSettings.idleTimeout
        {
            restartIntervalTimers()
        }
    }
}
