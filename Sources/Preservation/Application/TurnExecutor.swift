import ExactText
import LinuxIO
import Logging
import SavedState
import StateRestoration

/// Executor of an application's turns (P14).
///
/// A turn runs commands, makes a pass over each scene that is due for a pass, writes the changes, and sends the
/// replies. The application decides when a turn runs, and launches the scenes that commands are waiting for. This type
/// does not use actors or tasks. It requests later work through ``WakeUps``.
final class TurnExecutor {
    let commandInbox: CommandInbox
    let saver: StateSaver
    let timer: OperationTimer
    /// Changes made by other programs. Replies are deferred until these changes have been handled.
    var external = ExternalChange()
    /// Durability level that replies wait for.
    var durability: PreservationSettings.Durability
    /// Replica that replies can wait for, or `nil` if there is no replica.
    var replica: (any StateReplica)?
    /// Whether the application is not running. If so, a save also closes the archive.
    var isStopped = true
    private var replies = PendingReplies()
    private let launches: LaunchSequence
    private let wakeUps: WakeUps
    private let now: @Sendable () -> Int64
    private let systemVersion: String

    init(
        commandInbox: CommandInbox, saver: StateSaver, launches: LaunchSequence, wakeUps: WakeUps,
        settings: PreservationSettings
    ) {
        self.commandInbox = commandInbox
        self.saver = saver
        self.launches = launches
        self.wakeUps = wakeUps
        durability = settings.durability
        now = settings.now
        systemVersion = settings.systemVersion
        timer = OperationTimer(limit: settings.turnLimit, clock: settings.clock, log: saver.log)
    }

    private var log: ApplicationLog { saver.log }

    // MARK: Commands

    /// Runs the waiting commands that fit into a turn.
    ///
    /// - Parameter elapsed: A closure that returns the time since the turn began.
    func runCommands(on hosted: HostedScenes, within elapsed: () -> Duration) -> CommandTurn {
        launches.reach(.turnBegin)
        let waiting = commandInbox.withQueue { $0.popTurn(endsTurn: \.endsTurn) }
        var turn = CommandTurn(
            hosted: hosted, commandInbox: commandInbox, countChange: log.metrics.countChange)
        var remaining = waiting[...]
        hosted.areCommandsRunning = true
        while let command = remaining.popFirst() {
            turn.run(command)
            if elapsed() > CommandInbox.Queue.turnTime { break }
        }
        hosted.areCommandsRunning = false
        commandInbox.withQueue { $0.prepend(remaining) }
        turn.commands = waiting[..<remaining.startIndex]
        if turn.hasChanges { hosted.markNeedsFullScan() }
        launches.reach(.turnCommands)
        return turn
    }

    /// Refuses all waiting commands.
    func refuseCommands(_ error: ApplicationError) {
        for command in commandInbox.withQueue({ $0.popAll() }) { command.refuse(error) }
    }

    // MARK: Saving

    /// Makes a pass over each scene that the turn covers, and writes the changes.
    ///
    /// - Parameter closing: The scene to close after the pass, or `nil` if no scene is closed.
    func save(_ hosted: HostedScenes, _ reason: TurnReason, closing: HostedScene? = nil) {
        let scenes = hosted.scenes(for: reason)
        for scene in scenes where scene.hasPendingMutation && !scene.isChangeRecorded {
            scene.isChangeRecorded = true
            launches.sceneLaunchGuard.recordUserChange(scene.name)
        }
        saver.save(scenes, reason, closing: closing?.scene, passMetadata: passMetadata)
        for scene in scenes { scene.hasPendingMutation = false }
        hosted.endTurn(reason, scenes, except: saver.isOptedOut)
        for scene in reason.coversAllScenes ? hosted.table.live : scenes {
            let count = scene.consumeSuperfluousCompletions()
            guard count > 0 else { continue }
            log.log(
                .warning, .extensionMisused,
                "its restoration was completed \(count) times without having been extended",
                scene: scene.name.text)
        }
    }

    /// Returns the reserved values for a pass at the current time (P4).
    func passMetadata() -> PassMetadata {
        PassMetadata(
            bundleVersion: launches.definition.bundleVersion, timestamp: now(),
            systemVersion: systemVersion)
    }

    /// Retries a failed save without making a pass.
    func saveAgain() {
        timer.measure("retrying to save it") {
            if isStopped { saver.retry() } else { saver.write(TurnRecords()) }
        }
    }

    /// Requests the sync, the generations and the compaction that are due after a turn.
    ///
    /// - Parameter isRunning: Whether the application has scenes.
    func requestFollowingWork(after reason: TurnReason, isRunning: Bool) {
        if reason != .commands {
            requestSync()
            saver.generations.retryOverdueGeneration()
        }
        if reason == .interval {
            saver.markSummaryDue()
            saver.logSummary()
        }
        if reason == .history, isRunning { saver.saveChangesToHistory(because: .interval) }
        if let job = saver.archive.beginCompaction() { wakeUps.compaction.send(job) }
    }

    /// Requests a sync of the archive on a separate thread, unless all state is durable.
    private func requestSync() {
        if !saver.archive.isDurable { wakeUps.sync.send() }
    }

    // MARK: Replies

    /// Sends the replies to the commands in a turn, or retains them until they can be sent.
    func reply(to turn: CommandTurn?) {
        var turnReplies = (turn?.replies ?? []).map { checkedReply($0.reply, in: $0.scene) }
        if let turn, let closing = turn.closing { turnReplies += end(closing, of: turn.hosted) }
        saver.discardEncodedValues()
        logArchiveEvents()
        if external.defersReplies {
            replies.deferReplies(turnReplies)
        } else {
            replicateBeforeReplies()
            send(replies.add(turnReplies, facts))
        }
    }

    /// Returns a closure that sends the reply to a command. If the pass did not save the command's change, the reply
    /// has the level `notSaved` (P21).
    private func checkedReply(
        _ reply: TurnReply, in scene: RestorationIdentifier
    ) -> PendingReplies.Reply {
        let omission = saver.omission(in: scene, reply.check).map(DurabilityLevel.notSaved)
        return { reply.send(omission ?? $0) }
    }

    /// Closes a scene after its last pass, unless the pass could not be saved.
    ///
    /// - Returns: The reply to the command if the scene was closed, or an empty array otherwise.
    private func end(
        _ closing: CommandTurn.PendingClose, of hosted: HostedScenes
    ) -> [PendingReplies.Reply] {
        let scene = closing.scene
        if let reason = saver.failure(of: scene.name) {
            scene.scene.isInUse = true
            closing.refuse(
                ApplicationError.sceneNotSaved(
                    application: commandInbox.application, scene: scene.name.text, reason: reason))
            return []
        }
        scene.terminate()
        hosted.table.markClosed(scene.name)
        launches.sceneLaunchGuard.record(LaunchEvent.ended, of: [scene.name])
        let reason = closing.isIdleTimeout ? "idle" : nil
        log.log(
            .notice, .closed,
            reason == nil
                ? "closed; its state stays saved"
                : "closed because it was idle; its state stays saved",
            scene: scene.name.text, reason: reason)
        wakeUps.sendChanged()
        return [checkedReply(closing.reply, in: scene.name)]
    }

    /// Current facts that determine when replies are sent.
    private var facts: PendingReplies.Facts {
        PendingReplies.Facts(
            required: durability, saved: saver.written, write: saver.archive.writeNumber,
            durableWrite: saver.archive.durableWriteNumber, replicaTurn: replica?.progress.accepted)
    }

    /// Sends replies, and requests a sync if other replies are waiting for one.
    private func send(_ ready: [PendingReplies.ReadyReply]) {
        for reply in ready { reply.send() }
        if replies.waitsForDurability { wakeUps.sync.send() }
    }

    /// Sends the replies that were deferred because of a change by another program, if the change has been handled.
    func sendDeferredReplies() {
        if external.defersReplies { return }
        replicateBeforeReplies()
        send(replies.changeWasHandled(facts))
    }

    /// Sends all replies except replies that are waiting for replication, because the application has stopped.
    func sendAllReplies() {
        external.end()
        logArchiveEvents()
        replicateBeforeReplies()
        send(replies.didStop(facts))
    }

    /// Sends the replies to commands whose changes were lost before they became durable.
    ///
    /// - Parameter reason: The reason, as a sentence.
    func replyUnsaved(because reason: String) { send(replies.didLoseChanges(because: reason)) }

    /// Adds a reply that waits until all written state is durable or can no longer become durable, and requests a sync.
    func addReplyUntilDurable(_ reply: @escaping PendingReplies.Reply) {
        replies.add(reply, untilDurable: saver.archive.writeNumber)
        wakeUps.sync.send()
    }

    // MARK: Durability

    /// Handles the end of a sync, and sends the replies that were waiting for it.
    ///
    /// If the sync failed, a complete new file is written immediately from the state in memory.
    ///
    /// - Parameters:
    ///   - sync: The sync and its result, or `nil` if there was nothing to sync.
    ///   - began: The time at which the sync began.
    func didSync(_ sync: (job: SyncJob, result: Result<Void, IOError>)?, since began: Moment) {
        if let sync {
            do throws(SaveError) {
                try saver.archive.endSync(sync.job, sync.result)
                saver.recordSync(since: began)
            } catch {
                saver.recordFailure(error)
                saveAgain()
            }
        } else if !saver.archive.isDurable, saver.failure == nil {
            // After a failure, the next attempt is made at the preservation interval. Without this pause, slow attempts
            // would leave no time for clients.
            saveAgain()
        }
        logArchiveEvents()
        // If there was nothing to sync, another sync would not help.
        send(replies.didSync(facts, isComplete: sync == nil))
        saver.logSummary()
    }

    /// Handles the result of a compaction step, and requests the next step if there is one.
    func didCompact(_ job: CompactionJob, _ result: CompactionResult) {
        if let next = saver.archive.endCompaction(job, result) {
            return wakeUps.compaction.send(next)
        }
        logArchiveEvents()
        // After a failed compaction, a complete file may have to be written.
        if saver.archive.hasUnwrittenState { saveAgain() }
    }

    // MARK: Replication

    /// Number of the newest record that must be replicated before a waiting reply is sent, or `nil` if no reply is
    /// waiting.
    var newestReplicaTurn: UInt64? { replies.newestReplicaTurn }

    /// Adds a reply that waits until all written state is replicated or the replication times out.
    func addReplyUntilReplicated(_ reply: @escaping PendingReplies.Reply) {
        guard let replica else { return reply(saver.written) }
        replicateWholeStateIfNeeded()
        replies.add(reply, untilReplicated: replica.progress.accepted)
    }

    /// Sends the replies to commands whose changes have been replicated.
    func sendReplicated() {
        guard let replica, replies.newestReplicaTurn != nil else { return }
        send(replies.didReplicate(upTo: replica.progress.replicated))
    }

    /// Sends the replies to commands whose changes were not replicated.
    ///
    /// - Parameters:
    ///   - turn: The number of the last record that the replies are waiting for.
    ///   - reason: The reason, as a sentence.
    func replyUnreplicated(upTo turn: UInt64 = .max, because reason: String) {
        send(replies.didNotReplicate(upTo: turn, because: reason))
    }

    /// Passes the whole saved state to the replica if the replica lacks records.
    func replicateWholeStateIfNeeded() {
        if replica != nil, saver.archive.needsFullReplication { saver.archive.replicateFullState() }
    }

    /// Passes the whole saved state to the replica if the replica lacks records and replies wait for replication.
    private func replicateBeforeReplies() {
        let saved = saver.written
        if durability == .replicated, saved == .written || saved == .durable {
            replicateWholeStateIfNeeded()
        }
    }

    // MARK: The archive file

    /// Logs events that concern the archive file, such as damage and compactions.
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
            case .checkFailed, .leftover:
                log.log(.warning, .archiveReplaced, sentence)
            case .compactionFailed: log.logProblem(.warning, .compactionFailed, sentence)
            case .compactionUnsupported: log.log(.warning, .compactionFailed, sentence)
            }
        }
    }

    /// Deletes the oldest quarantined files that exceed the limits, except files from which a scene can still be
    /// restored.
    func pruneQuarantine() {
        saver.generations.pruneQuarantine(keeping: launches.sceneLaunchGuard.quarantined)
    }
}
