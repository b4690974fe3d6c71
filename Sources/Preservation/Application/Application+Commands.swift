import ExactText
import LinuxIO
import SavedState
public import StateRestoration

// Commands, the turns that run them, and the durability of their changes (P14).

extension Application {
    /// Runs a command that changes a scene, in a turn of the application (P14).
    ///
    /// The method returns after the command's changes are saved. A scene that is saved but not launched is
    /// launched first (S3). While the application or the scene is being launched, the command waits.
    ///
    /// If the task is cancelled before the command runs, the command does not run. If the task is cancelled later, the
    /// changes remain and are saved like any others, but the method no longer waits for that.
    ///
    /// - Parameters:
    ///   - scene: Name of the scene. If it is `nil`, the first configured scene is used.
    ///   - body: The command, which runs on the application's actor.
    /// - Returns: The result of `body`, and the durability level of its changes.
    /// - Throws: ``ApplicationError`` if the command did not run, ``UnsavedChange`` if the command ran but its changes
    ///   are not saved, `CancellationError`, or an error that the command throws.
    @discardableResult
    public nonisolated func perform<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await performEvenIfUnsaved(on: scene, body).requiringSaved(by: bundleIdentifier)
    }

    /// Runs a command that changes a scene, like ``perform(on:_:)``, but also returns if its changes are not saved.
    ///
    /// - Returns: The result of `body`, and the durability level of its changes, which is `notSaved` with the reason if
    ///   they are only in memory.
    /// - Throws: ``ApplicationError`` if the command did not run, `CancellationError`, or an error that the command
    ///   throws.
    public nonisolated func performEvenIfUnsaved<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(body, on: scene, check: TurnReply.anyLoss)
    }

    /// Changes declared values, like ``performEvenIfUnsaved(on:_:)``, but the reply depends only on whether these values
    /// are saved.
    ///
    /// - Parameter identifiers: Identifiers of the values and collections.
    nonisolated func change<Result: Sendable>(
        _ identifiers: [RestorationIdentifier], on scene: String? = nil,
        _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(
            body, on: scene,
            check: { outcome in
                let loss = outcome.losses.first { loss in
                    guard let path = loss.diagnostic.lossPath else { return true }
                    let root = String(path.prefix { $0 != "/" })
                    return identifiers.contains(RestorationIdentifier(recorded: root))
                }
                return loss.map { "\($0.diagnostic)" }
            })
    }

    /// Reads a scene in a turn of the application. The body must not change anything.
    ///
    /// - Parameters:
    ///   - scene: Name of the scene. If it is `nil`, the first configured scene is used.
    ///   - body: Reads the scene, on the application's actor.
    /// - Returns: The result of `body`.
    /// - Throws: ``ApplicationError`` if the body did not run, `CancellationError`, or an error that the body throws.
    public nonisolated func read<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> Result {
        try await inspect(on: scene, body).result
    }

    /// Reads a scene, like ``read(on:_:)``.
    ///
    /// - Parameter launches: Whether a scene that is saved but not launched is launched for the body.
    /// - Returns: The result of `body`, and the durability level of the scene's recorded state.
    package nonisolated func inspect<Result: Sendable>(
        on scene: String? = nil, launches: Bool = true,
        _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(body, on: scene, check: nil, launches: launches)
    }

    /// An event after each turn that may have changed the appearance of a scene, until the application stops
    /// for good.
    ///
    /// Turns that occur while the consumer is busy are merged into one event.
    package nonisolated var changingTurns: AsyncStream<Void> { signals.turns.subscribe() }

    /// - Parameter check: Checks whether the changes of the body were saved, or `nil` for a read-only body.
    private nonisolated func run<Result: Sendable>(
        _ body: @escaping @Sendable (Scene) throws -> Result, on scene: String?,
        check: (@Sendable (PassOutcome) -> String?)?, launches: Bool = true
    ) async throws -> CommandReply<Result> {
        let name = scene.map(RestorationIdentifier.init(recorded:))
        if AwaitedLaunch.unfinished != nil { try await refuseCommand(on: name) }
        let reply = CancellableReply<CommandReply<Result>>()
        let isReadOnly = check == nil
        let isSaved: @Sendable (PassOutcome) -> String? = check ?? { @Sendable _ in nil }
        let caller = CommandCaller.current
        return try await reply.wait {
            queue(
                SceneCommand(
                    kind: .perform { scene in
                        do {
                            let result = try body(scene)
                            return TurnReply(check: isSaved) {
                                reply.send(.success(CommandReply(result: result, saved: $0)))
                            }
                        } catch {
                            return TurnReply { _ in reply.send(.failure(error)) }
                        }
                    }, isReadOnly: isReadOnly, launches: launches, scene: name,
                    caller: CommandCaller { caller?.hasGone() == true || reply.isCancelled },
                    refuse: { reply.send(.failure($0)) }))
        }
    }

    /// Runs a command on a scene, like ``perform(on:_:)``, with a custom check of whether its change was
    /// saved (P21).
    ///
    /// - Parameters:
    ///   - scene: Name of the scene. If it is `nil`, the first configured scene is used.
    ///   - body: The command. It returns its result, and a function that checks after the pass whether the
    ///     change was saved.
    package nonisolated func change<Result: Sendable>(
        on scene: String? = nil,
        _ body: @escaping @Sendable (Scene) throws -> (Result, PersistenceCheck)
    ) async throws -> CommandReply<Result> {
        try await queued(scene.map(RestorationIdentifier.init(recorded:))) { continuation in
            .perform { scene in
                do {
                    let (result, check) = try body(scene)
                    return TurnReply(check: check) {
                        continuation.resume(returning: CommandReply(result: result, saved: $0))
                    }
                } catch {
                    return TurnReply { _ in continuation.resume(throwing: error) }
                }
            }
        }
    }

    /// Creates a scene or launches a saved scene (S3), and returns when the scene is launched and saved.
    ///
    /// If the last launch of the application failed, the application is launched first.
    ///
    /// - Parameter scene: Name of the scene.
    /// - Returns: Durability level of the record that causes the next start to launch the scene.
    /// - Throws: ``ApplicationError``: `sceneExists` if the scene is running (S2), `invalidSceneName` if the
    ///   name is not valid (I5), or `sceneFailed` if the scene could not be launched.
    @discardableResult
    public nonisolated func open(scene: String) async throws -> Saved {
        let name: RestorationIdentifier
        do {
            name = try RestorationIdentifier(validating: scene)
        } catch {
            throw ApplicationError.invalidSceneName(
                application: bundleIdentifier, scene: scene, reason: "\(error)")
        }
        if case .failed = turns.refusal, let saved = try await launch(for: name) { return saved }
        return try await queued(name) { continuation in
            .open { continuation.resume(returning: $0) }
        }
    }

    /// Launches the application in order to launch a scene.
    ///
    /// - Returns: Durability level of the scene if it was launched with the application, or `nil` otherwise.
    private func launch(for name: RestorationIdentifier) async throws -> Saved? {
        if case .failed = phase { try await launch() }
        guard case .launched = hosted?.state(of: name) else { return nil }
        return saver.omission(in: name, { _ in nil }).map(Saved.notSaved) ?? saver.written
    }

    /// Closes a scene after a last full pass.
    ///
    /// The saved state of the scene is kept. It is restored when the scene is opened again, but the next
    /// start of the application does not launch the scene (S3). If the scene is saved but not launched,
    /// nothing happens. A scene whose delegate does not opt in to saving (P1) is closed without a pass, so
    /// the next start does not know that it was closed.
    ///
    /// - Parameter scene: Name of the scene.
    /// - Returns: Durability level of the scene's last state.
    /// - Throws: ``ApplicationError``: `noSuchScene`, or `sceneNotSaved` if the last state could not be
    ///   saved. In the second case, the scene stays open.
    @discardableResult
    public nonisolated func close(scene: String) async throws -> Saved {
        try await queued(RestorationIdentifier(recorded: scene)) { continuation in
            .close { continuation.resume(returning: $0) }
        }
    }

    /// Makes a full pass over every scene, and returns when all state is durable or cannot be made durable.
    ///
    /// With ``PreservationSettings/Durability/replicated``, the method returns when the state is replicated.
    /// If a launch is in progress, the method waits for the launch first.
    ///
    /// - Throws: ``ApplicationError`` if the application is not running, or `CancellationError` if the task is
    ///   cancelled.
    public func preserve() async throws -> Saved {
        try refuseWithinLaunch()
        await waitForLaunch()
        _ = try runningScenes()
        checkDocuments()
        runTurn(.demand)
        let durable = try await waitUntilDurable()
        return await waitUntilReplicated(durable)
    }

    /// Waits until durable state is replicated, if replies wait for that, or until the timeout.
    ///
    /// - Parameter saved: Durability of the state now.
    /// - Returns: Durability of the state after that.
    func waitUntilReplicated(_ saved: Saved) async -> Saved {
        guard saved == .durable, settings.durability == .replicated, ownership != nil else {
            return saved
        }
        return await withCheckedContinuation { continuation in
            turnExecutor.addReplyUntilReplicated { continuation.resume(returning: $0) }
            stateDidChange()
        }
    }

    /// Whether new commands are refused, because the application was not launched yet or no longer accepts
    /// commands.
    nonisolated var refusesCommands: Bool { turns.refusal != nil }

    /// Queues a command for a turn, and returns its result.
    private nonisolated func queued<Answer: Sendable>(
        _ scene: RestorationIdentifier?,
        _ kind: (CheckedContinuation<Answer, any Error>) -> SceneCommand.Kind
    ) async throws -> Answer {
        if AwaitedLaunch.unfinished != nil { try await refuseCommand(on: scene) }
        return try await withCheckedThrowingContinuation { continuation in
            queue(
                SceneCommand(
                    kind: kind(continuation), scene: scene, caller: CommandCaller.current,
                    refuse: { continuation.resume(throwing: $0) }))
        }
    }

    private nonisolated func queue(_ command: SceneCommand) {
        if turns.append(command) { serveCommands() }
    }

    // MARK: Turns

    /// Runs a turn: the waiting commands, one pass over each scene, one write, and the replies (P14).
    ///
    /// While the application is being launched, nothing runs and nothing is saved.
    ///
    /// - Returns: Durability level of the state after the turn.
    @discardableResult
    func runTurn(_ reason: TurnReason) -> Saved {
        let operation = turnExecutor.timer.begin()
        defer { stateDidChange() }
        advanceLaunches()
        startTasks()
        guard mayRunTurn(reason) else { return saver.saved }
        external.turnBegan()
        if reason == .interval { launches.sceneGuard.recordSurvivingScenes() }
        let turn = runCommands(within: operation.elapsed)
        if reason == .interval, launches.tasks.isAnyRunning { hosted?.markNeedsFullScan() }
        let neededPass = hosted?.needsPass == true
        if let hosted {
            turnExecutor.save(hosted, reason, closing: turn?.closing?.scene)
        } else {
            turnExecutor.saveAgain()
        }
        // A scene whose delegate does not opt in to saving stays marked.
        let isPassMade = neededPass && hosted?.needsPass != true
        if turn?.hasChanges == true || isPassMade || reason != .commands { signals.turns.send() }
        noticeExternalChange(isAgain: reason != .commands)
        launches.reach(.turnWritten)
        turnExecutor.reply(to: turn)
        if reason != .commands { retryQuarantine() }
        turnExecutor.requestFollowingWork(after: reason, isRunning: hosted != nil)
        turnExecutor.timer.end(
            operation, "a turn of \(turn?.commands.count ?? 0) commands", scene: turn?.onlyScene)
        return saver.saved
    }

    /// Returns whether a turn may run now and has something to do.
    private func mayRunTurn(_ reason: TurnReason) -> Bool {
        if reason != .stop {
            if isLaunching { return false }
            if isOwnershipLost {
                refuseElsewhere()
                return false
            }
        }
        if external.isCheckNeeded { checkArchive() }
        // An earlier turn may have done the work of this wake-up.
        return reason != .commands || isAnyWaiting || hosted?.needsPass == true
    }

    /// Runs the waiting commands that fit into a turn, and then launches the scenes that commands wait for.
    ///
    /// - Parameter elapsed: Returns the time since the turn began.
    private func runCommands(within elapsed: () -> Duration) -> CommandTurn? {
        guard let hosted else {
            turnExecutor.refuseCommands(unavailableError)
            return nil
        }
        let turn = turnExecutor.runCommands(on: hosted, within: elapsed)
        // Commands that wait for a launch come before the rest.
        if !hosted.table.waiting.isEmpty { advanceLaunches() }
        return turn
    }

    /// Makes written state durable, and sends the replies that wait for durability.
    func synchronize() async {
        let began = settings.moment()
        var sync: (SyncJob, Result<Void, IOError>)?
        if let job = saver.archive.beginSync() {
            sync = (job, await executors.sync.run { job.run() })
        }
        turnExecutor.didSync(sync, since: began)
        noticeExternalChange()
        stateDidChange()
    }

    // MARK: Errors

    /// Returns the scenes if the application accepts commands now.
    func runningScenes() throws(ApplicationError) -> HostedScenes {
        guard case .running(let hosted) = phase else { throw unavailableError }
        return hosted
    }

    /// Error with the reason why the application accepts no commands.
    var unavailableError: ApplicationError {
        let application = bundleIdentifier
        return switch phase {
        case .failed(let reason): .failed(application: application, reason: reason)
        case .new, .stopped, .launching, .running:
            hasEnded
                ? .ending(application: application) : .notRunning(application: application)
        }
    }

    func sceneFailed(_ name: RestorationIdentifier, _ reason: String) -> ApplicationError {
        .sceneFailed(application: bundleIdentifier, scene: name.text, reason: reason)
    }
}
