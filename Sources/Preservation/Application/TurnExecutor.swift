import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

/// Executor of an application's turns (P14).
///
/// A turn runs commands, makes a pass over each due scene, writes the changes, and sends the replies. The application
/// decides when a turn runs, and launches the scenes that commands are waiting for. This type does not use actors or
/// tasks. It requests later work through ``WakeUps``.
final class TurnExecutor {
    let commandInbox: CommandInbox
    let saver: StateSaver
    let operationTimer: OperationTimer
    /// Handler for changes that other programs make to the archive. Replies are deferred until it has handled a change.
    var externalChange = ExternalChangeHandler()
    /// Durability level that replies wait for.
    var durability: PreservationSettings.Durability
    /// Replica that replies can wait for, or `nil` if there is no replica.
    var replica: (any StateReplica)?
    /// Whether the application is not running. If so, retrying a failed save also closes the archive.
    var isStopped = true
    /// Schedule of the syncs that make written state durable.
    var syncSchedule = SyncSchedule()
    private var pendingReplies = PendingReplies()
    let launchSequence: LaunchSequence
    let wakeUps: WakeUps
    private let now: @Sendable () -> Int64
    private let systemVersion: String

    init(
        commandInbox: CommandInbox, saver: StateSaver, launchSequence: LaunchSequence,
        wakeUps: WakeUps, settings: PreservationSettings
    ) {
        self.commandInbox = commandInbox
        self.saver = saver
        self.launchSequence = launchSequence
        self.wakeUps = wakeUps
        durability = settings.durability
        now = settings.now
        systemVersion = settings.systemVersion
        operationTimer = OperationTimer(
            slowOperationThreshold: settings.maximumTurnDuration, clock: settings.clock,
            log: saver.log)
    }

    var log: ApplicationLog { saver.log }

    // MARK: Commands

    /// Runs as many waiting commands as fit into a turn.
    ///
    /// - Parameter elapsed: A closure that returns the time since the turn began.
    func runCommands(on hostedScenes: HostedScenes, within elapsed: () -> Duration) -> CommandTurn {
        launchSequence.recordStage(.turnBegin)
        let waitingCommands = commandInbox.withQueue { $0.popTurnCommands(endsTurn: \.endsTurn) }
        var turn = CommandTurn(
            hostedScenes: hostedScenes, commandInbox: commandInbox,
            countChange: log.metrics.countChange)
        var remainingCommands = waitingCommands[...]
        hostedScenes.areCommandsRunning = true
        while let command = remainingCommands.popFirst() {
            turn.run(command)
            if elapsed() > CommandInbox.Queue.turnTimeLimit { break }
        }
        hostedScenes.areCommandsRunning = false
        commandInbox.withQueue { $0.prepend(remainingCommands) }
        turn.handledCommands = waitingCommands[..<remainingCommands.startIndex]
        if turn.hasChanges { hostedScenes.markNeedsFullScan() }
        launchSequence.recordStage(.turnCommands)
        return turn
    }

    /// Refuses all waiting commands.
    func refuseCommands(_ error: ApplicationError) {
        for command in commandInbox.withQueue({ $0.popAllCommands() }) { command.refuse(error) }
    }

    // MARK: Saving

    /// Makes a pass over each scene that the turn covers, and writes the changes.
    ///
    /// - Parameter closing: The scene to close after the pass, or `nil` if no scene is closed.
    /// - Returns: The receipt, which determines the replies to the turn's commands.
    @discardableResult
    func save(
        _ hostedScenes: HostedScenes, _ reason: TurnReason, closing: HostedScene? = nil
    ) -> TurnReceipt {
        let scenes = hostedScenes.scenes(for: reason)
        for scene in scenes where scene.hasPendingMutation && !scene.isChangeRecorded {
            scene.isChangeRecorded = true
            launchSequence.sceneLaunchGuard.recordUserChange(scene.name)
        }
        let receipt = saver.save(
            scenes, reason, closing: closing?.scene, passMetadata: passMetadata)
        for scene in scenes { scene.hasPendingMutation = false }
        hostedScenes.endTurn(reason, scenes, except: receipt.isOptedOut)
        for scene in reason.coversAllScenes ? hostedScenes.table.liveScenes : scenes {
            let completionCount = scene.consumeSuperfluousCompletions()
            guard completionCount > 0 else { continue }
            log.log(
                .warning, .extensionMisused,
                "its restoration was completed \(completionCount) times without having been extended",
                scene: scene.name.text)
        }
        return receipt
    }

    /// Returns the reserved values for a pass at the current time (P4).
    func passMetadata() -> PassMetadata {
        PassMetadata(
            bundleVersion: launchSequence.definition.bundleVersion, timestamp: now(),
            systemVersion: systemVersion)
    }

    /// Retries a failed save without making a pass.
    func retrySave() {
        operationTimer.measure("retrying to save it") {
            if isStopped { saver.retrySaving() } else { saver.write(TurnRecords()) }
        }
    }

    /// Requests the sync, the generations and the compaction that are due after a turn.
    ///
    /// - Parameter isRunning: Whether the application has scenes.
    func requestDueWork(after reason: TurnReason, isRunning: Bool) {
        if reason != .commands {
            if !saver.archive.isDurable { syncSchedule.request() }
            saver.generations.retryOverdueGeneration()
        }
        if reason == .interval {
            saver.markSummaryDue()
            saver.logSummary()
        }
        // A stopped application lacks a generation only if the generation could not be added when the application
        // stopped.
        if reason == .history, isRunning || saver.generations.failureReason != nil {
            saver.saveChangesToHistory(because: isRunning ? .historyInterval : .applicationStopped)
        }
        if let job = saver.archive.beginCompaction() { wakeUps.compactionRequest.send(job) }
    }

    // MARK: Replies

    /// Sends the replies to the commands in a turn, or retains them until they can be sent.
    ///
    /// - Parameter receipt: The receipt for the turn's passes.
    func reply(to turn: CommandTurn?, _ receipt: TurnReceipt) {
        var turnReplies = (turn?.replies ?? []).map {
            checkedReply($0.reply, in: $0.scene, receipt)
        }
        if let turn, let pendingClose = turn.pendingClose {
            turnReplies += closeScene(pendingClose, of: turn.hostedScenes, receipt)
        }
        logArchiveEvents()
        if externalChange.defersReplies {
            pendingReplies.deferReplies(turnReplies)
        } else {
            replicateBeforeReplies()
            send(pendingReplies.add(turnReplies, saveProgress))
        }
    }

    /// Returns a closure that sends the reply to a command. If the pass did not save the command's change, the reply
    /// has the level `notSaved` (P21).
    private func checkedReply(
        _ reply: TurnReply, in scene: RestorationIdentifier, _ receipt: TurnReceipt
    ) -> PendingReplies.ReplySender {
        let omissionReason = receipt.omissionReason(in: scene, reply.check).map(
            DurabilityLevel.notSaved)
        return { reply.send(omissionReason ?? $0) }
    }

    /// Closes a scene after its last pass, unless the pass could not be saved.
    ///
    /// - Returns: An array that contains the reply to the command, or an empty array if the scene stays open.
    private func closeScene(
        _ pendingClose: CommandTurn.PendingClose, of hostedScenes: HostedScenes,
        _ receipt: TurnReceipt
    ) -> [PendingReplies.ReplySender] {
        let scene = pendingClose.scene
        if let reason = saver.failureReason(of: scene.name) {
            scene.scene.isInUse = true
            pendingClose.refuse(
                ApplicationError.sceneNotSaved(
                    application: commandInbox.bundleIdentifier, scene: scene.name.text,
                    reason: reason))
            return []
        }
        scene.terminate()
        hostedScenes.markClosed(scene.name)
        launchSequence.sceneLaunchGuard.record(LaunchEvent.closed, of: [scene.name])
        let reason = pendingClose.isIdleTimeout ? "idle" : nil
        log.log(
            .notice, .closed,
            reason == nil
                ? "closed; its state stays saved"
                : "closed because it was idle; its state stays saved",
            scene: scene.name.text, reason: reason)
        wakeUps.sendStatusChange()
        return [checkedReply(pendingClose.reply, in: scene.name, receipt)]
    }

    /// Current progress of saving. It determines when replies are sent.
    private var saveProgress: PendingReplies.SaveProgress {
        PendingReplies.SaveProgress(
            requiredDurability: durability, currentDurability: saver.recordDurability,
            writeNumber: saver.archive.writeNumber,
            durableWriteNumber: saver.archive.durableWriteNumber,
            acceptedRecordNumber: replica?.progress.acceptedCount)
    }

    /// Sends replies, and requests a sync if other replies are waiting for one.
    private func send(_ readyReplies: [PendingReplies.ReadyReply]) {
        for reply in readyReplies { reply.send() }
        if pendingReplies.hasRepliesAwaitingDurability { syncSchedule.request() }
    }

    /// Sends the replies that were deferred because of a change by another program, if the change has been handled.
    func sendDeferredReplies() {
        if externalChange.defersReplies { return }
        replicateBeforeReplies()
        send(pendingReplies.didHandleExternalChange(saveProgress))
    }

    /// Sends all replies that are not waiting for replication, because the application has stopped.
    func sendAllReplies() {
        externalChange.endWaiting()
        logArchiveEvents()
        replicateBeforeReplies()
        send(pendingReplies.didStop(saveProgress))
    }

    /// Sends the replies to commands whose changes were lost before they became durable.
    ///
    /// - Parameter reason: The reason, as a sentence.
    func sendUnsavedReplies(because reason: String) {
        send(pendingReplies.didLoseChanges(because: reason))
    }

    /// Adds a reply that waits until all written state is durable or can no longer become durable, and requests a sync.
    func addReplyUntilDurable(_ reply: @escaping PendingReplies.ReplySender) {
        pendingReplies.add(reply, untilDurable: saver.archive.writeNumber)
        syncSchedule.request()
    }

    // MARK: Durability

    /// Handles the result of a sync, and sends the replies that were waiting for it.
    ///
    /// If the sync failed, a complete new file is written immediately from the state in memory.
    ///
    /// - Parameters:
    ///   - sync: The sync and its result, or `nil` if there was nothing to sync.
    ///   - syncStart: The time at which the sync began.
    func didSync(_ sync: (job: SyncJob, result: Result<Void, IOError>)?, since syncStart: Moment) {
        if let sync {
            do throws(SaveError) {
                try saver.archive.endSync(sync.job, sync.result)
                saver.recordSync(since: syncStart)
            } catch {
                saver.recordFailure(error)
                retrySave()
            }
        } else if !saver.archive.isDurable, saver.failureReason == nil {
            // After a failure, the next attempt is made at the preservation interval. Without this pause, slow attempts
            // would leave no time for clients.
            retrySave()
        }
        logArchiveEvents()
        // If there was nothing to sync, another sync would not help.
        send(pendingReplies.didSync(saveProgress, isComplete: sync == nil))
        saver.logSummary()
    }

    /// Handles the result of a compaction step, and requests the next step if there is one.
    func didCompact(_ job: CompactionJob, _ result: CompactionResult) {
        if let nextJob = saver.archive.endCompaction(job, result) {
            return wakeUps.compactionRequest.send(nextJob)
        }
        logArchiveEvents()
        // After a failed compaction, a complete file may have to be written.
        if saver.archive.hasUnwrittenState { retrySave() }
    }

    // MARK: Replication

    /// Number of the newest record that must be replicated before a waiting reply is sent, or `nil` if no reply is
    /// waiting.
    var newestAwaitedRecordNumber: UInt64? { pendingReplies.newestAwaitedRecordNumber }

    /// Adds a reply that waits until all written state is replicated or the replication times out.
    func addReplyUntilReplicated(_ reply: @escaping PendingReplies.ReplySender) {
        guard let replica else { return reply(saver.recordDurability) }
        replicateWholeStateIfNeeded()
        pendingReplies.add(reply, untilReplicated: replica.progress.acceptedCount)
    }

    /// Sends the replies to commands whose changes have been replicated.
    func sendReplicatedReplies() {
        guard let replica, pendingReplies.newestAwaitedRecordNumber != nil else { return }
        send(pendingReplies.didReplicate(upTo: replica.progress.replicatedCount))
    }

    /// Sends the replies to commands whose changes were not replicated.
    ///
    /// - Parameters:
    ///   - recordNumber: The number of the last record that the replies are waiting for.
    ///   - reason: The reason, as a sentence.
    func sendUnreplicatedReplies(upTo recordNumber: UInt64 = .max, because reason: String) {
        send(pendingReplies.didNotReplicate(upTo: recordNumber, because: reason))
    }

    /// Passes the entire saved state to the replica if the replica lacks records.
    func replicateWholeStateIfNeeded() {
        if replica != nil, saver.archive.needsFullReplication { saver.archive.replicateFullState() }
    }

    /// Passes the entire saved state to the replica if the replica lacks records and replies wait for replication.
    private func replicateBeforeReplies() {
        guard durability == .replicated else { return }
        let saved = saver.recordDurability
        if saved == .written || saved == .durable { replicateWholeStateIfNeeded() }
    }

    // MARK: The archive file

    /// Logs events that concern the archive file, such as compactions and failed syncs.
    func logArchiveEvents() {
        let incidents = saver.archive.consumeIncidents()
        if !incidents.isEmpty { pruneQuarantine() }
        for incident in incidents {
            let sentence = "\(saver.archive.path): \(incident)"
            switch incident {
            case .changedExternally, .syncFailed:
                log.logProblem(.error, .archiveReplaced, sentence)
            case .rewritten, .hasHardLinks: log.log(.notice, .archiveReplaced, sentence)
            case .compacted: log.log(.debug, .compacted, sentence)
            case .checkFailed, .cleanupFailed:
                log.log(.warning, .archiveReplaced, sentence)
            case .compactionFailed: log.logProblem(.warning, .compactionFailed, sentence)
            case .compactionUnsupported: log.log(.warning, .compactionFailed, sentence)
            }
        }
    }

    /// Deletes the oldest quarantined files that exceed the limits, except files from which a scene can still be
    /// restored.
    func pruneQuarantine() {
        saver.generations.pruneQuarantine(
            keeping: launchSequence.sceneLaunchGuard.quarantinedFileNames)
    }
}
