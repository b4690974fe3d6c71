import ExactText
import LinuxIO
import SavedState
public import StateRestoration
import Tracing

// Commands, the turns that run them, and the durability of their changes (P14).

extension Application {
    /// Runs a command that changes a scene (P14).
    ///
    /// The command runs in one of the application's turns. The method returns after the changes have been saved. A
    /// saved scene that is not running is launched first (S3). While the application or the scene is being launched,
    /// the command waits.
    ///
    /// If the task is cancelled before the command runs, the command does not run. If the task is cancelled later, the
    /// changes are still saved, but the method does not wait for the save.
    ///
    /// - Parameters:
    ///   - scene: The name of the scene, or `nil` for the first configured scene.
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

    /// Runs a command like ``perform(on:_:)``, but does not throw an error if the changes are not saved.
    ///
    /// - Returns: The result of `body`, and the durability level of its changes. If the changes are only in memory, the
    ///   level is `notSaved` with the reason.
    /// - Throws: ``ApplicationError`` if the command did not run, `CancellationError`, or an error that the command
    ///   throws.
    public nonisolated func performEvenIfUnsaved<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await performTraced {
            try await run(body, on: scene, check: TurnReply.firstLossDescription)
        }
    }

    /// Runs a command that may change state, and records the command as a tracing span.
    private nonisolated func performTraced<Result>(
        _ command: () async throws -> CommandReply<Result>
    ) async throws -> CommandReply<Result> {
        guard let tracer else { return try await command() }
        let span = tracer.startSpan(.update, of: bundleIdentifier)
        defer { span.end() }
        do {
            let reply = try await ServiceContext.withValue(span.context) { try await command() }
            span.attributes["reprise.saved"] = "\(reply.saved)"
            return reply
        } catch {
            span.fail(with: error)
            throw error
        }
    }

    /// Runs a command that changes declared values.
    ///
    /// Unlike ``performEvenIfUnsaved(on:_:)``, this method ignores losses of other values when it determines the
    /// durability level in the reply.
    ///
    /// - Parameter identifiers: The identifiers of the values and collections.
    nonisolated func change<Result: Sendable>(
        _ identifiers: [RestorationIdentifier], on scene: String? = nil,
        _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await performTraced {
            try await run(
                body, on: scene,
                check: { outcome in
                    let loss = outcome.losses.first { loss in
                        guard let path = loss.diagnostic.incompletelySavedPath else { return true }
                        let root = String(path.prefix { $0 != "/" })
                        return identifiers.contains(RestorationIdentifier(recorded: root))
                    }
                    return loss.map { "\($0.diagnostic)" }
                })
        }
    }

    /// Reads a scene in one of the application's turns. The body must not change any state.
    ///
    /// - Parameters:
    ///   - scene: The name of the scene, or `nil` for the first configured scene.
    ///   - body: A closure that reads the scene on the application's actor.
    /// - Returns: The result of `body`.
    /// - Throws: ``ApplicationError`` if the body did not run, `CancellationError`, or an error that the body throws.
    public nonisolated func read<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> Result {
        try await inspect(on: scene, body).result
    }

    /// Reads a scene like ``read(on:_:)``, optionally without launching it.
    ///
    /// - Parameter launchesScene: Whether to launch the scene first if it is saved but not running.
    /// - Returns: The result of `body`, and the durability level of the scene's recorded state.
    package nonisolated func inspect<Result: Sendable>(
        on scene: String? = nil, launchesScene: Bool = true,
        _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(body, on: scene, check: nil, launchesScene: launchesScene)
    }

    /// Stream that delivers an event after each turn that may have changed the appearance of a scene.
    ///
    /// Turns that occur while the consumer is busy are merged into one event. The stream finishes when the application
    /// stops for good.
    package nonisolated var sceneUpdates: AsyncStream<Void> { wakeUps.sceneChange.subscribe() }

    /// Queues a closure that runs in a turn, and waits for the reply.
    ///
    /// - Parameter check: A closure that checks whether the body's changes were saved, or `nil` if the body is
    ///   read-only.
    private nonisolated func run<Result: Sendable>(
        _ body: @escaping @Sendable (Scene) throws -> Result, on scene: String?,
        check: (@Sendable (PassOutcome) -> String?)?, launchesScene: Bool = true
    ) async throws -> CommandReply<Result> {
        let name = scene.map(RestorationIdentifier.init(recorded:))
        if ExtendedLaunch.unfinished != nil { try await throwIfCommandWouldDeadlock(on: name) }
        let reply = CancellableReply<CommandReply<Result>>()
        let isReadOnly = check == nil
        let describeLoss: @Sendable (PassOutcome) -> String? = check ?? { @Sendable _ in nil }
        let caller = CommandCaller.current
        return try await reply.wait {
            enqueue(
                SceneCommand(
                    kind: .perform { scene in
                        do {
                            let result = try body(scene)
                            return TurnReply(check: describeLoss) {
                                reply.send(.success(CommandReply(result: result, saved: $0)))
                            }
                        } catch {
                            return TurnReply { _ in reply.send(.failure(error)) }
                        }
                    }, isReadOnly: isReadOnly, launchesScene: launchesScene, sceneName: name,
                    caller: CommandCaller {
                        caller?.hasDisconnected() == true || reply.isCancelled
                    },
                    refuse: { reply.send(.failure($0)) }))
        }
    }

    /// Runs a command, using a custom check to determine whether the change was saved (P21).
    ///
    /// - Parameters:
    ///   - scene: The name of the scene, or `nil` for the first configured scene.
    ///   - body: The command. It returns its result and the check, which is called after the pass.
    package nonisolated func change<Result: Sendable>(
        on scene: String? = nil,
        _ body: @escaping @Sendable (Scene) throws -> (Result, PersistenceCheck)
    ) async throws -> CommandReply<Result> {
        try await enqueueAndWait(scene.map(RestorationIdentifier.init(recorded:))) { continuation in
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

    /// Creates a scene or launches a saved scene (S3).
    ///
    /// The method returns after the scene has been launched and saved. If the last launch of the application failed,
    /// the application is launched first.
    ///
    /// - Parameter scene: The name of the scene.
    /// - Returns: The durability level of the record that marks the scene as open. Because of this record, the next
    ///   start launches the scene.
    /// - Throws: ``ApplicationError``: `sceneExists` if the scene is running (S2), `invalidSceneName` if the name is
    ///   not valid (I5), or `sceneFailed` if the scene could not be launched.
    @discardableResult
    public nonisolated func open(scene: String) async throws -> DurabilityLevel {
        let name: RestorationIdentifier
        do {
            name = try RestorationIdentifier(validating: scene)
        } catch {
            throw ApplicationError.invalidSceneName(
                application: bundleIdentifier, scene: scene, reason: "\(error)")
        }
        if case .failed = commandInbox.refusalError,
            let durabilityLevel = try await launch(for: name)
        {
            return durabilityLevel
        }
        return try await enqueueAndWait(name) { continuation in
            .open { continuation.resume(returning: $0) }
        }
    }

    /// Launches the application so that a scene can be opened.
    ///
    /// - Returns: The durability level of the scene if it was launched with the application, or `nil` otherwise.
    private func launch(for name: RestorationIdentifier) async throws -> DurabilityLevel? {
        if case .failed = phase { try await launch() }
        guard case .launched = hostedScenes?.state(of: name) else { return nil }
        return saver.receipt.optOutReason(of: name).map(DurabilityLevel.notSaved)
            ?? saver.recordDurability
    }

    /// Saves a scene in a full pass, then closes it.
    ///
    /// The saved state is restored when the scene is opened again, but the next start of the application does not
    /// launch the scene (S3). If the scene is saved but not running, the method does nothing. A scene whose delegate
    /// does not opt in to saving (P1) is closed without a pass, and its closing is not recorded.
    ///
    /// - Parameter scene: The name of the scene.
    /// - Returns: The durability level of the scene's last state.
    /// - Throws: ``ApplicationError``: `noSuchScene` if the scene does not exist, or `sceneNotSaved` if its last state
    ///   could not be saved. If the state could not be saved, the scene stays open.
    @discardableResult
    public nonisolated func close(scene: String) async throws -> DurabilityLevel {
        try await enqueueAndWait(RestorationIdentifier(recorded: scene)) { continuation in
            .close { continuation.resume(returning: $0) }
        }
    }

    /// Makes a full pass over every scene, then waits until all state is durable or cannot be made durable.
    ///
    /// With ``PreservationSettings/Durability/replicated``, the method waits until the state is replicated. If a launch
    /// is in progress, the method first waits for the launch to finish.
    ///
    /// - Returns: The durability level of the state.
    /// - Throws: ``ApplicationError`` if the application is not running, or `CancellationError` if the task is
    ///   cancelled.
    public func preserve() async throws -> DurabilityLevel {
        try throwIfLaunchWouldDeadlock()
        await waitForLaunch()
        _ = try runningScenes()
        checkDocuments()
        runTurn(.demand)
        let durabilityLevel = try await waitUntilDurable()
        return await waitUntilReplicated(durabilityLevel)
    }

    /// Waits until durable state is replicated or the replication timeout has elapsed.
    ///
    /// If the state is not durable, or if replies do not wait for replication, the method returns immediately.
    ///
    /// - Parameter level: The current durability level of the state.
    /// - Returns: The durability level of the state after the wait.
    func waitUntilReplicated(_ level: DurabilityLevel) async -> DurabilityLevel {
        guard level == .durable, settings.durability == .replicated, ownership != nil else {
            return level
        }
        return await withCheckedContinuation { continuation in
            turnExecutor.addReplyUntilReplicated { continuation.resume(returning: $0) }
            stateDidChange()
        }
    }

    /// Whether the application refuses new commands, for example because it has not been launched yet.
    nonisolated var refusesCommands: Bool { commandInbox.refusalError != nil }

    /// Queues a command for a turn, and waits for its result.
    private nonisolated func enqueueAndWait<Answer: Sendable>(
        _ scene: RestorationIdentifier?,
        _ kind: (CheckedContinuation<Answer, any Error>) -> SceneCommand.Kind
    ) async throws -> Answer {
        if ExtendedLaunch.unfinished != nil { try await throwIfCommandWouldDeadlock(on: scene) }
        return try await withCheckedThrowingContinuation { continuation in
            enqueue(
                SceneCommand(
                    kind: kind(continuation), sceneName: scene, caller: CommandCaller.current,
                    refuse: { continuation.resume(throwing: $0) }))
        }
    }

    private nonisolated func enqueue(_ command: SceneCommand) {
        if commandInbox.append(command) { runCommandTurn() }
    }

    // MARK: Turns

    /// Runs a turn (P14): runs the waiting commands, makes a pass over each due scene, writes the changes once, and
    /// sends the replies.
    ///
    /// While the application is being launched, a turn runs no commands and saves no state, unless the application is
    /// stopping.
    ///
    /// - Returns: The durability level of the state after the turn.
    @discardableResult
    func runTurn(_ reason: TurnReason) -> DurabilityLevel {
        log.tracing.span(.turn) { performTurn(reason) }
    }

    private func performTurn(_ reason: TurnReason) -> DurabilityLevel {
        let operation = turnExecutor.operationTimer.begin()
        defer { stateDidChange() }
        advanceLaunches()
        startTasks()
        guard shouldRunTurn(reason) else { return saver.durabilityLevel }
        externalChange.turnDidBegin()
        if reason == .interval { launchSequence.sceneLaunchGuard.recordSurvivingScenes() }
        let turn = runCommands(within: operation.elapsed)
        if reason == .interval, launchSequence.tasks.hasRunningTasks {
            hostedScenes?.markNeedsFullScan()
        }
        let wasPassNeeded = hostedScenes?.needsPass == true
        let receipt = hostedScenes.map {
            turnExecutor.save($0, reason, closing: turn?.pendingClose?.scene)
        }
        if receipt == nil { turnExecutor.retrySave() }
        // If a scene still needs a pass, its delegate does not opt in to saving, and no pass was made.
        let wasPassMade = wasPassNeeded && hostedScenes?.needsPass != true
        if turn?.hasChanges == true || wasPassMade || reason != .commands {
            wakeUps.sceneChange.send()
        }
        debounceExternalChange(evenAfterFailure: reason != .commands)
        launchSequence.recordStage(.turnWritten)
        turnExecutor.reply(to: turn, receipt ?? TurnReceipt())
        if reason != .commands { turnExecutor.retryQuarantine() }
        turnExecutor.requestDueWork(after: reason, isRunning: hostedScenes != nil)
        turnExecutor.operationTimer.end(
            operation, "a turn of \(countPhrase(turn?.handledCommands.count ?? 0, "command"))",
            scene: turn?.commonSceneName)
        return saver.durabilityLevel
    }

    /// Returns whether a turn can run now and has work to do.
    private func shouldRunTurn(_ reason: TurnReason) -> Bool {
        if reason != .stop {
            if isLaunching { return false }
            if isOwnershipLost {
                refuseCommandsForLostOwnership()
                // A stopped application can still save the state that its stop could not save on this host.
                if hostedScenes != nil || reason == .commands { return false }
            }
        }
        if externalChange.isCheckNeeded { checkArchive() }
        // An earlier turn may already have done the work.
        return reason != .commands || hasWaitingCommands || hostedScenes?.needsPass == true
    }

    /// Runs as many waiting commands as fit into a turn, then launches the scenes that commands are waiting for.
    ///
    /// - Parameter elapsed: A closure that returns the time since the turn began.
    private func runCommands(within elapsed: () -> Duration) -> CommandTurn? {
        guard let hostedScenes else {
            turnExecutor.refuseCommands(unavailableError)
            return nil
        }
        let turn = turnExecutor.runCommands(on: hostedScenes, within: elapsed)
        // After a launch, the commands that were waiting for it run before all other commands. A state change makes its
        // own passes when it completes. This turn's receipt does not cover these passes, so the change completes in the
        // next turn.
        if !hostedScenes.table.waitingNames.isEmpty {
            if hostedScenes.change == nil { advanceLaunches() } else { commandInbox.wake() }
        }
        return turn
    }

    // MARK: Errors

    /// Returns the application's scenes, or throws an error if the application is not running.
    func runningScenes() throws(ApplicationError) -> HostedScenes {
        guard case .running(let hostedScenes) = phase else { throw unavailableError }
        return hostedScenes
    }

    /// Error that states why the application does not accept commands.
    var unavailableError: ApplicationError {
        let application = bundleIdentifier
        return switch phase {
        case .failed(let reason): .failed(application: application, reason: reason)
        case .new, .stopped, .launching, .running:
            hasStoppedPermanently
                ? .ending(application: application) : .notRunning(application: application)
        }
    }

    func sceneFailedError(_ name: RestorationIdentifier, _ reason: String) -> ApplicationError {
        .sceneFailed(application: bundleIdentifier, scene: name.text, reason: reason)
    }
}
