public import Logging
import SavedState
public import ServiceLifecycle
public import StateRestoration

/// One application: launches its scenes, runs commands on them in turns, and saves what changed.
///
/// Everything of an application is confined to this actor, which runs on the executor it was given.
/// As a `Service` it launches the application, serves turns until the graceful shutdown, and ends
/// it in an orderly way.
public actor Application: Service {
    /// What the application is made of.
    public nonisolated let definition: ApplicationDefinition
    /// Tells that ``status()`` has something new to say: the phase, or how safe the state is.
    public nonisolated let changes: AsyncStream<Void>
    private let changeFeed: AsyncStream<Void>.Continuation
    private nonisolated let executor: any SerialExecutor
    private let settings: PreservationSettings
    private let log: ApplicationLog
    private let archive: ApplicationArchive
    private let wakeUps = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private var phase = Phase.stopped {
        didSet { changeFeed.yield() }
    }
    private var queue = TurnQueue<Command>()
    private var hasLaunched = false
    private var hasEnded = false
    private var launchWaiters: [CheckedContinuation<Void, Never>] = []
    private var saver: StateSaver {
        didSet { if saver.saved != oldValue.saved { changeFeed.yield() } }
    }

    private enum Phase {
        case stopped
        case launching
        case running(LaunchedScenes)
        case failed(reason: String)
    }

    /// Runs a command and gives what answers it once its change is saved.
    private typealias Command = () -> (Saved) -> Void

    /// - Parameters:
    ///   - definition: what the application is made of.
    ///   - stateDirectory: where its state lies.
    ///   - settings: how often to save, and by which clock.
    ///   - executor: where everything of the application runs; an event loop of the control server,
    ///     so that a command changes no thread.
    ///   - logger: told of launches, passes and failures.
    /// - Throws: an error that says why the bundle identifier cannot name a folder.
    public init(
        definition: ApplicationDefinition, stateDirectory: ApplicationStateDirectory,
        settings: PreservationSettings, executor: any SerialExecutor, logger: Logger
    ) throws {
        self.definition = definition
        self.executor = executor
        self.settings = settings
        log = ApplicationLog(logger, application: definition.bundleIdentifier)
        (changes, changeFeed) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        archive = try stateDirectory.archive(of: definition.bundleIdentifier)
        saver = StateSaver(archive: archive, log: log)
    }

    /// The executor that was given.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    // MARK: Service

    /// Launches the application, serves turns until the graceful shutdown, and ends it.
    ///
    /// - Throws: what kept the last pass from being saved.
    public nonisolated func run() async throws {
        try await withGracefulShutdownHandler {
            await start()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.countIntervals() }
                await self.serveTurns()
                group.cancelAll()
            }
            try await end()
        } onGracefulShutdown: {
            self.wakeUps.continuation.finish()
        }
    }

    /// Returns when the first launch has ended, well or not.
    public func waitUntilLaunched() async {
        if hasLaunched { return }
        await withCheckedContinuation { launchWaiters.append($0) }
    }

    private func start() {
        launchScenes()
        hasLaunched = true
        for waiter in launchWaiters { waiter.resume() }
        launchWaiters = []
    }

    /// Nobody serves turns from now on, so nothing may wait for one.
    private func end() throws {
        hasEnded = true
        try quit()
    }

    private func countIntervals() async {
        do {
            while true {
                try await settings.clock.sleep(for: settings.interval)
                queue.markInterval()
                wakeUps.continuation.yield()
            }
        } catch {
            return  // The sleep ends early only when the application does.
        }
    }

    private func serveTurns() async {
        for await _ in wakeUps.stream {
            repeat {
                runTurn(queue.takeReason())
                if !queue.isEmpty { await Task.yield() }
            } while !queue.isEmpty
        }
    }

    // MARK: Commands

    /// Runs a command on a scene, in a turn of the application (P14): the answer comes after what
    /// the command changed was saved.
    ///
    /// - Parameters:
    ///   - scene: the scene's name; nil: the one that was launched first.
    ///   - body: the command. It runs on the application's actor.
    /// - Throws: ``ApplicationError``, or what the command threw.
    public func perform<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> Reply<Result> {
        try checkRunning()
        guard queue.hasRoom else {
            throw ApplicationError.tooManyCommands(
                application: definition.bundleIdentifier,
                limit: TurnQueue<Command>.maximumWaiting)
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.append { [self] in
                do {
                    let result = try body(try self.scene(scene))
                    return { continuation.resume(returning: Reply(result: result, saved: $0)) }
                } catch {
                    return { _ in continuation.resume(throwing: error) }
                }
            }
            wakeUps.continuation.yield()
        }
    }

    /// Makes a full pass, and returns when everything is durable, or cannot be made so.
    ///
    /// - Throws: ``ApplicationError`` if the application is not running.
    public func preserve() async throws -> Saved {
        try checkRunning()
        let saved = runTurn(.demand)
        guard saved == .written else { return saved }
        do {
            try await archive.synchronize()
            return .durable
        } catch {
            return .no(reason: String(describing: error))
        }
    }

    /// Ends the application in an orderly way: a last full pass, and the archive is closed. Does
    /// nothing if it is not running.
    ///
    /// - Throws: what kept the last pass from being saved. The application has ended all the same.
    public func quit() throws {
        while !queue.isEmpty { runTurn(.commands) }
        guard case .running = phase else { return }
        runTurn(.stop)
        phase = .stopped
        try saver.close()
        let isSaved = saver.saved == .durable
        log.tell(.notice, .stopped, isSaved ? "stopped, everything is saved" : "stopped")
    }

    /// Launches the application again after ``quit()``, or after a launch that failed.
    ///
    /// - Throws: ``ApplicationError`` if it is running, if its service has ended, or if it cannot
    ///   be launched.
    public func launch() throws {
        if hasEnded { throw ApplicationError.ending(application: definition.bundleIdentifier) }
        if case .running = phase {
            throw ApplicationError.alreadyRunning(application: definition.bundleIdentifier)
        }
        launchScenes()
        try checkRunning()
    }

    /// What an operator wants to know.
    public func status() -> ApplicationStatus {
        var status = ApplicationStatus(
            bundleIdentifier: definition.bundleIdentifier,
            bundleVersion: definition.bundleVersion, phase: .stopped, scenes: [],
            saved: saver.saved, lastPass: saver.lastPass, lastError: saver.lastError)
        switch phase {
        case .stopped: break
        case .launching: status.phase = .launching
        case .failed(let reason): status.phase = .failed(reason: reason)
        case .running(let launched):
            status.phase = .running
            status.scenes = launched.scenes.map {
                SceneStatus(name: $0.name, report: $0.report)
            }
        }
        return status
    }

    /// The reserved values of a pass made now (P4).
    public func stamp() -> PassStamp {
        PassStamp(
            bundleVersion: definition.bundleVersion, timestamp: settings.now(),
            systemVersion: settings.systemVersion)
    }

    private func checkRunning() throws(ApplicationError) {
        switch phase {
        case .running: return
        case .failed(let reason):
            throw .failed(application: definition.bundleIdentifier, reason: reason)
        case .stopped, .launching:
            throw .notRunning(application: definition.bundleIdentifier)
        }
    }

    private func scene(_ name: String?) throws(ApplicationError) -> Scene {
        try checkRunning()
        guard case .running(let launched) = phase, let scene = launched.scene(name) else {
            throw .noSuchScene(
                application: definition.bundleIdentifier, scene: name ?? "",
                scenes: runningScenes.map(\.name.text))
        }
        return scene
    }

    private var runningScenes: [Scene] {
        if case .running(let launched) = phase { launched.scenes } else { [] }
    }

    // MARK: Launch

    private func launchScenes() {
        phase = .launching
        saver.begin()
        do {
            let launcher = SceneLauncher(definition: definition, archive: archive, log: log)
            let launch = try launcher.launch(
                onMark: { [wakeUps] in wakeUps.continuation.yield() })
            if let damage = launch.damage { saver.note(damage) }
            saver.noteLastPass(launch.lastPass)
            phase = .running(launch.scenes)
            saver.markOpened()
            runTurn(.launch)
        } catch {
            let reason = String(describing: error)
            phase = .failed(reason: reason)
            saver.note(reason)
            log.tell(.error, .launchFailed, "could not be launched: \(reason)", reason: reason)
        }
    }

    // MARK: Turns

    @discardableResult
    private func runTurn(_ reason: TurnReason) -> Saved {
        let answers = queue.takeTurn().map { $0() }
        if case .stopped = phase {
            saver.closeIfUnsaved()
        } else {
            saver.save(runningScenes, reason, stamp: stamp)
        }
        let saved = saver.saved
        for answer in answers { answer(saved) }
        return saved
    }
}
