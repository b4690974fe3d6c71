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
    /// The most commands that one turn runs (P14).
    static let commandsPerTurn = 64
    /// The most commands that may be waiting.
    static let maximumWaiting = 8192

    /// What the application is made of.
    public nonisolated let definition: ApplicationDefinition
    let log: ApplicationLog
    let now: @Sendable () -> Int64

    /// Tells that ``status()`` has something new to say: the phase, or how safe the state is.
    public nonisolated let changes: AsyncStream<Void>
    private let changeFeed: AsyncStream<Void>.Continuation
    private nonisolated let executor: any SerialExecutor
    private let settings: PreservationSettings
    private let archive: ApplicationArchive
    private let wakeUps = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private var phase = Phase.stopped {
        didSet { changeFeed.yield() }
    }
    private var waiting: [Command] = []
    private var isIntervalDue = false
    private var hasLaunched = false
    private var launchWaiters: [CheckedContinuation<Void, Never>] = []
    private var saved = Saved.durable {
        didSet { if saved != oldValue { changeFeed.yield() } }
    }
    private var lastPass: Int64?
    private var lastError: String?

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
        now = settings.now
        log = ApplicationLog(logger, application: definition.bundleIdentifier)
        (changes, changeFeed) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        archive = try stateDirectory.archive(of: definition.bundleIdentifier)
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
            try await quit()
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

    private func countIntervals() async {
        do {
            while true {
                try await settings.clock.sleep(for: settings.interval)
                isIntervalDue = true
                wakeUps.continuation.yield()
            }
        } catch {
            return  // The sleep ends early only when the application does.
        }
    }

    private func serveTurns() async {
        for await _ in wakeUps.stream {
            repeat {
                let reason: TurnReason = isIntervalDue ? .interval : .commands
                isIntervalDue = false
                runTurn(reason)
                if !waiting.isEmpty { await Task.yield() }
            } while !waiting.isEmpty
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
        guard waiting.count < Self.maximumWaiting else {
            throw ApplicationError.tooManyCommands(
                application: definition.bundleIdentifier, limit: Self.maximumWaiting)
        }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append { [self] in
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
        while !waiting.isEmpty { runTurn(.commands) }
        guard case .running = phase else { return }
        let saved = runTurn(.stop)
        phase = .stopped
        do {
            try archive.close()
        } catch {
            log.tell(.error, .saveFailed, "could not close the saved state: \(error)")
            throw error
        }
        if case .no(let reason) = saved { throw UnsavedStop(reason: reason) }
        log.tell(.notice, .stopped, "stopped, everything is saved")
    }

    /// Launches the application again after ``quit()``, or after a launch that failed.
    ///
    /// - Throws: ``ApplicationError`` if it is running, or if it cannot be launched.
    public func launch() throws {
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
            bundleVersion: definition.bundleVersion, phase: .stopped, scenes: [], saved: saved,
            lastPass: lastPass, lastError: lastError)
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
            bundleVersion: definition.bundleVersion, timestamp: now(),
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
        do {
            let launched = try loadAndLaunch()
            phase = .running(launched)
            markOpened()
            runTurn(.launch)
        } catch {
            let reason = String(describing: error)
            phase = .failed(reason: reason)
            lastError = reason
            log.tell(.error, .launchFailed, "could not be launched: \(reason)", reason: reason)
        }
    }

    /// From now on a launch that follows tells `recover`, unless the application is quit (R2).
    private func markOpened() {
        do {
            try archive.markOpened()
        } catch {
            noteUnsaved(String(describing: error))
        }
    }

    private func loadAndLaunch() throws -> LaunchedScenes {
        let classes = definition.makeClasses()
        try classes.validate()
        let (contents, reason) = try loadArchive()
        let launched = LaunchedScenes(contents: contents, classes: classes)
        let savedScenes = contents?.savedScenes() ?? [:]
        for name in definition.scenes {
            let saved = savedScenes[name]
            let scene = try launched.launch(
                name, of: definition, reason: saved == nil ? .pristine : reason,
                restoring: saved,
                onMark: { [wakeUps] in wakeUps.continuation.yield() })
            tellLaunch(of: scene)
        }
        return launched
    }

    private func loadArchive() throws -> (ArchiveContents?, LaunchReason) {
        switch try archive.load() {
        case .none:
            return (nil, .pristine)
        case .loaded(let contents, let torn):
            if let torn {
                log.tell(
                    .warning, .quarantined,
                    "the saved state ended in \(torn.byteCount) bytes that were never complete, "
                        + "at offset \(torn.offset): \(torn.reason); they were cut")
            }
            return (contents, contents.closed ? .restore : .recover)
        case .damaged(let damage):
            let outcome =
                damage.salvaged == nil ? "the launch is pristine" : "an older state is used"
            let sentence =
                "the saved state is damaged at offset \(damage.offset): \(damage.reason); "
                + "it is kept as \(damage.quarantinedAs), and \(outcome)"
            lastError = sentence
            log.tell(.error, .quarantined, sentence, reason: damage.reason)
            return (damage.salvaged, .recover)
        }
    }

    private func tellLaunch(of scene: Scene) {
        let report = scene.report
        let name = scene.name.text
        let reason = report.reason.rawValue
        log.tell(.notice, .launched, "launched (\(reason))", scene: name, reason: reason)
        guard report.reason != .pristine else { return }
        log.tell(
            .notice, .restored, "restored \(report.restored) of \(report.recorded) objects",
            scene: name, reason: reason)
        for object in report.unrestored.prefix(100) {
            log.tell(
                .warning, .notRestored,
                "\(object.path) was not restored (\(object.code.rawValue)): \(object.detail)",
                scene: name, path: object.path, reason: object.code.rawValue)
        }
    }

    // MARK: Turns

    @discardableResult
    private func runTurn(_ reason: TurnReason) -> Saved {
        let batch = waiting.prefix(Self.commandsPerTurn)
        waiting.removeFirst(batch.count)
        let answers = batch.map { $0() }
        save(reason)
        for answer in answers { answer(saved) }
        return saved
    }

    private func save(_ reason: TurnReason) {
        var records = TurnRecords()
        var unwilling: String?
        for scene in runningScenes {
            let stamp = stamp()
            guard let pass = scene.preserve(stamp, isFull: reason.isFull) else {
                if scene.needsPass {
                    unwilling = "the application does not save the scene \(scene.name)"
                }
                continue
            }
            for diagnostic in pass.diagnostics {
                log.tell(.warning, .notPreserved, "\(diagnostic)", scene: scene.name.text)
            }
            if !pass.isEmpty {
                records.add(pass)
                lastPass = stamp.timestamp
            }
            let level: Logger.Level = reason == .commands || reason == .interval ? .debug : .info
            log.tell(
                level, .passed,
                "preserved: \(pass.encodedCount) objects looked at, \(pass.objects.count) written, "
                    + "\(pass.removals.count) removed",
                scene: scene.name.text, reason: reason.rawValue)
        }
        write(records)
        if let unwilling, saved == .durable || saved == .written { saved = .no(reason: unwilling) }
    }

    private func write(_ records: TurnRecords) {
        let wasUnsaved = isUnsaved
        if records.isEmpty && !wasUnsaved { return }
        do {
            saved = try archive.append(records) == .durable ? .durable : .written
            if wasUnsaved { log.tell(.notice, .saveResumed, "saving works again") }
        } catch {
            noteUnsaved(String(describing: error))
        }
    }

    private var isUnsaved: Bool {
        if case .no = saved { true } else { false }
    }

    private func noteUnsaved(_ reason: String) {
        if !isUnsaved {
            log.tell(.error, .saveFailed, "could not save: \(reason)", reason: reason)
        }
        saved = .no(reason: reason)
        lastError = reason
    }
}

/// The application ended, and its last state could not be saved.
public struct UnsavedStop: Error, CustomStringConvertible {
    /// Why not.
    public let reason: String

    /// One sentence.
    public var description: String { "the last state could not be saved: \(reason)" }
}
