public import Logging
import SavedState
public import ServiceLifecycle
import StateRestoration

/// One application: launches its scenes, runs commands on them in turns, and saves what changed.
///
/// Everything of an application is confined to this actor, which runs on the executor it was given.
/// As a `Service` it launches the application, serves turns until the graceful shutdown, and ends
/// it in an orderly way.
public actor Application: Service {
    /// What names the application, and its folder.
    public nonisolated let bundleIdentifier: String
    /// The path of the archive, whether it exists or not; see ``lookAtArchive()``.
    public nonisolated let archivePath: String
    /// What the application is made of, from its last reload on.
    public internal(set) var definition: ApplicationDefinition
    /// Tells that ``status()`` has something new to say: the phase, or how safe the state is.
    public nonisolated let changes: AsyncStream<Void>
    let changeFeed: AsyncStream<Void>.Continuation
    package internal(set) var settings: PreservationSettings
    let log: ApplicationLog
    let archive: ApplicationArchive
    let documents: DocumentsFolder
    /// Sees to it that a crash while a scene is launched does not repeat itself (L2).
    let launches: LaunchGuard
    /// What lets one scene of the process be launched at a time.
    let ticket: LaunchGate.Ticket
    let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The scenes whose restoration is extended, each with the time that it is given (R13).
    let restorations = AsyncStream.makeStream(
        of: RestorationIdentifier.self, bufferingPolicy: .bufferingNewest(16))
    /// Asks for another look at an archive that another program changed (L4).
    let outsideWaits = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Tells that the intervals of the settings are others now.
    let intervalChanges = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let syncRequests = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let compactions = AsyncStream.makeStream(
        of: CompactionJob.self, bufferingPolicy: .bufferingNewest(1))
    let syncQueue: DiskQueue
    let compactionQueue: DiskQueue
    let historyQueue: DiskQueue
    private nonisolated let executor: any SerialExecutor

    var phase = Phase.stopped {
        didSet { changeFeed.yield() }
    }
    var queue = TurnQueue<SceneCommand, RestorationIdentifier>()
    var saver: StateSaver {
        didSet {
            if saver.saved != oldValue.saved { changeFeed.yield() }
            if saver.lastError != oldValue.lastError { lastErrorTime = settings.now() }
        }
    }
    /// When the last thing that went wrong did so first.
    var lastErrorTime: Int64?
    var durabilityWaiters = DurabilityWaiters()
    /// Since when something is written and not durable, or not even written.
    var notDurableSince: Int64?
    var debugExit: DebugExit?
    var hasEnded = false
    /// How many bodies run that objects of scenes have asked for (S4).
    var runningTasks = 0
    var taskWaiter: CheckedContinuation<Void, Never>?
    /// Who waits until no scene is being launched or exchanged.
    var settlingWaiters: [CheckedContinuation<Void, Never>] = []
    /// Whether another program may have changed the archive while that could not be looked at.
    var isLookNeeded = false
    /// What another program did to the archive, and is to be looked at again; nil: nothing.
    var outsideWait: OutsideWait?
    /// The number of the last one.
    var lastOutsideWait = 0
    /// The answers of commands that wait for that.
    var withheldAnswers: [SceneCommand.Answer] = []
    /// Whether a look has led to another attempt to save since the last turn: an attempt that fails may
    /// bring about the next look, by the names that it changed.
    var isRetried = false
    /// What another program put in the archive's place and is in memory alone; nil: nothing.
    var refused: RefusedArchive?
    /// How many launches of the application have begun.
    var launchCount = 0
    /// Whether the application is ending in an orderly way, and begins nothing any more.
    var isEnding = false
    private var hasLaunched = false
    private var launchWaiters: [CheckedContinuation<Void, Never>] = []

    enum Phase {
        case stopped
        case launching(HostedScenes)
        case running(HostedScenes)
        case failed(reason: String)
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
        self.definition = definition
        self.executor = executor ?? SerialQueueExecutor(label: definition.bundleIdentifier)
        self.settings = settings
        syncQueue = DiskQueue(label: "\(definition.bundleIdentifier).sync")
        compactionQueue = DiskQueue(label: "\(definition.bundleIdentifier).compact")
        historyQueue = DiskQueue(label: "\(definition.bundleIdentifier).history")
        log = ApplicationLog(logger, application: definition.bundleIdentifier)
        (changes, changeFeed) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        archive = try stateDirectory.archive(of: definition.bundleIdentifier)
        archivePath = archive.path
        documents = stateDirectory.documents(of: definition.bundleIdentifier)
        saver = StateSaver(archive: archive, log: log, history: settings.history)
        launches = stateDirectory.launchGuard
        ticket = launches.gate.makeTicket()
    }

    /// The executor that was given.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// The scenes while the application is launching or running.
    var hosted: HostedScenes? {
        switch phase {
        case .launching(let hosted), .running(let hosted): hosted
        case .stopped, .failed: nil
        }
    }

    // MARK: Service

    /// Launches the application, serves turns until the graceful shutdown, and ends it.
    ///
    /// - Throws: what kept the last pass from being saved.
    public nonisolated func run() async throws {
        try await withGracefulShutdownHandler {
            await beginLaunch()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.countIntervals() }
                group.addTask { await self.limitRestorations() }
                group.addTask { await self.serveSyncs() }
                group.addTask { await self.serveCompactions() }
                group.addTask { await self.serveOutsideWaits() }
                await self.serveTurns()
                group.cancelAll()
            }
            do {
                try await end()
            } catch {
                await waitForTasks()
                throw error
            }
            await waitForTasks()
        } onGracefulShutdown: {
            self.wakeUps.continuation.finish()
        }
    }

    /// Returns when the first launch has ended, well or not. One whose restoration was extended has
    /// ended when that is complete, or its time is over (R13).
    public func waitUntilLaunched() async {
        if hasLaunched { return }
        await waitForLaunch()
    }

    /// Returns when the launch that is going on, or the next one, has ended.
    func waitForLaunch() async {
        await withCheckedContinuation { launchWaiters.append($0) }
    }

    /// The launch has ended, well or not.
    func noteLaunchEnded() {
        hasLaunched = true
        let waiters = launchWaiters
        launchWaiters = []
        for waiter in waiters { waiter.resume() }
        noteSettled()
    }

    /// Nobody serves turns from now on, so nothing may wait for one.
    private func end() throws {
        hasEnded = true
        defer { noteLaunchEnded() }
        try quit()
    }

    private func serveTurns() async {
        for await _ in wakeUps.stream {
            repeat {
                runTurn(queue.takeReason())
                if !queue.isEmpty { await Task.yield() }
            } while !queue.isEmpty && !isLaunching
        }
    }

    /// Whether commands have to wait for the launch.
    var isLaunching: Bool {
        if case .launching = phase { true } else { false }
    }
}
