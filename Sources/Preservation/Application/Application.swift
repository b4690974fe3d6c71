import ExactText
import FoundationEssentials
import LinuxIO
public import Logging
import SavedState
public import ServiceLifecycle
public import StateRestoration

/// One application: launches its scenes, runs commands on them in turns, and saves what changed.
///
/// Everything of an application is confined to this actor, which runs on the executor it was given.
/// As a `Service` it launches the application, serves turns until the graceful shutdown, and ends
/// it in an orderly way.
public actor Application: Service, CustomStringConvertible {
    /// Name of the application, and of its folder.
    public nonisolated let bundleIdentifier: String
    /// `application` and its bundle identifier, as a service group logs it.
    public nonisolated var description: String { "application \(bundleIdentifier)" }
    /// The path of the archive, whether it exists or not.
    public nonisolated let archivePath: String
    private nonisolated let executor: any SerialExecutor
    /// The executor, if it was not given, and so may run a turn on the thread of who waits for it.
    private nonisolated let ownExecutor: SerialQueueExecutor?
    nonisolated let taskExecutor: ApplicationTaskExecutor
    nonisolated let turns: TurnSchedule
    nonisolated let signals = Signals()
    /// Told of each turn that may have changed a scene, and when scenes come, go or change places.
    nonisolated let turnsMade = Broadcast()
    let disk: DiskQueues
    package internal(set) var settings: PreservationSettings
    package nonisolated let stateDirectory: ApplicationStateDirectory
    let saver: StateSaver
    let launches: LaunchSequence
    var phase = Phase.new {
        didSet {
            noteTaking()
            signals.changed.send()
            turnsMade.send()
        }
    }
    var activity = Activity.active {
        didSet { noteTaking() }
    }
    var answers = PendingAnswers()
    let documents: DocumentsFolder
    /// Path of the directory that holds the documents of the application.
    package nonisolated var documentsPath: String { documents.path }
    /// By what it runs here, if it may run on other hosts, too.
    var tenancy: Tenancy?
    /// Looks after it that nobody waits for the replica for too long.
    var replicaLimit: Task<Void, Never>?
    var external = ExternalChange()
    /// The change of state whose scenes are being launched.
    var change: StateChange?
    private var waiters = Waiters()
    /// What lay in quarantine when this was made.
    private var quarantinedBefore: Set<QuarantinedFile>
    /// Reason for which that could not be told last, which is logged once.
    private var quarantineProblem: String?
    var tasks = RunningTasks()
    /// The intervals that pass now (P14); nil while nobody serves turns.
    var intervals: Intervals?
    /// How long everything took together of which it was told that it took too long.
    var toldTime = Duration.zero

    /// Where the application is in its life.
    enum Phase {
        /// It was not launched yet.
        case new
        case stopped
        case launching(HostedScenes)
        case running(HostedScenes)
        case failed(reason: String)
    }

    /// Whether the application begins anything.
    enum Activity {
        case active
        /// It is ending in an orderly way, and may be launched again.
        case ending
        /// It has ended for good: nobody serves turns any more.
        case ended
    }

    /// - Parameters:
    ///   - definition: what the application is made of.
    ///   - stateDirectory: where its state lies.
    ///   - settings: how often to save, and by which clock.
    ///   - executor: where everything of the application runs; in a daemon an event loop of the
    ///     control server, so that a command changes no thread. Nil: a queue of its own.
    ///   - logger: told of launches, passes and failures.
    /// - Throws: an error that says why the bundle identifier cannot name a folder.
    public init(
        definition: ApplicationDefinition, stateDirectory: ApplicationStateDirectory,
        settings: PreservationSettings = PreservationSettings(),
        executor: (any SerialExecutor)? = nil, logger: Logger
    ) throws {
        bundleIdentifier = definition.bundleIdentifier
        turns = TurnSchedule(application: definition.bundleIdentifier)
        self.executor = executor ?? SerialQueueExecutor(label: definition.bundleIdentifier)
        ownExecutor = self.executor as? SerialQueueExecutor
        taskExecutor = ApplicationTaskExecutor(self.executor)
        self.settings = settings
        self.stateDirectory = stateDirectory
        disk = DiskQueues(label: definition.bundleIdentifier)
        let metrics = ApplicationMetrics(
            settings.metrics, application: definition.bundleIdentifier,
            reasons: LaunchReason.allCases.map(\.rawValue))
        let log = ApplicationLog(
            logger, application: definition.bundleIdentifier, now: settings.now, metrics: metrics,
            follower: settings.follower)
        let archive = try stateDirectory.archive(of: definition.bundleIdentifier)
        archivePath = archive.path
        quarantinedBefore = Set(
            Self.quarantined(in: archive, log).map { kept in
                QuarantinedFile(
                    name: ExactString(kept.name), time: kept.time.map { Date(microseconds: $0) })
            })
        documents = stateDirectory.documents(of: definition.bundleIdentifier)
        saver = StateSaver(
            archive: archive, log: log,
            generations: GenerationPolicy(archive, log: log, settings: settings),
            documents: documents, clock: settings.clock)
        saver.looksForForgottenMarksAtOnce = settings.looksForForgottenMarksAtOnce
        launches = LaunchSequence(
            definition: definition, crashLimit: settings.crashLimit,
            launches: stateDirectory.launchGuard, saver: saver, turns: turns)
        log.onProblem = { [launchGuard = stateDirectory.launchGuard, bundleIdentifier] in
            launchGuard.note($0, of: bundleIdentifier)
        }
    }

    /// An application of values (``value(_:default:aliases:migrations:)``) and plain objects, for a
    /// program without view controllers: the registered objects of its scenes are saved and restored.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: names the application's folder: `org.example.Agent`.
    ///   - bundleVersion: the version of the program.
    ///   - stateDirectory: where its state lies.
    ///   - settings: how often to save.
    ///   - scenes: the scenes that are made when they were never saved before (S3).
    ///   - logger: told of launches, passes and failures.
    ///   - register: makes the objects and adds each under its identifier, once for each launch,
    ///     of a scene, before anything is restored. It runs on the application's actor, which keeps the
    ///     objects. What it throws keeps the application from launching.
    ///   - makeModel: makes the model data that the scenes share; nil: there is none.
    /// - Throws: an error that says why the bundle identifier cannot name a folder.
    public init(
        bundleIdentifier: String, bundleVersion: String,
        stateDirectory: ApplicationStateDirectory,
        settings: PreservationSettings = PreservationSettings(),
        scenes: [RestorationIdentifier] = ["main"], logger: Logger,
        register: @escaping @Sendable (RegisteredObjects) throws -> Void = { _ in },
        makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)? = nil
    ) throws {
        try self.init(
            definition: ApplicationDefinition(
                bundleIdentifier: bundleIdentifier, bundleVersion: bundleVersion,
                scenes: scenes, makeClasses: { ClassRegistry() }, makeModel: makeModel,
                makeDelegate: { RegisteringDelegate(model: $0.model, register) }),
            stateDirectory: stateDirectory, settings: settings, logger: logger)
    }

    /// The executor that was given.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Tells at once, and then whenever ``status(scenesAtMost:)`` has something new to say: the phase, or how safe
    /// the state is. What happens while nobody looks is told once.
    public nonisolated var changes: AsyncStream<Void> { signals.changed.subscribe(isTold: true) }

    /// What the application is made of, from its last reload on.
    public var definition: ApplicationDefinition { launches.definition }

    // MARK: Service

    /// Launches the application, serves turns until the graceful shutdown, and ends it.
    ///
    /// - Throws: what kept the last pass from being saved.
    public nonisolated func run() async throws {
        try await withTaskExecutorPreference(taskExecutor) {
            try await withGracefulShutdownHandler {
                await beginService()
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await self.limitRestorations() }
                    group.addTask { await self.serveLaunches() }
                    group.addTask { await self.serveSyncs() }
                    group.addTask { await self.serveCompactions() }
                    group.addTask { await self.serveExternalWaits() }
                    group.addTask { await self.serveReplica() }
                    await self.serveTurns()
                    group.cancelAll()
                }
                let end: Result<Void, any Error> = await self.end()
                await endIntervals()
                await waitForTasks()
                // Its place among the services is behind those that use it.
                if await hasEndedEarly { try await gracefulShutdown() }
                try end.get()
            } onGracefulShutdown: {
                self.turns.finish()
            }
        }
    }

    /// Ends the application if it is being launched: the program is told to end, and who waits for the
    /// launch is told so.
    package func endIfLaunching() {
        guard isLaunching else { return }
        hasEndedEarly = true
        turns.finish()
    }

    private func beginService() {
        intervals = Intervals()
        guard settings.isShared else { return beginLaunch() }
        phase = .stopped
        noteStepEnded()
    }

    private func serveTurns() async {
        await withTaskCancellationHandler {
            while await turns.next() {
                repeat {
                    runTurn(turns.withQueue { $0.takeReason() })
                    if isAnyWaiting { await settings.endTurn() }
                } while isAnyWaiting && !isLaunching
            }
        } onCancel: {
            turns.finish()
        }
    }

    /// Makes the turn of commands that have just come: at once, if nothing else runs, else when it is
    /// this one's time.
    nonisolated func serveCommands() {
        let isServed = ownExecutor?.runAtOnce {
            assumeIsolated { application in
                // Tasks of objects do not begin as parts of the caller's.
                guard case .running(let hosted) = application.phase,
                    application.activity == .active, !hosted.due.contains(where: \.tasks.hasNew)
                else { return application.turns.wake() }
                application.runTurn(application.turns.withQueue { $0.takeReason() })
                if application.isAnyWaiting { application.turns.wake() }
            }
        }
        if isServed != true { turns.wake() }
    }

    /// Whether it has ended before its service was told to.
    private var hasEndedEarly = false

    /// Whether it was told that nobody runs the application.
    private var hasToldOfNoRun = false

    /// Whether a command waits for a turn.
    var isAnyWaiting: Bool { turns.withQueue { !$0.isEmpty } }

    private func serveSyncs() async {
        for await _ in signals.sync.events { await synchronize() }
    }

    private func serveCompactions() async {
        for await job in signals.compaction.events {
            let launchGuard = launches.sceneGuard.launches
            let result = await disk.compaction.run { [bundleIdentifier] in
                launchGuard.readFiles(of: bundleIdentifier) { job.run() }
            }
            endCompaction(job, result)
        }
    }

    private func serveExternalWaits() async {
        for await _ in signals.externalWait.events {
            while let number = external.waitNumber {
                do {
                    try await settings.clock.sleep(for: ExternalChange.patience)
                } catch {
                    return  // The sleep ends early only when the application does.
                }
                endExternalWait(number)
            }
        }
    }

    /// Ends each restoration that is extended for too long (R13).
    private func limitRestorations() async {
        await withDiscardingTaskGroup { group in
            for await name in signals.extended.events {
                guard let launching = hosted?.table.launching, launching.name == name else {
                    continue
                }
                let launch = ObjectIdentifier(launching)
                group.addTask { [settings] in
                    do {
                        try await settings.clock.sleep(for: settings.launchTimeout)
                    } catch {
                        return  // The sleep ends early only when the application does.
                    }
                    await self.endRestoration(launch)
                }
            }
        }
    }

    // MARK: Waiting

    /// Returns when the first launch has come so far that commands are taken, or has failed. A
    /// restoration that is extended is waited for, as long as that may take (R13), but not by an object
    /// that finishes it.
    public func waitUntilReady() async {
        if AwaitedLaunch.unfinished?.application == bundleIdentifier { return }
        await wait { [self] in
            switch phase {
            case .new, .launching: activity == .ended
            case .stopped, .running, .failed: true
            }
        }
    }

    /// Ends the application, which nobody has run, when the program is told to end: who waits for its
    /// launch is told so.
    func endUnlessRun() async {
        do {
            try await gracefulShutdown()
        } catch {
            return  // The wait is over.
        }
        if case .new = phase, activity == .active {
            activity = .ended
            noteStepEnded()
        }
    }

    /// Tells once, after a moment, that nobody runs the application although something waits for that.
    func tellUnlessRun(awaiting identifier: RestorationIdentifier) async {
        do {
            try await settings.clock.sleep(for: .seconds(2))
        } catch {
            return  // The wait is over.
        }
        guard case .new = phase, activity == .active, !hasToldOfNoRun else { return }
        hasToldOfNoRun = true
        log.tell(
            .warning, .notRun,
            "was not started, and \"\(identifier.text)\" waits for it: add the application to the "
                + "service group before the services that use its values, or call its run()")
    }

    /// Returns when the first launch has ended, well or not: also of the scenes that are launched
    /// while commands are taken, see ``PreservationSettings/isLaunchEager``.
    public func waitUntilLaunched() async {
        if AwaitedLaunch.unfinished?.application == bundleIdentifier { return }
        await wait { [self] in
            switch phase {
            case .new, .launching: activity == .ended
            case .running(let hosted): activity == .ended || hosted.isLaunchOver
            case .stopped, .failed: true
            }
        }
    }

    /// Returns when no launch is going on.
    func waitForLaunch() async {
        await wait { [self] in !isLaunching }
    }

    /// Returns when one launch has ended, whatever began after it.
    func waitForLaunch(of launched: HostedScenes?) async {
        await wait { [self] in !isLaunching || hosted !== launched }
    }

    /// Returns when no scene is being launched or exchanged.
    func waitUntilLaunchesEnd() async {
        await wait { [self] in !areScenesLaunching || activity == .ended }
    }

    /// Returns when everything that is written now is durable, or cannot be made so.
    func waitUntilDurable() async -> Saved {
        await withCheckedContinuation { continuation in
            // Looked at in here: a sync that ends before would leave nobody to answer.
            if saver.saved == .written, activity != .ended {
                answerWhenDurable { [self] saved in
                    if case .notSaved = saver.saved {
                        return continuation.resume(returning: saver.saved)
                    }
                    continuation.resume(returning: saved)
                }
            } else {
                continuation.resume(returning: saver.saved)
            }
        }
    }

    /// Returns when every task has, so that nothing runs on the executor that is about to go; one
    /// that goes on in spite of its cancellation is not waited for long.
    private func waitForTasks() async {
        if tasks.areOver { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [settings] in
                do { try await settings.clock.sleep(for: RunningTasks.patience) } catch { return }
                await self.giveUpTasks()
            }
            await wait { [self] in tasks.areOver }
            group.cancelAll()
        }
    }

    private func giveUpTasks() {
        tasks.giveUp()
        noteStepEnded()
    }

    /// Returns when the application's service has begun, or has ended.
    func waitUntilServed() async {
        await wait { [self] in
            if case .new = phase { activity == .ended } else { true }
        }
    }

    /// Returns when something is so.
    private func wait(until isSo: @escaping () -> Bool) async {
        while !isSo() {
            await withCheckedContinuation { continuation in
                // Looked at in here as well: it may have become so meanwhile.
                if isSo() { continuation.resume() } else { waiters.append(isSo, continuation) }
            }
        }
    }

    /// Something may have become so that somebody waits for, or that the status tells. Call it at
    /// the end of whatever changes the application.
    func noteStepEnded() {
        saver.noteDurability(since: settings.moment)
        waiters.resume()
        let (isSavedChanged, isDurable) = saver.takeSavedChange()
        if isDurable { log.follow([ApplicationEvent(.durable)]) }
        if isSavedChanged { signals.changed.send() }
        beginIntervals()
    }

    // MARK: Looking

    /// The scenes while the application is launching or running.
    var hosted: HostedScenes? {
        switch phase {
        case .launching(let hosted), .running(let hosted): hosted
        case .new, .stopped, .failed: nil
        }
    }

    /// Whether commands have to wait for the launch.
    var isLaunching: Bool {
        if case .launching = phase { true } else { false }
    }

    /// Whether a scene is being launched or exchanged.
    var areScenesLaunching: Bool {
        hosted.map { isLaunching || change != nil || $0.table.isLaunching } ?? false
    }

    /// Commands that come from now on are taken, or refused.
    private func noteTaking() {
        turns.refusal = hosted == nil || activity != .active ? notTaking : nil
    }

    var log: ApplicationLog { saver.log }

    /// What lies in an application's quarantine, before anything of this start can.
    private static func quarantined(in archive: ApplicationArchive, _ log: ApplicationLog)
        -> [KeptFile]
    {
        do throws(IOError) {
            return try archive.quarantined(readsReasons: false)
        } catch {
            log.tell(
                .warning, .quarantineUnreadable,
                "the quarantine cannot be listed, so all files in it count as new: \(error)"
            )
            return []
        }
    }

    /// What an operator wants to know.
    ///
    /// - Parameter limit: how many scenes it tells of at most.
    public func status(scenesAtMost limit: Int = ApplicationStatus.mostScenes) -> ApplicationStatus
    {
        var status = ApplicationStatus(
            bundleIdentifier: bundleIdentifier, bundleVersion: definition.bundleVersion,
            phase: .stopped, scenes: sceneStatuses(atMost: limit), saved: saver.saved,
            notDurableWrites: Int(saver.archive.writeNumber - saver.archive.durableWriteNumber),
            notDurableSince: (saver.notDurable?.time).map { Date(microseconds: $0) },
            lastPass: saver.lastPass.map { Date(microseconds: $0) },
            lastError: unkeptProblem ?? log.lastProblem,
            lastErrorTime: log.lastProblemTime.map { Date(microseconds: $0) })
        if status.lastError == nil, let problem = launches.sceneGuard.earlierProblem {
            status.lastError = "before the last start: \(problem.sentence)"
            status.lastErrorTime = Date(microseconds: problem.time)
        }
        status.launchedSceneCount = hosted?.table.launched.count ?? 0
        status.failedSceneCount = hosted?.table.failures.count ?? 0
        status.savedSceneCount = saver.archive.sceneCount
        status.savedObjectCount = saver.archive.objectCount
        status.notKept = saver.generations.failure
        status.notReplicated = tenancy?.replica.progress.lag
        status.notDurableTime = saver.notDurable?.elapsed()
        status.interval = settings.interval
        status.isUnwanted = saver.isUnwanted
        switch phase {
        case .new, .stopped: break
        case .launching: status.phase = .launching
        case .failed(let reason): status.phase = .failed(reason: reason)
        case .running: status.phase = .running
        }
        return status
    }

    private func sceneStatuses(atMost limit: Int = .max) -> [SceneStatus] {
        if let hosted { return hosted.names(atMost: limit).map(hosted.status) }
        return saver.archive.scenes(atMost: limit).map { SceneStatus(name: $0.name, phase: .saved) }
    }

    /// What an operator wants to know of each scene, launched or only saved.
    public func scenes() -> [SceneStatus] { sceneStatuses() }

    /// What the last launch of a scene restored, and what it did not (R15).
    ///
    /// - Parameter scene: the scene's name; nil: the first configured one.
    /// - Throws: ``ApplicationError`` if the application has no such scene, or did not launch it.
    public func report(scene: String? = nil) throws -> RestorationReport {
        try launchedScene(scene).report
    }

    /// The name of a scene that is launched, or being launched, and what its launch restored (R15).
    ///
    /// - Parameter scene: the scene's name; nil: the first configured one.
    /// - Throws: ``ApplicationError`` if the application has no such scene, or did not launch it.
    package func launchedScene(
        _ scene: String? = nil
    ) throws -> (name: RestorationIdentifier, report: RestorationReport) {
        guard let hosted else { throw notTaking }
        let name = scene.map(RestorationIdentifier.init(recorded:)) ?? hosted.firstName
        guard let name, hosted.isKnown(name) else { throw noSuchScene(name, in: hosted) }
        let status = hosted.status(of: name)
        if case .failed(let reason) = status.phase { throw sceneFailed(name, reason) }
        guard var report = status.report else {
            throw ApplicationError.sceneNotLaunched(
                application: bundleIdentifier, scene: name.text)
        }
        if case .launched(let scene) = hosted.state(of: name) {
            report.unclaimed = min(report.unclaimed, scene.scene.records.unclaimedCount)
        }
        return (name, report)
    }

    /// The reserved values of a pass made now (P4).
    package func stamp() -> PassStamp {
        PassStamp(
            bundleVersion: definition.bundleVersion, timestamp: settings.now(),
            systemVersion: settings.systemVersion)
    }

    /// Makes the program end as soon as a launch, a turn or a pass of this application reaches a
    /// stage. In memory alone: the next program knows nothing of it.
    ///
    /// - Parameters:
    ///   - stage: where. A stage of a launch waits for the next one.
    ///   - action: how.
    package func armDebugExit(stage: Stage, action: DebugExitAction) {
        launches.arm(DebugExit(stage: stage, action: action))
    }

    /// Tells somebody what happens from now on; false if somebody else is told.
    package func follow(by follower: any ApplicationFollower) -> Bool {
        guard settings.follower == nil else { return false }
        settings.follower = follower
        log.follower = follower
        return true
    }

    /// Tells nobody any more.
    package func endFollowing() {
        settings.follower = nil
        log.follower = nil
    }

    /// Takes other settings from now on, of what is running too.
    ///
    /// The clocks and the system's version stay those that the application was made with. Limits of
    /// values count from the next time that an object encodes, and those of history and quarantine
    /// at once: the oldest that are too many go. A restoration that is extended keeps the time that
    /// it was given.
    public func apply(_ new: PreservationSettings) {
        let before = settings
        settings = new
        settings.clock = before.clock
        settings.now = before.now
        settings.systemVersion = before.systemVersion
        settings.follower = before.follower
        settings.endTurn = before.endTurn
        settings.metrics = before.metrics
        settings.isShared = before.isShared
        launches.crashLimit = new.crashLimit
        hosted?.limits = new.limits
        saver.looksForForgottenMarksAtOnce = new.looksForForgottenMarksAtOnce
        saver.generations.apply(new)
        pruneQuarantine()
        if new.interval != before.interval || new.history.interval != before.history.interval
            || new.idleTime != before.idleTime
        {
            restartIntervals()
        }
    }

    // MARK: What was saved

    var savedHistory: SavedHistory {
        SavedHistory(saver.archive, application: bundleIdentifier, queue: disk.history)
    }

    /// The generations of the application, the oldest first. It need not run for that.
    ///
    /// - Throws: ``ApplicationError/historyUnreadable(application:reason:)``, also during the graceful shutdown of the program.
    public func history() async throws(ApplicationError) -> [SavedGeneration] {
        try await history(before: nil, limit: .max).generations
    }

    /// The newest generations of the application, the oldest of them first. It need not run for that.
    ///
    /// - Parameters:
    ///   - name: Only generations that are older than the one of this name; `nil`: all.
    ///   - limit: The most generations.
    /// - Returns: The generations, and how many older ones the limit leaves out.
    /// - Throws: ``ApplicationError/historyUnreadable(application:reason:)``, also during the graceful shutdown of the
    ///   program, or ``ApplicationError/noSuchGeneration(application:generation:generations:)`` if `name` is no generation's name.
    package func history(
        before name: String?, limit: Int
    ) async throws(ApplicationError) -> (generations: [SavedGeneration], omitted: Int) {
        try await savedHistory.generations(before: name, limit: limit)
    }

    /// Finds the newest generation that holds an object.
    ///
    /// - Parameters:
    ///   - path: Restoration path of the object.
    ///   - scene: Name of its scene.
    /// - Returns: A sentence with the command that goes back to the generation, or `nil` if no generation holds the
    ///   object.
    package func copy(
        of path: String, in scene: RestorationIdentifier
    ) async throws(ApplicationError) -> String? {
        try await savedHistory.copy(of: path, in: scene)
    }

    /// Compares a generation with another one, or with what is saved now, value by value.
    ///
    /// If the application runs, a full pass is made first for what is saved now (P18).
    ///
    /// - Parameters:
    ///   - from: the name of a generation, with or without the zeros in front.
    ///   - to: the name of another one; nil: what is saved now.
    /// - Throws: ``ApplicationError``: `noSuchGeneration`, `generationUnreadable`,
    ///   `historyUnreadable`, or `notRunning` or `failed` if nothing is known of what is saved now.
    public func diff(
        from: String, to: String? = nil
    ) async throws(ApplicationError) -> GenerationComparison {
        try await diff(from: from, to: to, looking: false)
    }

    /// Compares a generation, like ``diff(from:to:)``.
    ///
    /// - Parameter isLook: whether nothing is to be saved or read anew for it: what the last pass saved
    ///   counts, and an application whose archive was not read yet is `notRunning`.
    package func diff(
        from: String, to: String?, looking isLook: Bool
    ) async throws(ApplicationError) -> GenerationComparison {
        let history = savedHistory
        let first = try await history.read(from)
        let second: KeptContents
        if let to {
            second = try await history.read(to)
        } else {
            await waitForLaunch()
            if hosted != nil, !isLook { runTurn(.demand) }
            second = KeptContents(path: archivePath, contents: try savedNow(looking: isLook))
        }
        return try await history.compare(first, named: from, with: second, named: to)
    }

    /// How a scene looked when it was saved, as text.
    ///
    /// It is told of when every object was looked at last: at a stop, when the scene was closed, or
    /// before an earlier state was kept. The application need not run for that.
    ///
    /// - Parameters:
    ///   - scene: the scene's name; nil: the first configured one.
    ///   - source: which state.
    /// - Returns: nil if nothing was kept of how it looked.
    /// - Throws: ``ApplicationError``: `noSuchScene` if the state has no such scene, and what tells
    ///   that the state cannot be read.
    public func snapshot(
        of scene: String? = nil, in source: SavedStateSource
    ) async throws(ApplicationError) -> SceneSnapshot? {
        try await snapshot(of: scene, in: source, looking: false)
    }

    /// How a scene looked when it was saved, like ``snapshot(of:in:)``.
    ///
    /// - Parameter isLook: whether nothing is to be read anew for it: an application whose archive was
    ///   not read yet is `notRunning`.
    package func snapshot(
        of scene: String?, in source: SavedStateSource, looking isLook: Bool
    ) async throws(ApplicationError) -> SceneSnapshot? {
        let contents: ArchiveContents
        switch source {
        case .saved: contents = try savedNow(looking: isLook)
        case .generation(let name): contents = try await savedHistory.read(name).contents
        case .quarantined(let name):
            contents = try await savedHistory.readQuarantined(name).contents
        }
        let scenes = contents.savedScenes
        let name = scene ?? definition.scenes.first?.text ?? scenes.first?.name.text ?? ""
        guard let found = scenes.first(where: { $0.name.text == name }) else {
            if case .generation(let generation) = source {
                throw .generationUnreadable(
                    application: bundleIdentifier, generation: generation,
                    reason: "it has no scene \(name), but "
                        + scenes.map(\.name.text).joined(separator: ", "))
            }
            throw .noSuchScene(
                application: bundleIdentifier, scene: name, scenes: scenes.map(\.name.text))
        }
        return found.saved.reservedState(names: NameTable(contents.names)).snapshot
    }

    /// What is saved now.
    ///
    /// - Parameter isLook: whether the archive is not to be read for it, which may put a damaged one
    ///   into quarantine, and keep a generation.
    private func savedNow(looking isLook: Bool) throws(ApplicationError) -> ArchiveContents {
        if !isLook {
            do throws(SaveError) {
                try loadUnlaunched()
            } catch {
                throw .failed(application: bundleIdentifier, reason: "\(error)")
            }
        }
        guard let contents = saver.archive.contents else { throw notTaking }
        return contents
    }

    /// What lies in the application's quarantine, the oldest first. It need not run for that.
    ///
    /// - Throws: ``ApplicationError/quarantineUnreadable(application:reason:)``.
    public func quarantined() async throws(ApplicationError) -> [QuarantineEntry] {
        try await savedHistory.quarantined()
    }

    /// Counts entries of the quarantine as known: they are not new any more.
    func acknowledge(_ entries: [QuarantineEntry]) {
        quarantinedBefore.formUnion(entries.map(QuarantinedFile.init))
    }

    /// What lies in quarantine since this was made, the oldest first, without the reasons.
    package func newlyQuarantined() async throws(ApplicationError) -> [QuarantineEntry] {
        do throws(ApplicationError) {
            let entries = try await savedHistory.quarantined(readsReasons: false)
            quarantineProblem = nil
            return entries.filter { !quarantinedBefore.contains(QuarantinedFile($0)) }
        } catch {
            if quarantineProblem != "\(error)" {
                log.tell(.warning, .quarantineUnreadable, "\(error)")
            }
            quarantineProblem = "\(error)"
            throw error
        }
    }
}

/// Identity of a file in quarantine.
struct QuarantinedFile: Hashable {
    let name: ExactString
    /// When it was put there, or `nil` if that is not known.
    let time: Date?
}

extension QuarantinedFile {
    /// Identity of an entry.
    init(_ entry: QuarantineEntry) {
        self.init(name: ExactString(entry.name), time: entry.time)
    }
}
