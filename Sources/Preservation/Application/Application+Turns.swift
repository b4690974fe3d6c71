import ExactText
import Logging
import SavedState
public import StateRestoration

// Commands, the turns that run them, and the durability of their changes (P14).

extension Application {
    /// Runs a command on a scene in a turn of the application (P14).
    ///
    /// The method returns after the command's changes are saved. A scene that is saved but not launched is
    /// launched first (S3). While the application or the scene is being launched, the command waits.
    ///
    /// - Parameters:
    ///   - scene: Name of the scene. If it is `nil`, the first configured scene is used.
    ///   - body: The command, which runs on the application's actor.
    /// - Throws: ``ApplicationError``, or an error that the command throws.
    @discardableResult
    public nonisolated func perform<Result: Sendable>(
        on scene: String? = nil, _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(body, on: scene, isReadOnly: false)
    }

    /// Runs a read-only body on a scene, like ``perform(on:_:)``.
    ///
    /// The body must not change anything. The reply contains the durability level of the scene's recorded
    /// state.
    ///
    /// - Parameter launches: Whether a scene that is saved but not launched is launched for the body.
    package nonisolated func look<Result: Sendable>(
        on scene: String? = nil, launches: Bool = true,
        _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await run(body, on: scene, isReadOnly: true, launches: launches)
    }

    /// An event after each turn that may have changed the appearance of a scene, until the application stops
    /// for good.
    ///
    /// Turns that occur while the consumer is busy are merged into one event.
    package nonisolated var changingTurns: AsyncStream<Void> { turnsMade.subscribe() }

    private nonisolated func run<Result: Sendable>(
        _ body: @escaping @Sendable (Scene) throws -> Result, on scene: String?,
        isReadOnly: Bool, launches: Bool = true
    ) async throws -> CommandReply<Result> {
        let name = scene.map(RestorationIdentifier.init(recorded:))
        return try await queued(name, isReadOnly: isReadOnly, launches: launches) { continuation in
            .perform { scene in
                do {
                    let result = try body(scene)
                    return TurnReply(
                        check: isReadOnly ? { _ in nil } : TurnReply.anyLoss
                    ) {
                        continuation.resume(returning: CommandReply(result: result, saved: $0))
                    }
                } catch {
                    return TurnReply { _ in continuation.resume(throwing: error) }
                }
            }
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
    /// - Throws: ``ApplicationError`` if the application is not running.
    public func preserve() async throws -> Saved {
        try refuseWithinLaunch()
        await waitForLaunch()
        _ = try runningScenes()
        checkDocuments()
        runTurn(.demand)
        return await waitUntilReplicated(await waitUntilDurable())
    }

    /// Waits until durable state is replicated, if replies wait for that, or until the timeout.
    ///
    /// - Parameter saved: Durability of the state now.
    /// - Returns: Durability of the state after that.
    func waitUntilReplicated(_ saved: Saved) async -> Saved {
        guard saved == .durable, settings.durability == .replicated, let tenancy else {
            return saved
        }
        return await withCheckedContinuation { continuation in
            passWholeStateIfNeeded()
            replies.add(
                { continuation.resume(returning: $0) },
                untilReplicated: tenancy.replica.progress.taken)
            awaitReplica()
        }
    }

    /// Whether new commands are refused, because the application was not launched yet or no longer accepts
    /// commands.
    nonisolated var refusesCommands: Bool { turns.refusal != nil }

    /// Queues a command for a turn, and returns its result.
    private nonisolated func queued<Answer: Sendable>(
        _ scene: RestorationIdentifier?, isReadOnly: Bool = false, launches: Bool = true,
        _ kind: (CheckedContinuation<Answer, any Error>) -> SceneCommand.Kind
    ) async throws -> Answer {
        if AwaitedLaunch.unfinished != nil { try await refuseCommand(on: scene) }
        return try await withCheckedThrowingContinuation { continuation in
            let isTaken = turns.append(
                SceneCommand(
                    kind: kind(continuation), isReadOnly: isReadOnly, launches: launches,
                    scene: scene,
                    caller: CommandCaller.current,
                    refuse: { continuation.resume(throwing: $0) }))
            if isTaken { serveCommands() }
        }
    }

    // MARK: Turns

    /// Runs a turn: the waiting commands, one pass over each scene, one write, and the replies (P14).
    ///
    /// While the application is being launched, nothing runs and nothing is saved.
    ///
    /// - Returns: Durability level of the state after the turn.
    @discardableResult
    func runTurn(_ reason: TurnReason) -> Saved {
        let elapsed = settings.clock.stopwatch()
        let reportedBefore = reportedDuration
        defer { stateDidChange() }
        advanceLaunches()
        startTasks()
        if isLaunching, reason != .stop { return saver.saved }
        if isTenancyOver, reason != .stop {
            refuseElsewhere()
            return saver.saved
        }
        if external.isCheckNeeded { checkArchive() }
        if reason == .commands, isIdle { return saver.saved }
        external.turnBegan()
        if reason == .interval { launches.sceneGuard.noteTime() }
        launches.reach(.turnBegin)
        let (turn, taken) = runCommands(within: elapsed)
        let isAnyRun = taken.contains { !$0.isReadOnly }
        if isAnyRun || reason == .interval && tasks.isAnyRunning { hosted?.noteCodeRan() }
        launches.reach(.turnCommands)
        let neededPass = hosted?.needsPass == true
        if let hosted {
            save(hosted, reason, closing: turn?.closing?.scene)
        } else {
            saveAgain()
        }
        // A scene whose delegate does not opt in to saving stays marked.
        let isPassMade = neededPass && hosted?.needsPass != true
        if isAnyRun || isPassMade || reason != .commands { turnsMade.send() }
        noticeExternalChange(isAgain: reason != .commands)
        launches.reach(.turnWritten)
        reply(to: turn)
        saver.discardEncodedValues()
        startFollowingWork(after: reason)
        warnIfSlow(
            elapsed() - (reportedDuration - reportedBefore), "a turn of \(taken.count) commands",
            scene: onlyScene(of: taken))
        return saver.saved
    }

    /// Starts the work that follows a turn: a sync, generations and a compaction.
    private func startFollowingWork(after reason: TurnReason) {
        if reason != .commands {
            requestSync()
            retryQuarantine()
            saver.generations.makeOverdue()
        }
        if reason == .interval {
            saver.noteInterval()
            saver.tellInterval()
        }
        if reason == .history, hosted != nil { saver.keepChanges(because: .interval) }
        if let job = saver.archive.beginCompaction() { signals.compaction.send(job) }
    }

    /// Runs the waiting commands that fit into a turn, and then launches the scenes that commands wait for.
    ///
    /// - Parameter elapsed: Returns the time since the turn began.
    /// - Returns: The commands that ran with their replies, and all commands that were run, postponed or refused.
    private func runCommands(
        within elapsed: () -> Duration
    ) -> (turn: CommandTurn?, taken: ArraySlice<SceneCommand>) {
        let waiting = turns.withQueue { $0.popTurn(endsTurn: \.endsTurn) }
        guard let hosted else {
            for command in waiting { command.refuse(unavailableError) }
            return (nil, waiting[...])
        }
        var turn = CommandTurn(
            application: bundleIdentifier, hosted: hosted, turns: turns,
            countChange: log.metrics.noteChange)
        var rest = waiting[...]
        hosted.areCommandsRunning = true
        defer { hosted.areCommandsRunning = false }
        while let command = rest.popFirst() {
            turn.run(command)
            if elapsed() > TurnSchedule.Queue.turnTime { break }
        }
        // Commands that wait for a launch come before the rest.
        turns.withQueue { $0.putBack(rest) }
        if !hosted.table.waiting.isEmpty { advanceLaunches() }
        return (turn, waiting[..<rest.startIndex])
    }

    /// Sends the replies to the commands of a turn, or keeps them until they can be sent.
    private func reply(to turn: CommandTurn?) {
        var turnReplies = (turn?.replies ?? []).map { checked($0.reply, in: $0.scene) }
        if let closing = turn?.closing { turnReplies += end(closing) }
        logArchiveEvents()
        if external.defersReplies {
            replies.deferReplies(turnReplies)
        } else {
            passStateBeforeReplies()
            send(replies.add(turnReplies, replyFacts))
        }
    }

    /// Name of the scene that all commands address, or `nil` if there are no commands or they address
    /// multiple scenes.
    private func onlyScene(of commands: some Sequence<SceneCommand>) -> String? {
        let names = Set(commands.map { $0.scene ?? hosted?.firstName })
        return names.count == 1 ? names.first.map { $0?.text ?? "?" } : nil
    }

    /// Runs an operation, and logs a warning if it blocked other work on the executor for too long.
    func timing<Result, Failure: Error>(
        _ what: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let elapsed = settings.clock.stopwatch()
        let reportedBefore = reportedDuration
        // The duration of a part that was already logged is not included.
        defer { warnIfSlow(elapsed() - (reportedDuration - reportedBefore), what) }
        return try body()
    }

    /// Logs an operation that exceeds the limit. The message is created only in this case, because every turn
    /// calls this method.
    private func warnIfSlow(
        _ time: Duration, _ what: @autoclosure () -> String,
        scene: @autoclosure () -> String? = nil
    ) {
        guard time > settings.turnLimit else { return }
        reportedDuration += time
        let seconds = (time / .milliseconds(100)).rounded() / 10
        log.tell(
            .warning, .slow, "\(what()) took \(seconds) s, and blocked all other work",
            scene: scene())
    }

    /// Returns the reply to a command, adjusted by whether the pass saved its change (P21).
    private func checked(
        _ reply: TurnReply, in scene: RestorationIdentifier
    ) -> PendingReplies.Reply {
        let omission = saver.omission(in: scene, reply.check).map(Saved.notSaved)
        return { reply.send(omission ?? $0) }
    }

    /// Whether no command is waiting and nothing has changed, because an earlier turn did the work of this
    /// wake-up.
    private var isIdle: Bool { !isAnyWaiting && hosted?.needsPass != true }

    /// Retries a failed save, without a pass.
    func saveAgain() {
        timing("saving it again") {
            switch phase {
            case .new, .stopped: saver.retry()
            case .launching, .running, .failed: saver.write(TurnRecords())
            }
        }
    }

    /// Makes a pass over each scene that may have changes, and writes the changes.
    func save(_ hosted: HostedScenes, _ reason: TurnReason, closing: HostedScene? = nil) {
        let scenes = hosted.scenes(for: reason)
        for scene in scenes where scene.hasPendingMutation && !scene.isChangeNoted {
            scene.isChangeNoted = true
            launches.sceneGuard.noteChanged(scene.name)
        }
        saver.save(scenes, reason, closing: closing?.scene, stamp: stamp)
        for scene in scenes { scene.hasPendingMutation = false }
        hosted.endTurn(reason, scenes, except: saver.isUnwilling)
        for scene in reason.isOfAllScenes ? hosted.table.live : scenes {
            let count = scene.takeSuperfluousCompletions()
            guard count > 0 else { continue }
            log.tell(
                .warning, .extensionMisused,
                "its restoration was completed \(count) times without having been extended",
                scene: scene.name.text)
        }
    }

    /// Closes a scene after its last pass, unless the pass could not be saved.
    ///
    /// - Returns: The reply to the command if the scene was closed, or an empty array otherwise.
    private func end(_ closing: CommandTurn.Closing) -> [PendingReplies.Reply] {
        let scene = closing.scene
        if let reason = saver.failure(of: scene.name) {
            scene.scene.isInUse = true
            closing.refuse(
                ApplicationError.sceneNotSaved(
                    application: bundleIdentifier, scene: scene.name.text, reason: reason))
            return []
        }
        scene.terminate()
        hosted?.table.noteEnded(scene.name)
        launches.sceneGuard.note(LaunchEvent.ended, of: [scene.name])
        let reason = closing.isIdleTimeout ? "idle" : nil
        log.tell(
            .notice, .closed,
            reason == nil
                ? "closed; its state stays saved"
                : "closed because it was idle; its state stays saved",
            scene: scene.name.text, reason: reason)
        signals.sendChanged()
        return [checked(closing.reply, in: scene.name)]
    }

    // MARK: Durability

    /// Requests one sync for all scenes and commands, which runs on a separate thread.
    private func requestSync() {
        if !saver.archive.isDurable { signals.sync.send() }
    }

    /// Makes written state durable, and sends the replies that wait for durability.
    ///
    /// If the sync fails, a whole new file is written at once from the state in memory.
    func synchronize() async {
        let job = saver.archive.beginSync()
        if let job {
            let began = settings.moment()
            let result = await disk.sync.run { job.run() }
            do throws(SaveError) {
                try saver.archive.endSync(job, result)
                saver.noteSynced(since: began)
            } catch {
                saver.noteFailure(error)
                saveAgain()
            }
        } else if !saver.archive.isDurable, saver.failure == nil {
            // After a failure, the next attempt follows at the interval. Without this pause, slow attempts
            // would leave no time for clients.
            saveAgain()
        }
        noticeExternalChange()
        logArchiveEvents()
        // If there was nothing to sync, another sync would not help.
        send(replies.didSync(replyFacts, isComplete: job == nil))
        saver.tellInterval()
        stateDidChange()
    }

    /// Facts that determine when replies are sent.
    private var replyFacts: PendingReplies.Facts {
        PendingReplies.Facts(
            required: settings.durability, saved: saver.written,
            write: saver.archive.writeNumber, durableWrite: saver.archive.durableWriteNumber,
            replicaTurn: tenancy?.replica.progress.taken)
    }

    /// Passes state that the replica lacks to the replica, if replies wait for its replication.
    private func passStateBeforeReplies() {
        let saved = saver.written
        if settings.durability == .replicated, saved == .written || saved == .durable {
            passWholeStateIfNeeded()
        }
    }

    /// Sends replies, and requests the sync or starts the timeout for which the remaining replies wait.
    func send(_ ready: [PendingReplies.Ready]) {
        for reply in ready { reply.send() }
        if replies.waitsForDurability { signals.sync.send() }
        if replies.newestReplicaTurn != nil { awaitReplica() }
    }

    /// Sends all replies that do not wait for replication, because the application has stopped.
    func sendAllReplies() {
        external.end()
        logArchiveEvents()
        passStateBeforeReplies()
        send(replies.didStop(replyFacts))
    }

    /// Sends the replies that no longer have to wait for the decision about a change by another program.
    func sendDeferredReplies() {
        if external.defersReplies { return }
        passStateBeforeReplies()
        send(replies.changeWasHandled(replyFacts))
    }

    // MARK: The archive file

    /// Handles the result of a compaction step.
    func endCompaction(_ job: CompactionJob, _ result: CompactionResult) {
        if let next = saver.archive.endCompaction(job, result) {
            signals.compaction.send(next)
            return
        }
        logArchiveEvents()
        // After a failed compaction, a whole file may have to be written.
        if saver.archive.hasUnwritten { saveAgain() }
        noticeExternalChange()
        stateDidChange()
    }

    /// Logs the events of the archive file.
    func logArchiveEvents() {
        let incidents = saver.archive.takeIncidents()
        if !incidents.isEmpty { pruneQuarantine() }
        for incident in incidents {
            let sentence = "\(saver.archive.path): \(incident)"
            switch incident {
            case .changedExternally, .syncFailed:
                log.tellProblem(.error, .archiveReplaced, sentence)
            case .rewritten, .otherNames: log.tell(.notice, .archiveReplaced, sentence)
            case .compacted: log.tell(.debug, .compacted, sentence)
            case .notLookedAt, .leftover:
                log.tell(.warning, .archiveReplaced, sentence)
            case .compactionFailed: log.tellProblem(.warning, .compactionFailed, sentence)
            case .compactionUnsupported: log.tell(.warning, .compactionFailed, sentence)
            }
        }
    }

    /// Deletes the oldest files in quarantine that exceed the limits, except files that a scene may be
    /// restored from.
    func pruneQuarantine() {
        saver.generations.pruneQuarantine(keeping: launches.sceneGuard.quarantined)
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
            activity == .ended
                ? .ending(application: application) : .notRunning(application: application)
        }
    }

    func sceneFailed(_ name: RestorationIdentifier, _ reason: String) -> ApplicationError {
        .sceneFailed(application: bundleIdentifier, scene: name.text, reason: reason)
    }
}
