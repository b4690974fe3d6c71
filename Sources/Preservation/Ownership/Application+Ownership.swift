import ExactText
import Glibc
import Logging
package import SavedState
import StateRestoration

// Ownership of applications that run on only one host in a cluster at a time.

extension Application {
    /// Launches the application after this host has become its owner.
    ///
    /// The application continues from the replicated state or from newer local state. The previous owner can be another
    /// host or this host. If the cluster has continued without this host's latest state, that state is first added to
    /// the history.
    ///
    /// - Parameters:
    ///   - ownership: This host's right to run the application.
    ///   - replicatedContents: The state that the previous owner replicated, or `nil` if there was no previous owner.
    ///   - onOwnership: A closure that is called as soon as the application accepts commands. The commands wait until
    ///     the launch has finished.
    /// - Throws: An error that states why the application cannot continue from either state. In this case, both states
    ///   are unchanged.
    package func launchAsOwner(
        _ ownership: Ownership, with replicatedContents: ReplicatedContents?,
        onOwnership: @Sendable () -> Void = {}
    ) async throws {
        await waitUntilServiceStarted()
        if hasStoppedPermanently { throw ApplicationError.ending(application: bundleIdentifier) }
        guard ownership.isValid() else {
            throw ApplicationError.ownedElsewhere(application: bundleIdentifier)
        }
        if hostedScenes != nil || self.ownership != nil {
            throw ApplicationError.alreadyRunning(application: bundleIdentifier)
        }
        try prepareState(for: ownership, with: replicatedContents)
        let archive = saver.archive
        archive.setReplica(to: ownership.replica)
        documents.replicator.setReplica(to: ownership.replica)
        self.ownership = ownership
        commandInbox.refusalError = nil
        onOwnership()
        beginLaunch()
        await waitForLaunch()
        // A client may have quit the application during the launch.
        if case .stopped = phase, self.ownership != nil { return }
        _ = try runningScenes()
        // State that the launch did not write must also be replicated.
        if archive.needsFullReplication { archive.replicateFullState() }
    }

    /// Adopts the replicated state unless the local state is newer, and replicates documents that the cluster lacks.
    private func prepareState(
        for ownership: Ownership, with replicatedContents: ReplicatedContents?
    ) throws {
        let isDamaged = try loadIfNotRunning()
        let archive = saver.archive
        let checkpoint = try archive.replicaCheckpoint()
        let precedence =
            isDamaged && replicatedContents != nil
            ? StatePrecedence.replicated(supersedesLocalState: true)
            : StatePrecedence(
                turn: archive.sceneCount == 0 ? nil : archive.lastSequenceNumber,
                checkpoint: checkpoint, replicated: replicatedContents)
        if case .replicated(let supersedesLocalState) = precedence, let replicatedContents {
            let wasReplicated = checkpoint?.replicatedTurn == archive.lastSequenceNumber
            try adoptReplicatedState(
                replicatedContents, supersedesLocalState: supersedesLocalState,
                isReplicaRolledBack: supersedesLocalState && wasReplicated && !isDamaged
                    && replicatedContents.lineage != nil,
                quarantinesDocuments: supersedesLocalState || !wasReplicated)
        }
        let lineage = precedence.lineage(
            of: ownership.writerID, checkpoint: checkpoint, turn: archive.lastSequenceNumber,
            replicated: replicatedContents)
        try archive.writeReplicaCheckpoint(ReplicaCheckpoint(lineage: lineage))
        ownership.replica.setLineage(lineage)
        // Replicates documents that are missing or outdated in the cluster.
        try replicateDocuments(to: ownership.replica) { name in
            precedence == .local || replicatedContents?.documents[ExactString(name)] == nil
                || replicatedContents?.outdatedDocumentNames.contains(ExactString(name)) == true
        }
    }

    private func replicateDocuments(
        to replica: any StateReplica, where isIncluded: (String) -> Bool
    ) throws(DocumentError) {
        for name in try documents.names() where isIncluded(name) {
            guard let bytes = try readReplicableDocument(name) else { continue }
            replica.replaceDocument(name, with: bytes)
        }
    }

    /// Returns the contents of a document, or `nil` if the document does not exist or is too large to be replicated.
    private func readReplicableDocument(_ name: String) throws(DocumentError) -> [UInt8]? {
        do throws(DocumentError) {
            return try documents.read(name)
        } catch {
            guard case .io(let path, EFBIG, _) = error else { throw error }
            log.recordProblem(
                "the document \(path) is not replicated: it has more than the maximum of "
                    + "\(DocumentsDirectory.maximumDocumentSize) bytes; store less in it"
            )
            return nil
        }
    }

    /// Beginning of the log message about a replica that has lost some of this host's state.
    private static let replicaRolledBackPrefix =
        "etcd no longer contains changes of this host that were stored in it, for example because it was restored from "
        + "a backup: "

    private func adoptReplicatedState(
        _ replicatedContents: ReplicatedContents, supersedesLocalState: Bool,
        isReplicaRolledBack: Bool,
        quarantinesDocuments: Bool
    ) throws {
        if supersedesLocalState,
            let generation = try saver.generations.saveToHistory(
                because: .supersededBy(replicatedContents.host))
        {
            log.log(
                .warning, .stateSuperseded,
                "\(isReplicaRolledBack ? Self.replicaRolledBackPrefix : "")the state of the host \(replicatedContents.host) replaces the "
                    + "state that this host last saved; the replaced state is in the history, and "
                    + "\(saver.archive.rollBackCommand(to: generation.path)) restores it",
                reason: replicatedContents.host)
        }
        for (document, bytes) in replicatedContents.documents {
            let name = document.text
            let localBytes = try documents.read(name)
            if localBytes == bytes { continue }
            if quarantinesDocuments, let localBytes {
                try saver.archive.quarantineDocument(
                    localBytes, name: name,
                    because: "The host \(replicatedContents.host) has replaced this document since."
                )
                log.log(
                    .warning, .documentReplaced,
                    "the document \(name) of the host \(replicatedContents.host) replaces the document that "
                        + "this host last saved; the replaced document is in quarantine",
                    reason: replicatedContents.host)
            }
            try documents.replace(name, with: bytes)
        }
        try saver.archive.adoptReplica(replicatedContents.archive)
        saver.discardUnsavedChanges()
        log.log(
            .notice, .takenOver,
            "continues from the state that was replicated by the host \(replicatedContents.host)",
            reason: replicatedContents.host)
    }

    /// Stops the application because another host may become its owner.
    ///
    /// Waiting commands are refused. State that could not be replicated remains on this host.
    package func loseOwnership() {
        guard ownership != nil else { return }
        refuseCommandsForLostOwnership()
        let wasReplicated = saver.archive.isReplicated
        let sequenceNumber = saver.archive.lastSequenceNumber
        let replacementCount = documents.replicator.replacementCount
        do { try quitUntilLaunch() } catch {}  // The error has already been logged.
        if case .failed = phase { phase = .stopped }
        // Other hosts do not need the record of the application's stop.
        releaseOwnership(
            isReplicated: wasReplicated && saver.archive.isUnchanged(since: sequenceNumber)
                && documents.replicator.replacementCount == replacementCount)
    }

    /// Releases the right to run the application after it has stopped.
    ///
    /// Pass the saved state to the replica before calling this method.
    ///
    /// - Parameter isReplicated: Whether the relevant state is already known to be replicated. If so, unreplicated
    ///   records in the archive are ignored.
    package func releaseOwnership(isReplicated: Bool = false) {
        guard ownership != nil else { return }
        // A client may have launched the application again.
        if hostedScenes != nil { do { try quitUntilLaunch() } catch {} }
        sendReplicatedReplies()
        let archive = saver.archive
        let isReplicated = isReplicated || archive.isReplicated
        self.ownership = nil
        documents.replicator.setReplica(to: nil)
        archive.setReplica(to: nil)
        turnExecutor.sendUnreplicatedReplies(
            because:
                "it is saved on this host, but was not replicated before another host could take over: "
                + "if another host runs the application now, this host's state becomes a generation in its history"
        )
        stateDidChange()
        guard isReplicated else { return }
        do {
            guard var checkpoint = try archive.replicaCheckpoint() else { return }
            checkpoint.replicatedTurn = archive.lastSequenceNumber
            try archive.writeReplicaCheckpoint(checkpoint)
        } catch {
            // The next takeover may then add the state to the history.
            log.recordProblem("\(error)")
        }
    }

    /// Passes the entire saved state to the replica, because the replica lacks records.
    ///
    /// - Parameter includesDocuments: Whether to pass all model-data documents as well.
    package func replicateFullState(includesDocuments: Bool = false) {
        guard let ownership else { return }
        if includesDocuments {
            do throws(DocumentError) {
                try replicateDocuments(to: ownership.replica) { _ in true }
            } catch {
                log.recordProblem("\(error)")
            }
        }
        saver.archive.replicateFullState()
    }

    /// Whether this host may no longer run the application.
    var isOwnershipLost: Bool { settings.isClustered && ownership?.isValid() != true }

    /// Refuses all waiting commands, because another host may have become the owner.
    func refuseCommandsForLostOwnership() {
        let error = ApplicationError.ownedElsewhere(application: bundleIdentifier)
        commandInbox.refusalError = error
        turnExecutor.refuseCommands(error)
    }

    // MARK: Replies

    /// Handles progress or a failure that the replica reports.
    package func replicaDidProgress() { stateDidChange() }

    /// Sends the replies to commands whose changes have been replicated, and cancels the replication timer if no other
    /// reply is waiting.
    func sendReplicatedReplies() {
        turnExecutor.sendReplicatedReplies()
        if turnExecutor.newestAwaitedRecordNumber == nil { intervalTimers?.cancel(.replication) }
    }

    /// Sends the replies that are still waiting for replication when the timeout elapses.
    ///
    /// - Parameter recordNumber: The number of the newest record that a reply was waiting for when the timeout began.
    func sendUnreplicatedReplies(upTo recordNumber: UInt64) {
        let failure = ownership?.replica.progress.failure ?? "etcd does not respond"
        turnExecutor.sendUnreplicatedReplies(
            upTo: recordNumber,
            because: "it is written on this host, but was not replicated within "
                + "\(settings.replicationTimeout): \(failure)")
    }
}
